// A few of the kills of scripts/crash-trial.mjs: what was taken on outlives them. The full count is run by hand.

import { beforeAll, expect, it } from 'vitest';
import { crashTrial } from '../../scripts/crash-trial.mjs';
import { buildProgram } from '../support/program.ts';

beforeAll(buildProgram, 120_000);

it('loses nothing, leaves nothing stuck and tells no work twice when it is killed', async () => {
  const { works, faults } = await crashTrial({ kills: 2, seed: 7, underWay: 2, sentences: 15 });
  expect(works).toBeGreaterThan(0);
  expect(faults).toEqual([]);
}, 180_000);
