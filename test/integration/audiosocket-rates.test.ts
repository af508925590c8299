// AudioSocket in the rate that the call's first audio names, however late it comes: what the caller hears, what the bot
// hears, and what keeps the call up until then. Simulated time, the real session core and the real server.
import { describe, expect, it } from 'vitest';
import { AUDIOSOCKET_RATES } from '../../src/legs/audiosocket-leg.ts';
import { type AudioSocketCall, startAudioSocketCall } from '../support/audiosocket-call.ts';
import { atOnce } from '../support/memory-upstream.ts';
import { toneMp3 } from '../support/tone-speech.ts';

const HZ = 500;
const TURN_MS = 2000;
/** Of `toneMp3`. */
const AMPLITUDE = 0.3;
const speech = { auto: atOnce(() => toneMp3(HZ, TURN_MS)) };

const speak = ({ live }: AudioSocketCall, turn = 'a') =>
  live.send({ type: 'speak', turn, text: 'One two three four five.' });
const heardSamples = ({ carrier }: AudioSocketCall): Float64Array => {
  const bytes = Buffer.concat(carrier.playout.heard.map((block) => block.bytes));
  return Float64Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readInt16LE(2 * at) / 32_768);
};
/** Time in which the tone is heard, ms, and the part of the power there that is the tone's. */
function toneIn(samples: Float64Array, sampleRate: number) {
  const first = samples.findIndex((sample) => Math.abs(sample) > 0.03);
  const last = samples.findLastIndex((sample) => Math.abs(sample) > 0.03);
  // Whole periods, without the edges.
  const period = sampleRate / HZ;
  const from = first + Math.round(20 * period);
  const count = Math.floor((last - from) / period - 20) * period;
  let [real, imaginary, power] = [0, 0, 0];
  for (let at = 0; at < count; at += 1) {
    const sample = samples[from + at]!;
    real += sample * Math.cos((2 * Math.PI * at) / period);
    imaginary += sample * Math.sin((2 * Math.PI * at) / period);
    power += sample * sample;
  }
  const tonePower = (2 * (real * real + imaginary * imaginary)) / count;
  return { ms: ((last - first + 1) * 1000) / sampleRate, share: tonePower / power };
}
const inboundOf = ({ live }: AudioSocketCall) =>
  Buffer.concat(live.said('inbound').map(({ data }) => Buffer.from(data, 'base64')));

const KINDS = AUDIOSOCKET_RATES.map((rate, index) => [rate, 0x10 + index] as const);
const LATE_MS = [100, 300, 560, 620, 1000, 1500, 1900];
const CASES = KINDS.flatMap(([rate, kind]) =>
  (kind === 0x10 || kind === 0x12 || kind === 0x16 ? LATE_MS : [560]).map((ms) => [rate, ms, kind] as const),
);

describe('a call over AudioSocket', () => {
  it.each(CASES)(
    'of %i Hz, first heard after %i ms, is of that rate both ways',
    async (rate, lateMs, kind) => {
      const call = await startAudioSocketCall(rate, { firstFrameMs: lateMs }, speech);
      const { live, carrier } = call;
      await live.run(lateMs + 40);
      expect(live.said('attached')).toMatchObject([{ kind: 'audiosocket', format: 'raw', sampleRate: rate }]);
      speak(call);
      await live.run(TURN_MS + 1000);

      const tone = toneIn(heardSamples(call), rate);
      expect(Math.abs(tone.ms - TURN_MS)).toBeLessThan(60);
      expect(tone.share).toBeGreaterThan(0.999);
      expect(live.said('heard', 'a')).toMatchObject([{ remainingText: '' }]);

      // Not a frame is lost of what the caller says, from the first on.
      const heard = inboundOf(call);
      const frames = live.said('inbound').length;
      expect(frames).toBeGreaterThan((TURN_MS + 900) / 20);
      expect(
        heard.equals(Buffer.concat(Array.from({ length: frames }, (_, index) => call.says(index)))),
      ).toBe(true);
      expect(new Set(call.sent.filter(({ atMs }) => atMs > lateMs + 20).map((each) => each.kind))).toEqual(
        new Set([kind]),
      );
      expect(carrier.faults).toEqual([]);
    },
  );

  it('that nobody is heard on is kept up by silence of 8 kHz, and begins after three seconds', async () => {
    const call = await startAudioSocketCall(16_000, { firstFrameMs: 60_000 }, speech);
    await call.live.run(2900);
    expect(call.live.said('attached')).toEqual([]);
    expect(call.sent.map(({ atMs, kind }) => [Math.round(atMs / 100), kind])).toEqual([
      [10, 0x10],
      [20, 0x10],
    ]);
    await call.live.run(200);
    expect(call.live.said('attached')).toMatchObject([{ sampleRate: 8000 }]);
    speak(call);
    await call.live.run(10_000);
    expect(toneIn(heardSamples(call), 16_000).ms).toBeGreaterThan(TURN_MS - 60);
    expect(call.carrier.faults).toEqual([]);
  });

  it('that says nothing of its UUID for so long, neither, is given up in the end', async () => {
    const call = await startAudioSocketCall(8000, { startMs: 60_000 }, speech);
    await call.live.run(10_100);
    expect(call.live.said('error')).toMatchObject([{ code: 'leg_not_found' }]);
    await expect(call.carrier.closed).resolves.toBe(1000);
  });

  it.each([16_000, 24_000, 44_100, 48_000, 192_000])(
    'goes on in %i Hz when that is told in the middle of a turn: nothing is lost, and nothing clicks',
    async (rate) => {
      const toldMs = 4013;
      const call = await startAudioSocketCall(rate, { firstFrameMs: toldMs }, speech);
      const { live, carrier } = call;
      await live.run(3100);
      expect(live.said('attached')).toMatchObject([{ sampleRate: 8000 }]);
      speak(call);
      const spokenAtMs = live.clock.now();
      await live.run(3000);
      expect(live.said('attached')).toMatchObject([{ sampleRate: 8000 }, { sampleRate: rate }]);

      const samples = heardSamples(call);
      const tone = toneIn(samples, rate);
      expect(Math.abs(tone.ms - TURN_MS)).toBeLessThan(60);
      expect(carrier.playout.gaps.filter(({ atMs }) => atMs > spokenAtMs)).toEqual([]);
      // Behind the change the tone bends no more than a tone does; up to it the simulated Asterisk holds samples of 8 kHz.
      const isHeld = (at: number) => samples[at] === samples[at - 1] || samples[at - 1] === samples[at - 2];
      const from = samples.findIndex((sample, at) => Math.abs(sample) > 0.03 && !isHeld(at));
      const bend = ((2 * Math.PI * HZ) / rate) ** 2 * AMPLITUDE + 4 / 32_768;
      let most = 0;
      for (let at = from; at < from + rate / 10; at += 1)
        most = Math.max(most, Math.abs(samples[at + 1]! - 2 * samples[at]! + samples[at - 1]!));
      expect(most).toBeLessThan(1.2 * bend);

      // What is named from now on is made in that rate.
      speak(call, 'b');
      await live.run(TURN_MS + 1000);
      expect(live.said('started', 'b')).toMatchObject([{ format: 'raw', sampleRate: rate }]);
      const [heardA, heardB] = [live.said('heard', 'a')[0]!, live.said('heard', 'b')[0]!];
      expect(heardA).toMatchObject({ remainingText: '' });
      expect(Math.abs(heardA.playedMs - heardB.playedMs)).toBeLessThanOrEqual(20);
      const frames = live.said('inbound').length;
      expect(
        inboundOf(call).equals(Buffer.concat(Array.from({ length: frames }, (_, index) => call.says(index)))),
      ).toBe(true);
      expect(carrier.faults).toEqual([]);
    },
  );

  it('is silent within the lead after a cut behind the change of its rate', async () => {
    const call = await startAudioSocketCall(16_000, { firstFrameMs: 3600 }, speech);
    await call.live.run(3100);
    speak(call);
    await call.live.run(900);
    call.live.send({ type: 'cancel', turn: 'a' });
    const atMs = call.live.clock.now();
    await call.live.run(1000);
    const late = call.carrier.playout.heard.filter(
      (block) => block.atMs > atMs + 100 && block.bytes.some((byte) => byte !== 0),
    );
    expect(late).toEqual([]);
    expect(call.live.said('ended', 'a')).toMatchObject([{ outcome: 'cancelled' }]);
    expect(call.carrier.faults).toEqual([]);
  });
});
