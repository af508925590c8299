#!/usr/bin/env node
// What runs first: whether this Node can run the program at all. It imports nothing before that is known and is written for
// versions long gone, because one that is too old stops at the first import that it does not have, in words that help nobody.

/** As `engines` in package.json. */
const LEAST = [20, 19];

const given = process.versions.node.split('.').map(Number);
if (given[0]! > LEAST[0]! || (given[0] === LEAST[0] && given[1]! >= LEAST[1]!)) void import('./main.ts');
else {
  const needed = LEAST.join('.');
  process.stderr.write(
    `Voxgate needs Node.js ${needed} or later; this is ${process.versions.node} (${process.execPath}). Install a newer one (https://nodejs.org), or use the image, which has its own.\n`,
  );
  process.exitCode = 1;
}

export {};
