import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from '../support/program.ts';

const SCRIPT = resolve(import.meta.dirname, '../../scripts/word-times-trial.mjs');

type Figures = {
  readonly words: number;
  readonly lateHeard: number;
  readonly streamed: { readonly medianMs: number };
};
type Printed = { readonly missed: readonly string[]; readonly groups: Readonly<Record<string, Figures>> };

beforeAll(buildProgram);

describe('the trial of word times', () => {
  it('holds what a live turn tells against the engine’s own times', () => {
    const few = ['--kinds', 'own,dialogue', '--languages', 'english', '--sentences', '1', '--dialogues', '1'];
    const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...few], { encoding: 'utf8' });
    // A slow machine is told how far it is.
    expect(stderr.replace(/^\d+ of at most \d+ speeches, \d+ s\n/gm, '')).toBe('');
    const { missed, groups } = JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as Printed;
    expect(missed).toEqual([]);
    expect(status).toBe(0);
    for (const kind of ['own', 'dialogue']) {
      expect(groups[kind]!.words).toBeGreaterThan(20);
      expect(groups[kind]!.lateHeard).toBe(0);
      expect(groups[kind]!.streamed.medianMs).toBeLessThan(20);
    }
  });
});
