// The seed of a turn. Every turn has one, because with it the service says the same again, byte for byte: a broken
// answer can be gone on with, and a phrase can be kept.

import { createHash } from 'node:crypto';
import type { Random } from '../../base/random.ts';
import type { TurnSettings } from '../turn-settings.ts';
import type { WholeText } from './turn-script.ts';

const SEEDS = 2 ** 31;

/**
 * The caller's own; else, for a turn that may be played from what is kept, one that follows from the request, so that
 * the same words find the same sound; else one that follows from `named`, where another instance may have to find it again;
 * else any.
 */
export function turnSeed(
  settings: TurnSettings,
  whole: WholeText | undefined,
  random: Random,
  named?: { readonly salt: string; readonly turn: string },
): number {
  const { synthesis, cache } = settings;
  if (synthesis.seed != null) return synthesis.seed;
  if (cache === 'off' && named === undefined) return random.below(SEEDS);
  if (cache === 'off') return seedOf([named!.salt, named!.turn]);
  const fields = Object.entries(synthesis).sort(([a], [b]) => (a < b ? -1 : 1));
  return seedOf([whole ?? null, fields]);
}

const seedOf = (of: unknown): number =>
  createHash('sha256').update(JSON.stringify(of)).digest().readUInt32BE() % SEEDS;
