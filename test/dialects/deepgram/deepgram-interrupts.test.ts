// Interruptions at moments that nobody chose, on the real session with a fake clock: what was cut stays silent,
// and what was not is heard whole.
import { describe, expect, it } from 'vitest';
import { seededNumbers } from '../../../src/base/seeded-numbers.ts';
import { speechMp3 } from '../../support/codecs.ts';
import type { MemoryRequest } from '../../support/memory-upstream.ts';
import { trialSize } from '../../support/trial-size.ts';
import { CLEAR, FLUSH, interruptAt, liveRig, type Rig, speak } from '../deepgram-rig.ts';

const LENGTHS_MS: Readonly<Record<string, number>> = {
  'One two.': 150,
  'Three four five six.': 240,
  'Seven eight nine ten again.': 330,
};
const TEXTS = Object.keys(LENGTHS_MS);
/** Of each version. */
const INTERRUPTS = trialSize(500, 100);

/** Answers in two parts, so that an interruption may fall between them; `delayMs` before the first. */
const answering =
  (delayMs: () => number, after: (ms: number, task: () => void) => void) => (request: MemoryRequest) => {
    const speech = speechMp3(LENGTHS_MS[request.body.text.trim()] ?? 200);
    const half = Math.floor(speech.length / 2);
    after(delayMs(), () => {
      request.send(speech.subarray(0, half));
      after(delayMs(), () => {
        request.send(speech.subarray(half));
        request.end();
      });
    });
  };

const numbersBelow = (seed: number) => {
  const draw = seededNumbers(seed, 0);
  return (limit: number) => Math.min(limit - 1, Math.floor(draw() * limit));
};

const startRig = (version: 'v1' | 'v2', query: string, below: (limit: number) => number) => {
  // The session is made with its service, and the service waits by the session's clock.
  let after = (_ms: number, _task: () => void) => {};
  const rig = liveRig(version, query, {
    auto: (request) => answering(() => below(80), after)(request),
  });
  after = (ms, task) => void rig.live.clock.after(ms, task);
  return rig;
};

const runUntil = async (rig: ReturnType<typeof startRig>, isThere: () => boolean) => {
  for (let ms = 0; !isThere(); ms += 20) {
    if (ms > 20_000) throw new Error(`nothing came: ${rig.order().slice(-10).join(' ')}`);
    await rig.live.run(20);
  }
};

const bytesOf = (sent: Rig['sent']) =>
  sent.reduce((sum, each) => sum + (each.kind === 'audio' ? each.bytes.length : 0), 0);

describe('Clears of /v1/speak', () => {
  it('let no byte through behind Cleared, and the next speech whole', { timeout: 240_000 }, async () => {
    const below = numbersBelow(20_261_122);
    const rig = startRig('v1', 'encoding=mulaw&voxgate_lead_ms=150', below);
    const speakWhole = async (text: string) => {
      const from = rig.sent.length;
      const flushes = rig.messages('Flushed').length;
      rig.send(speak(text), FLUSH);
      await runUntil(rig, () => rig.messages('Flushed').length > flushes);
      return bytesOf(rig.sent.slice(from));
    };
    const whole = new Map<string, number>();
    for (const text of TEXTS) whole.set(text, await speakWhole(text));
    expect(new Set(whole.values()).size).toBe(TEXTS.length);

    let silenced = 0;
    for (let n = 0; n < INTERRUPTS; n += 1) {
      const flushed = rig.messages('Flushed').length;
      const turns = 1 + below(3);
      for (let turn = 0; turn < turns; turn += 1) {
        rig.send(speak(TEXTS[below(TEXTS.length)]!));
        if (turn < turns - 1 || below(2) === 0) rig.send(FLUSH);
      }
      await rig.live.run(below(700));
      rig.send(CLEAR);
      expect(rig.messages('Cleared')).toHaveLength(n + 1);
      if (rig.messages('Flushed').length - flushed < turns) silenced += 1;
      const atClear = rig.sent.length;
      if (below(3) === 0) await rig.live.run(below(300));
      expect(rig.sent.slice(atClear)).toEqual([]);
      const text = TEXTS[n % TEXTS.length]!;
      expect(await speakWhole(text)).toBe(whole.get(text));
    }
    // Most of them cut something.
    expect(silenced).toBeGreaterThan(INTERRUPTS / 2);
    expect(rig.live.faults).toEqual([]);
    expect(rig.live.upstream.live).toEqual([]);
  });
});

describe('Interrupts of /v2/speak', () => {
  it('let no byte through behind SpeechInterrupted, and the speeches behind whole', {
    timeout: 240_000,
  }, async () => {
    const below = numbersBelow(7);
    const rig = startRig('v2', 'model=anna&encoding=mulaw&voxgate_lead_ms=150', below);
    /** Speeches by the message that ended them, with the audio between. */
    const brackets = () => {
      const found: { readonly by: Record<string, unknown> & { type: string }; readonly bytes: number }[] = [];
      let open: string | undefined;
      let bytes = 0;
      for (const each of rig.sent) {
        if (each.kind === 'audio') {
          expect(open).toBeDefined();
          bytes += each.bytes.length;
          continue;
        }
        const { message } = each;
        if (message.type === 'SpeechStarted') {
          expect(open).toBeUndefined();
          [open, bytes] = [message.speech_id as string, 0];
        } else if (message.type === 'SpeechMetadata' || message.type === 'SpeechInterrupted') {
          const report = (message.metadata ?? message) as { speech_id: string };
          expect(report.speech_id).toBe(open);
          found.push({ by: message, bytes });
          open = undefined;
        }
      }
      return found;
    };
    const spoken: string[] = [];
    const say = (text: string) => {
      spoken.push(text);
      rig.send(speak(text), FLUSH);
    };
    const reports = () => rig.messages('SpeechMetadata').length + rig.messages('SpeechInterrupted').length;
    for (const text of TEXTS) say(text);
    await runUntil(rig, () => reports() === TEXTS.length);
    const whole = new Map(TEXTS.map((text, at) => [text, brackets()[at]!.bytes]));
    expect(new Set(whole.values()).size).toBe(TEXTS.length);

    for (let n = 0; n < INTERRUPTS; n += 1) {
      const turns = 1 + below(4);
      for (let turn = 0; turn < turns; turn += 1) say(TEXTS[below(TEXTS.length)]!);
      await rig.live.run(below(600));
      const [before, interrupted] = [reports(), rig.messages('SpeechInterrupted').length];
      rig.send(interruptAt());
      const now = rig.messages('SpeechInterrupted').length - interrupted;
      expect(now).toBe(before < spoken.length ? 1 : 0);
      if (below(4) > 0) await runUntil(rig, () => reports() === spoken.length);
    }
    await runUntil(rig, () => reports() === spoken.length);

    const all = brackets();
    expect(all).toHaveLength(spoken.length);
    for (const [at, { by, bytes }] of all.entries()) {
      const text = spoken[at]!;
      if (by.type === 'SpeechInterrupted') {
        expect(`${String(by.text_spoken)}${String(by.text_remaining)}`).toBe(text);
        expect(bytes).toBeLessThanOrEqual(whole.get(text)!);
      } else expect(bytes).toBe(whole.get(text));
    }
    const cut = all.filter(({ by, bytes }) => by.type === 'SpeechInterrupted' && bytes > 0);
    expect(cut.length).toBeGreaterThan(INTERRUPTS * 0.3);
    expect(rig.live.faults).toEqual([]);
    expect(rig.live.upstream.live).toEqual([]);
  });
});
