// Which paths of the repository reach a container build, by the rules of .dockerignore: the last pattern that
// matches a path or a folder above it decides, `!` takes back in.

import { readFileSync } from 'node:fs';

const escaped = (text) => text.replace(/[.+^$()|{}[\]\\]/g, '\\$&');

/** `*` within a name, `**` over folders; both alone or within a pattern. */
const toExpression = (pattern) =>
  new RegExp(
    `^${pattern
      .split(/(\*\*\/?|\*|\?)/)
      .map((part) =>
        part.startsWith('**') ? '(?:.*/)?' : part === '*' ? '[^/]*' : part === '?' ? '[^/]' : escaped(part),
      )
      .join('')}(/.*)?$`,
  );

/** `(path) => boolean` for paths from the root, with `/`: true = left out of the build. */
export function readDockerIgnore(file) {
  const rules = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({
      isTakenBack: line.startsWith('!'),
      expression: toExpression(line.replace(/^!/, '').replace(/^\/|\/$/g, '')),
    }));
  return (path) => rules.findLast(({ expression }) => expression.test(path))?.isTakenBack === false;
}
