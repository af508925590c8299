// Barge-in before the real session core, on a fake clock: interruptions at random moments, and the contexts around them.

import { describe, expect, it } from 'vitest';
import { seededNumbers } from '../../../src/base/seeded-numbers.ts';
import { speechMp3 } from '../../support/codecs.ts';
import { type ElevenLabsSession, elevenLabsSession, isFinal } from '../../support/elevenlabs-rig.ts';
import { faultsOf } from '../../support/elevenlabs-transcript.ts';
import type { MemoryRequest } from '../../support/memory-upstream.ts';
import { trialSize } from '../../support/trial-size.ts';

const INTERRUPTS = trialSize(1000, 200);
const MS_PER_CHARACTER = 50;
const BYTES_PER_MS = 48;
/**
 * With no place in it where it could be cut: of appended text the first clause goes at once if the turn is at work, and
 * everything together if it comes to it later. Either is right, but they do not sound the same to the sample.
 */
const SENTENCE = 'Some twenty letters.';

/** Speech arrives in pieces of 150 ms, from `firstMs` on, each `everyMs`. */
const trickling =
  (rig: () => ElevenLabsSession, firstMs: number, everyMs: number) =>
  (request: MemoryRequest): void => {
    const bytes = speechMp3(request.body.text.length * MS_PER_CHARACTER);
    const send = (from: number) => {
      request.send(bytes.subarray(from, from + 1200));
      if (from + 1200 >= bytes.length) request.end();
      else rig().live.clock.after(everyMs, () => send(from + 1200));
    };
    rig().live.clock.after(firstMs, () => send(0));
  };

const PATTERNS = [
  'cut in its text',
  'cut when flushed',
  'cut when closed',
  'left by one close',
  'whole',
] as const;
type Pattern = (typeof PATTERNS)[number];
/** So much of it has been sent, and its client closes it without more: an interruption, beyond doubt. */
const LEFT_MS = 600;

describe('interrupting an ElevenLabs context', () => {
  it.each([
    ['as fast as it is made', '', 5, 20],
    ['at the listener’s pace', '&voxgate_pace=realtime&voxgate_lead_ms=200', 5, 20],
    ['behind a slow speech service', '', 300, 120],
  ])(
    'leaves no stale word, and what is not cut is heard whole: %s',
    { timeout: 120_000 },
    async (_name, pacing, firstMs, everyMs) => {
      const rig: ElevenLabsSession = elevenLabsSession(
        { query: `output_format=pcm_24000${pacing}` },
        trickling(() => rig, firstMs, everyMs),
      );
      const random = seededNumbers(20_261_122, firstMs);
      const close = (id: string) => rig.send({ context_id: id, close_context: true });
      const speak = (id: string, pattern: Pattern) => {
        rig.send({ text: ' ', context_id: id }, { text: SENTENCE, context_id: id });
        if (pattern !== 'cut in its text') rig.send({ context_id: id, flush: true });
        if (pattern === 'cut when closed' || pattern === 'whole') close(id);
      };
      const finalsOf = (id: string) => rig.of(id).filter(isFinal).length;
      const open = new Set<string>();
      const haveAtMost = async (most: number) => {
        for (;;) {
          for (const id of open) if (finalsOf(id) > 0) open.delete(id);
          if (open.size <= most) return;
          await rig.run(20);
        }
      };
      speak('reference', 'whole');
      open.add('reference');
      await haveAtMost(0);
      const reference = rig.audioOf('reference');
      expect(Math.abs(reference.length / BYTES_PER_MS - 1000)).toBeLessThan(100);

      const whole: string[] = [];
      let [cuts, cutsInAudio, left] = [0, 0, 0];
      let lastLeft: string | undefined;
      for (let n = 0; cuts < Math.ceil(INTERRUPTS / 3); n += 1) {
        const id = `c${n}`;
        const pattern = PATTERNS[Math.floor(random() * PATTERNS.length)]!;
        // With five open ones the oldest would be cut off for the next.
        await haveAtMost(3);
        speak(id, pattern);
        // Its words are elsewhere now.
        if (lastLeft !== undefined) expect([lastLeft, finalsOf(lastLeft)]).toEqual([lastLeft, 1]);
        lastLeft = undefined;
        await rig.run(Math.floor(random() * 1400));
        if (pattern === 'whole') {
          whole.push(id);
          open.add(id);
          continue;
        }
        if (pattern === 'left by one close') {
          close(id);
          open.add(id);
          if (rig.audioOf(id).length / BYTES_PER_MS >= LEFT_MS) lastLeft = id;
          if (lastLeft !== undefined) left += 1;
          continue;
        }
        cuts += 1;
        if (finalsOf(id) === 0 && rig.audioOf(id).length > 0) cutsInAudio += 1;
        close(id);
        if (pattern === 'cut when flushed') close(id);
        // Acknowledged at once; `faultsOf` finds what would follow.
        expect([id, finalsOf(id)]).toEqual([id, 1]);
      }
      await haveAtMost(0);
      const messages = rig.got.map(({ message }) => message);
      expect(faultsOf(messages, BYTES_PER_MS)).toEqual([]);
      expect(messages.filter((message) => message.error !== undefined)).toEqual([]);
      for (const id of whole) expect([id, rig.audioOf(id).equals(reference)]).toEqual([id, true]);
      expect(whole.length).toBeGreaterThan(INTERRUPTS / 20);
      expect(cutsInAudio).toBeGreaterThan(INTERRUPTS / 50);
      expect(left).toBeGreaterThan(INTERRUPTS / 100);
      expect(rig.live.faults).toEqual([]);
      expect(rig.live.upstream.live).toEqual([]);
    },
  );

  it('by a close behind its end tells the session that the rest is not heard', async () => {
    const rig: ElevenLabsSession = elevenLabsSession(
      { query: 'output_format=pcm_24000' },
      trickling(() => rig, 5, 5),
    );
    rig.send({ text: SENTENCE.repeat(10), context_id: 'c', flush: true });
    rig.send({ context_id: 'c', close_context: true });
    await rig.run(2000);
    expect(rig.order()).toEqual(['audio c', 'final c']);
    expect(rig.live.said('heard')).toEqual([]);
    rig.send({ context_id: 'c', close_context: true }, { context_id: 'c', close_context: true });
    expect(rig.live.said('heard')[0]!.playedMs).toBeLessThan(2100);
    expect(rig.order()).toEqual(['audio c', 'final c']);
  });
});
