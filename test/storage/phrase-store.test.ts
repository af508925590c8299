import { expect, test } from 'vitest';
import type { OutgoingRequest } from '../../src/speech/speech-request.ts';
import { phraseKey } from '../../src/storage/phrase-store.ts';

const REQUEST: OutgoingRequest = {
  model: 'VoxDialog',
  text: 'Good morning.',
  outputFormat: 'mp3',
  voice: 'a',
  seed: 7,
};

test('the same request of the same tenant has one name, in whatever order its fields stand', () => {
  const turned = Object.fromEntries(Object.entries(REQUEST).reverse()) as OutgoingRequest;
  expect(phraseKey('anna', turned)).toBe(phraseKey('anna', REQUEST));
  expect(phraseKey('anna', { ...REQUEST, speed: undefined } as OutgoingRequest)).toBe(
    phraseKey('anna', REQUEST),
  );
});

test.each([
  ['tenant', 'ben', REQUEST],
  ['text', 'anna', { ...REQUEST, text: 'Good morning!' }],
  ['seed', 'anna', { ...REQUEST, seed: 8 }],
  ['voice', 'anna', { ...REQUEST, voice: 'b' }],
  ['speed', 'anna', { ...REQUEST, speed: 1.1 }],
] as const)('another %s is another name', (_what, tenant, request) => {
  expect(phraseKey(tenant, request)).not.toBe(phraseKey('anna', REQUEST));
});

test('a name tells nothing of the text', () => {
  expect(phraseKey('anna', REQUEST)).toMatch(/^[0-9a-f]{64}$/);
});

test('what is tenant and what is request cannot be confused', () => {
  expect(phraseKey('a","b', REQUEST)).not.toBe(phraseKey('a', { ...REQUEST, text: 'b' }));
});
