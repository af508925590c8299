import { expect, test } from 'vitest';
import { turnSeed } from '../../../src/session/turn/turn-seed.ts';
import { defaultSettings, type TurnSettings } from '../../../src/session/turn-settings.ts';
import { fixedRandom } from '../../support/fixed-random.ts';

const GREETING = { kind: 'text', text: 'Good morning.' } as const;
const settings = (changes: Partial<TurnSettings> = {}): TurnSettings => ({
  ...defaultSettings(200),
  ...changes,
});
const cached = (synthesis: TurnSettings['synthesis'] = {}) => settings({ cache: 'on', synthesis });

test('a seed that was given is kept', () => {
  expect(turnSeed(settings({ synthesis: { seed: 5 } }), GREETING, fixedRandom(0.5))).toBe(5);
  expect(turnSeed(cached({ seed: 0 }), GREETING, fixedRandom(0.5))).toBe(0);
});

test('without the cache each turn has one of its own', () => {
  expect(turnSeed(settings(), GREETING, fixedRandom(0.1))).not.toBe(
    turnSeed(settings(), GREETING, fixedRandom(0.2)),
  );
});

test('with the cache it follows from the request', () => {
  const seed = turnSeed(cached({ voice: 'a', speed: 1 }), GREETING, fixedRandom(0.1));
  expect(turnSeed(cached({ speed: 1, voice: 'a' }), GREETING, fixedRandom(0.9))).toBe(seed);
  expect(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31).toBe(true);
  expect(turnSeed(cached({ voice: 'b', speed: 1 }), GREETING, fixedRandom(0.1))).not.toBe(seed);
  expect(turnSeed(cached({ voice: 'a', speed: 1 }), undefined, fixedRandom(0.1))).not.toBe(seed);
});
