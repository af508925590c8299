import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from '../support/program.ts';

const SCRIPT = resolve(import.meta.dirname, '../../scripts/endings-trial.mjs');

type Figures = {
  readonly whole: number;
  readonly doubted: number;
  readonly cuts: number;
  readonly first: number;
};
type Printed = { readonly groups: Readonly<Record<string, Figures>> };

beforeAll(buildProgram);

describe('the trial of endings', () => {
  const run = (...more: readonly string[]) => {
    const few = ['--kinds', 'own', '--languages', 'english', '--sentences', '1', '--cuts', '2', ...more];
    const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...few], { encoding: 'utf8' });
    expect(stderr).toBe('');
    const { groups } = JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as Printed;
    return { status, figures: groups['all']! };
  };

  it('notices every cut of the engine’s own voices that loses a word, and doubts none of their whole bodies', () => {
    const { status, figures } = run();
    expect(status).toBe(0);
    expect(figures.whole).toBeGreaterThan(4);
    expect(figures.cuts).toBeGreaterThan(6);
    expect([figures.doubted, figures.first]).toEqual([0, figures.cuts]);
  });

  it('has a row for machines without a local engine', () => {
    const { status, figures } = run('--by-sound');
    expect(status).toBe(0);
    expect(figures.first).toBeGreaterThan(0.5 * figures.cuts);
  });
});
