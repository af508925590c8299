// The first file of the program, as it is built: on a Node that is too old it says so, and loads nothing.

import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from './support/program.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PROGRAM = join(ROOT, 'dist/main.js');
const { engines, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  engines: { node: string };
  version: string;
};

beforeAll(buildProgram, 300_000);

const asIf = (node: string, file: string) => {
  const pretend = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'${node}'}})`;
  return spawnSync(process.execPath, ['--import', `data:text/javascript,${pretend}`, file, '--version'], {
    encoding: 'utf8',
  });
};

describe('a Node that is too old', () => {
  it.each(['12.22.0', '18.20.4', '20.18.3'])('is told so: %s', (node) => {
    for (const file of [PROGRAM, join(ROOT, 'scripts/build.mjs')]) {
      const { status, stdout, stderr } = asIf(node, file);
      const needed = engines.node.replace('>=', '');
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toContain(`Voxgate needs Node.js ${needed} or later; this is ${node} (`);
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
  });

  it('can read that file: it imports nothing, and waits for nothing', () => {
    const code = readFileSync(PROGRAM, 'utf8');
    expect(code).not.toMatch(/^\s*(import\b(?!\()|export\b(?! ?\{\s*\}))|\bawait\b|\?\?|\?\./m);
    expect(code.length).toBeLessThan(1500);
  });
});

describe('any other', () => {
  it('runs the program', () => {
    expect(execFileSync(process.execPath, [PROGRAM, '--version'], { encoding: 'utf8' })).toBe(`${version}\n`);
    expect(asIf(engines.node.replace('>=', ''), PROGRAM).stdout).toBe(`${version}\n`);
  });
});
