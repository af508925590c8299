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
  expect(phraseKey('anna', 'engine', turned)).toBe(phraseKey('anna', 'engine', REQUEST));
  expect(phraseKey('anna', 'engine', { ...REQUEST, speed: undefined } as OutgoingRequest)).toBe(
    phraseKey('anna', 'engine', REQUEST),
  );
});

test.each([
  ['tenant', 'ben', 'engine', REQUEST],
  ['service', 'anna', 'openai', REQUEST],
  ['text', 'anna', 'engine', { ...REQUEST, text: 'Good morning!' }],
  ['seed', 'anna', 'engine', { ...REQUEST, seed: 8 }],
  ['voice', 'anna', 'engine', { ...REQUEST, voice: 'b' }],
  ['speed', 'anna', 'engine', { ...REQUEST, speed: 1.1 }],
] as const)('another %s is another name', (_what, tenant, service, request) => {
  expect(phraseKey(tenant, service, request)).not.toBe(phraseKey('anna', 'engine', REQUEST));
});

test('a name tells nothing of the text', () => {
  expect(phraseKey('anna', 'engine', REQUEST)).toMatch(/^[0-9a-f]{64}$/);
});

test('what is tenant and what is request cannot be confused', () => {
  expect(phraseKey('a","b', 'engine', REQUEST)).not.toBe(phraseKey('a', 'b', { ...REQUEST, text: 'b' }));
});
