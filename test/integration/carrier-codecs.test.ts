// Each platform in each codec of its list, with a real session core in simulated time: a turn is heard whole and as loud in
// what is served, and what is not served is closed by words that name it. The platform's side judges what it is sent.
import { describe, expect, it } from 'vitest';
import { ALAW_VALUES, MULAW_VALUES } from '../../src/audio/dsp/g711.ts';
import { audioSocketLeg } from '../../src/legs/audiosocket-leg.ts';
import { LEGS } from '../../src/legs/legs.ts';
import { carrierIn, codecsOf } from '../../testkit/carriers/carrier-codecs.ts';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { startPhoneCall } from '../support/phone-call.ts';
import { HZ, heardBytes, speak, speech } from '../support/spoken-tone.ts';

const TURN_MS = 1000;
/** Of the lists: what the sound path does not have. */
const UNSERVED: ReadonlySet<string> = new Set(['OPUS', 'G722', 'AMR-WB', 'opus', 'g722']);
const legOf = (kind: string) => [...LEGS, audioSocketLeg].find((leg) => leg.kind === kind)!;

const VALUES = { mulaw: MULAW_VALUES, alaw: ALAW_VALUES };
function samplesOf(format: 'mulaw' | 'alaw' | 'raw', bytes: Buffer): number[] {
  if (format === 'raw') return Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readInt16LE(2 * at));
  return Array.from(bytes, (byte) => VALUES[format][byte]!);
}
/** The amplitude of the tone in the middle of what was heard, 0…1. */
function levelOf(samples: readonly number[], sampleRate: number): number {
  const period = sampleRate / HZ;
  const from = Math.round(200 * (sampleRate / 1000));
  const count = Math.round(200 * period);
  let [real, imaginary] = [0, 0];
  for (let at = 0; at < count; at += 1) {
    real += samples[from + at]! * Math.cos((2 * Math.PI * at) / period);
    imaginary += samples[from + at]! * Math.sin((2 * Math.PI * at) / period);
  }
  return (2 * Math.hypot(real, imaginary)) / count / 32_768;
}

const ALL = Object.keys(CARRIERS).flatMap((kind) => codecsOf(kind).map((codec) => [kind, codec] as const));

describe('a call', () => {
  it.each(ALL.filter(([, codec]) => !UNSERVED.has(codec)))(
    'of %s in %s hears a whole turn',
    async (kind, codec) => {
      const carrier = carrierIn(kind, codec)!;
      const { audio, rules } = carrier;
      const call = await startPhoneCall({
        leg: legOf(kind),
        side: carrier.side(),
        rules,
        auto: speech(TURN_MS),
      });
      expect(call.live.said('attached')).toMatchObject([{ kind, ...audio }]);
      speak(call, 'a');
      await call.live.run(3000);
      expect(call.live.said('heard', 'a')).toMatchObject([{ remainingText: '' }]);
      expect(call.heardMs()).toBeGreaterThanOrEqual(TURN_MS);
      const level = levelOf(samplesOf(audio.format, heardBytes(call)), audio.sampleRate);
      expect(level).toBeGreaterThan(0.28);
      expect(level).toBeLessThan(0.32);
      expect(call.carrier.faults).toEqual([]);
    },
  );

  it.each(ALL.filter(([, codec]) => UNSERVED.has(codec)))(
    'of %s in %s is closed by a code that says so',
    async (kind, codec) => {
      const carrier = carrierIn(kind, codec)!;
      const { rules } = carrier;
      const closed: (readonly [number, string])[] = [];
      const call = await startPhoneCall({
        leg: legOf(kind),
        side: carrier.side(),
        rules,
        onClose: (...close) => closed.push(close),
      });
      expect(closed.map(([code]) => code)).toEqual([4415]);
      expect(closed[0]![1]).toMatch(
        new RegExp(`^leg_codec: ${codec}.* came; served: PCMU, PCMA, L16 of 8000`),
      );
      expect(call.live.said('error')).toMatchObject([{ code: 'leg_codec' }]);
      expect(await call.carrier.closed).toBe(4415);
    },
  );

  it('of every platform has a list, and the usual codec stands first', () => {
    for (const [kind, { audio }] of Object.entries(CARRIERS))
      expect(carrierIn(kind, codecsOf(kind)[0]!)!.audio).toEqual(audio);
    expect(carrierIn('twilio', 'constructor')).toBeUndefined();
    expect(carrierIn('none', 'mulaw')).toBeUndefined();
  });

  it('that says late what it is begins then', async () => {
    const call = await startPhoneCall({
      lateness: { startMs: 1200, firstFrameMs: 300 },
      auto: speech(TURN_MS),
      attach: { inbound: 'forward' },
    });
    await call.live.run(1100);
    expect(call.live.said('attached')).toEqual([]);
    await call.live.run(200);
    expect(call.live.said('attached')).toHaveLength(1);
    expect(call.live.said('inbound')).toEqual([]);
    await call.live.run(300);
    expect(call.live.said('inbound').length).toBeGreaterThan(3);
    speak(call, 'a');
    await call.live.run(2500);
    expect(call.heardMs()).toBeGreaterThanOrEqual(TURN_MS);
    expect(call.carrier.faults).toEqual([]);
  });
});
