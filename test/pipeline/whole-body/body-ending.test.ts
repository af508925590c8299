// How long the answer about an ending may take: the listener keeps what is sent ahead for a network that is late.
import { describe, expect, it } from 'vitest';
import { type EndedBody, judgeEnding } from '../../../src/pipeline/whole-body/body-ending.ts';
import { createVoiceRecords } from '../../../src/pipeline/whole-body/voice-records.ts';

/** What the answer was given, ms, in the hand of a listener who has `remainingMs`. */
async function waitedMs(remainingMs: number, leadMs: number): Promise<number> {
  let waited = Number.NaN;
  const body = {
    request: { text: 'In peace.', voice: 'a' },
    letters: 7,
    longestMs: 10_000,
    relayed: {
      reading: () => ({ cutFrameBytes: () => 0, missingMs: () => 0 }),
      fingerprint: () => ({ bytes: () => 0 }),
      heardMs: () => 1000,
    },
    toldLength: undefined,
    watch: {
      ending: (withinMs: number) => {
        waited = withinMs;
        return Promise.resolve('late' as const);
      },
    },
    voices: createVoiceRecords(),
    decoders: {},
    soundOfEnd: () => undefined,
    remainingMs,
    leadMs,
  };
  await judgeEnding(body as unknown as EndedBody);
  return waited;
}

describe('the answer about an ending', () => {
  it.each([
    { remainingMs: 0, leadMs: 200, withinMs: 300 },
    { remainingMs: 1000, leadMs: 200, withinMs: 700 },
    { remainingMs: 1000, leadMs: 0, withinMs: 700 },
    { remainingMs: 3000, leadMs: 2000, withinMs: 2000 },
    { remainingMs: 60_000, leadMs: 200, withinMs: 4000 },
    { remainingMs: Number.POSITIVE_INFINITY, leadMs: 0, withinMs: 20_000 },
  ])('has $withinMs ms where $remainingMs ms are unheard and $leadMs ms are sent ahead', async (row) => {
    expect(await waitedMs(row.remainingMs, row.leadMs)).toBe(row.withinMs);
  });
});
