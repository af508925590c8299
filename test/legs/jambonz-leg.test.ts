// jambonz: the contract of all legs at each rate, and what is its own.
import { describe, expect, it } from 'vitest';
import { jambonzLeg } from '../../src/legs/jambonz-leg.ts';
import type { LegAudio } from '../../src/legs/leg.ts';
import { createLegPlayout } from '../../src/playout/leg-playout.ts';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { createJambonzSide } from '../../testkit/carriers/jambonz-side.ts';
import { legContract, takesMalformedFrames } from '../conformance/leg-contract.ts';

for (const sampleRate of [8000, 16_000, 24_000, 48_000]) {
  const audio: LegAudio = { format: 'raw', sampleRate };
  legContract(`jambonz at ${sampleRate} Hz`, {
    leg: jambonzLeg,
    audio,
    side: () => createJambonzSide(audio),
    fate: 'played',
  });
}

takesMalformedFrames({ leg: jambonzLeg, ...CARRIERS.jambonz!, fate: 'played' });

const metadata = (fields: object) => JSON.stringify({ callSid: 'c', sampleRate: 8000, ...fields });

describe('a call of jambonz', () => {
  it('brings its token among the attributes of the call, or below metadata', () => {
    expect(jambonzLeg.open().read(metadata({ token: 't' }))).toMatchObject([{ token: 't' }]);
    expect(jambonzLeg.open().read(metadata({ metadata: { token: 't' } }))).toMatchObject([{ token: 't' }]);
  });

  it('is not served in stereo and at rates that cannot be made', () => {
    for (const fields of [{ mixType: 'stereo' }, { mixType: 'mixed' }, { sampleRate: 64_001 }])
      expect(jambonzLeg.open().read(metadata(fields))).toMatchObject([{ kind: 'unserved' }]);
  });

  it('is never sent the sample that counts as a mark', () => {
    const codec = jambonzLeg.open();
    codec.read(metadata({}));
    const samples = new Uint8Array(Int16Array.of(5, -1, -2, 255, -256, -1).buffer);
    const [sent] = codec.media(samples) as [Uint8Array];
    expect([...new Int16Array(sent.slice().buffer)]).toEqual([5, 0, -2, 255, -256, 0]);
    expect([...new Int16Array(samples.buffer)][1]).toBe(-1);
  });

  it('has 30 marks on their way and no more', () => {
    const audio: LegAudio = { format: 'raw', sampleRate: 8000 };
    const codec = jambonzLeg.open();
    const side = createJambonzSide(audio);
    for (const frame of side.open({ callId: 'c', token: undefined })) codec.read(frame);
    const orders: string[] = [];
    const playout = createLegPlayout({
      codec,
      send: (frame) => void orders.push(side.read(frame).kind),
      onPlayed() {},
      bytesPerMs: 16,
      silence: Uint8Array.of(0, 0),
      nowMs: () => 0,
    });
    for (let at = 0; at < 40; at += 1)
      playout.play({ turn: 'a', atMs: at * 200, ms: 200, bytes: new Uint8Array(3200) });
    expect(orders.filter((kind) => kind === 'mark')).toHaveLength(30);
    expect(orders).not.toContain('fault');
    side.mark('0.1', 'played');
    playout.marked('0.1', 'played');
    playout.play({ turn: 'a', atMs: 8000, ms: 200, bytes: new Uint8Array(3200) });
    expect(orders.filter((kind) => kind === 'mark')).toHaveLength(31);
    expect(orders).not.toContain('fault');
  });
});
