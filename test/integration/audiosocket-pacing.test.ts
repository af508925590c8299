// A call over AudioSocket beside a real session core in simulated time: what the caller hears of a turn that is cut, of
// turns that follow each other, and of one whose speech comes in fits and starts.
import { describe, expect, it } from 'vitest';
import { audioSocketLeg } from '../../src/legs/audiosocket-leg.ts';
import { createAudioSocketSide } from '../../testkit/carriers/audiosocket-side.ts';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import type { MemoryRequest } from '../support/memory-upstream.ts';
import { type PhoneCall, startPhoneCall } from '../support/phone-call.ts';
import { toneMp3 } from '../support/tone-speech.ts';

const LEAD_MS = 60;
const FADE_MS = 8;
const DELAY_MS = 2;
const FRAME_MS = 20;
const TURN_MS = 2000;
const LOUD = 1000;

const call = (
  auto = (request: MemoryRequest) => {
    request.send(toneMp3(500, TURN_MS));
    request.end();
  },
) =>
  startPhoneCall({
    leg: audioSocketLeg,
    side: createAudioSocketSide(),
    rules: CARRIERS.audiosocket!.rules,
    delayMs: DELAY_MS,
    auto,
  });
/** Windows of 4 ms, two periods of the tone, in which it is heard. */
const audibleMs = ({ carrier }: PhoneCall, fromMs = 0): number => {
  const blocks = carrier.playout.heard.filter(({ atMs }) => atMs >= fromMs);
  const audio = Buffer.concat(blocks.map(({ bytes }) => bytes));
  let ms = 0;
  for (let at = 0; at + 64 <= audio.length; at += 64) {
    let peak = 0;
    for (let byte = at; byte < at + 64; byte += 2) peak = Math.max(peak, Math.abs(audio.readInt16LE(byte)));
    if (peak > LOUD) ms += 4;
  }
  return ms;
};

describe('a call over AudioSocket', () => {
  it('hears a turn without a gap, no more than the lead ahead', async () => {
    const phone = await call();
    phone.live.send({ type: 'speak', turn: 'a', text: 'One.' });
    await phone.live.run(3000);
    expect(audibleMs(phone)).toBeGreaterThanOrEqual(TURN_MS - FRAME_MS);
    expect(phone.carrier.playout.gaps).toEqual([]);
    expect(phone.carrier.playout.mostAheadMs()).toBeLessThanOrEqual(LEAD_MS);
    expect(phone.live.said('heard', 'a')).toMatchObject([{ playedBy: 'clock', remainingText: '' }]);
    expect(phone.carrier.faults).toEqual([]);
  });

  it.each([130, 611, 1003, 1507])(
    'is silent within the lead and a fade after a cut at %i ms',
    async (cutMs) => {
      const phone = await call();
      phone.live.send({ type: 'speak', turn: 'a', text: 'One.' });
      await phone.live.run(cutMs);
      phone.live.send({ type: 'cancel', turn: 'a' });
      const atMs = phone.live.clock.now();
      await phone.live.run(1000);
      const audible = audibleMs(phone, atMs - FRAME_MS);
      expect(audible).toBeLessThanOrEqual(LEAD_MS + FADE_MS + FRAME_MS + 2 * DELAY_MS);
      // The last frame falls silent: nothing else is heard that is not told.
      const [heard] = phone.live.said('heard', 'a');
      expect(heard).toMatchObject({ playedBy: 'clock' });
      expect(phone.heardMs() - heard!.playedMs).toBeGreaterThanOrEqual(0);
      expect(phone.heardMs() - heard!.playedMs).toBeLessThanOrEqual(FRAME_MS);
      expect(phone.carrier.faults).toEqual([]);
    },
  );

  it('is told truly what was heard of each turn, one cut upon another', async () => {
    const phone = await call();
    const afterMs = [400, 90, 333, 21, 1700, 64, 777];
    for (const [round, ms] of afterMs.entries()) {
      const beforeMs = phone.heardMs();
      phone.live.send({ type: 'speak', turn: `t${round}`, text: 'One.' });
      await phone.live.run(ms);
      phone.live.send({ type: 'cancel' });
      // Far enough for the far side to play what it has, and not so far that the next one begins anew.
      await phone.live.run(round % 2 === 0 ? 200 : 100);
      const [{ playedMs }, { sentMs }] = [
        phone.live.said('heard', `t${round}`)[0]!,
        phone.live.said('ended', `t${round}`)[0]!,
      ];
      expect(playedMs).toBeLessThanOrEqual(sentMs);
      expect(phone.heardMs() - beforeMs - playedMs).toBeGreaterThanOrEqual(0);
      expect(phone.heardMs() - beforeMs - playedMs).toBeLessThanOrEqual(FRAME_MS);
    }
    expect(phone.carrier.faults).toEqual([]);
  });

  it('is told the whole of a turn whose end was on its way when all was cut', async () => {
    const phone = await call();
    for (const turn of ['a', 'b']) phone.live.send({ type: 'speak', turn, text: 'One.' });
    await phone.live.run(TURN_MS + 30);
    const { sentMs } = phone.live.said('ended', 'a')[0]!;
    phone.live.send({ type: 'cancel' });
    await phone.live.run(500);
    const told = ['a', 'b'].map((turn) => phone.live.said('heard', turn)[0]!);
    expect(told[0]).toMatchObject({ remainingText: '' });
    expect(Math.abs(told[0]!.playedMs - sentMs)).toBeLessThanOrEqual(1);
    const toldMs = FRAME_MS * Math.ceil(told[0]!.playedMs / FRAME_MS) + told[1]!.playedMs;
    expect(phone.heardMs() - toldMs).toBeGreaterThanOrEqual(0);
    expect(phone.heardMs() - toldMs).toBeLessThanOrEqual(FRAME_MS);
  });

  it('does not fall behind by cuts: after ten the caller still hears each turn whole and at once', async () => {
    const phone = await call();
    for (let round = 0; round < 10; round += 1) {
      for (const turn of ['a', 'b'])
        phone.live.send({ type: 'speak', turn: `${turn}${round}`, text: 'One.' });
      await phone.live.run(700);
      phone.live.send({ type: 'cancel', turn: `a${round}` });
      const before = audibleMs(phone);
      await phone.live.run(300);
      expect(audibleMs(phone) - before).toBeGreaterThanOrEqual(300 - 2 * FRAME_MS);
      await phone.live.run(3000);
      expect(audibleMs(phone) - before).toBeGreaterThanOrEqual(TURN_MS - FRAME_MS);
    }
    expect(phone.carrier.playout.mostAheadMs()).toBeLessThanOrEqual(LEAD_MS);
    expect(phone.carrier.faults).toEqual([]);
  });

  it.each([500, 703, 1111])(
    'hears a goodbye to its end behind a turn that is cut at %i ms',
    async (cutMs) => {
      const goodbye = async (end: 'hung up' | 'left open') => {
        const phone = await call();
        for (const turn of ['a', 'b']) phone.live.send({ type: 'speak', turn, text: 'One.' });
        if (end === 'hung up') phone.live.send({ type: 'hangup', after: 'b' });
        await phone.live.run(cutMs);
        phone.live.send({ type: 'cancel', turn: 'a' });
        await phone.live.run(4000);
        expect(phone.live.said('detached').map(({ reason }) => reason)).toEqual(
          end === 'hung up' ? [end] : [],
        );
        expect(phone.carrier.faults).toEqual([]);
        return audibleMs(phone);
      };
      expect(await goodbye('hung up')).toBe(await goodbye('left open'));
    },
  );

  it('hears silence, and no gap in the line, while the speech of a turn is late', async () => {
    const requests: MemoryRequest[] = [];
    const phone = await call((request) => void requests.push(request));
    phone.live.send({ type: 'speak', turn: 'a', text: 'One.' });
    await phone.live.run(50);
    requests[0]!.send(toneMp3(500, 400));
    await phone.live.run(900);
    requests[0]!.send(toneMp3(500, 400));
    requests[0]!.end();
    await phone.live.run(1500);
    expect(phone.live.said('underrun', 'a').length).toBeGreaterThanOrEqual(1);
    expect(phone.carrier.playout.gaps.filter(({ ms }) => ms > 10)).toEqual([]);
    expect(phone.heardMs()).toBeGreaterThanOrEqual(1250);
    expect(phone.carrier.playout.mostAheadMs()).toBeLessThanOrEqual(LEAD_MS);
    expect(phone.carrier.faults).toEqual([]);
  });
});
