// Faults that others who play speech to phone calls have had, each as a test: the real session core and leg before a
// simulated carrier, in simulated time. Reports are named where they are public.
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import { seededNumbers } from '../../src/base/seeded-numbers.ts';
import { audioSocketLeg } from '../../src/legs/audiosocket-leg.ts';
import { LEGS } from '../../src/legs/legs.ts';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { createTwilioSide } from '../../testkit/carriers/twilio-side.ts';
import { atOnce, type MemoryRequest } from '../support/memory-upstream.ts';
import { type PhoneCall, startPhoneCall } from '../support/phone-call.ts';
import { HZ, heardBytes, speak, speech } from '../support/spoken-tone.ts';
import { toneMp3, toneMs } from '../support/tone-speech.ts';

/** Sends `bytes` in pieces whose lengths repeat `sizes`, some each `everyMs`. */
const inPieces = (bytes: Uint8Array, sizes: readonly number[], clock: () => Clock, bytesPerMs: number) => {
  return (request: MemoryRequest) => {
    let at = 0;
    let turn = 0;
    const sendSome = () => {
      const end = at + 20 * bytesPerMs;
      while (at < Math.min(end, bytes.length)) {
        const size = sizes[turn % sizes.length]!;
        request.send(bytes.subarray(at, at + size));
        at += size;
        turn += 1;
      }
      if (at < bytes.length) clock().after(20, sendSome);
      else request.end();
    };
    sendSome();
  };
};

/** Ticks come late, by up to `mostMs`, now and then. */
const lateClock =
  (mostMs: number, share: number) =>
  (clock: Clock): Clock => {
    const random = seededNumbers(7, mostMs);
    return {
      ...clock,
      after: (delayMs, task) => clock.after(delayMs + (random() < share ? mostMs * random() : 0), task),
    };
  };

describe('pacing', () => {
  it('is by what comes out of the resampler, not by what goes in (pipecat#5592)', async () => {
    const sound = toneMp3(HZ, 6000);
    let call: PhoneCall | undefined;
    // Three times as fast as it plays, in pieces of all sizes: many of them give no sample at all.
    const auto = inPieces(sound, [1, 3, 159, 161, 47], () => call!.live.clock, 24);
    call = await startPhoneCall({ auto });
    speak(call, 'a');
    for (let second = 1; second <= 5; second += 1) {
      await call.live.run(1000);
      expect(call.heardMs()).toBeGreaterThanOrEqual(second * 1000 - 120);
      expect(call.heardMs()).toBeLessThanOrEqual(second * 1000);
    }
    await call.live.run(2000);
    expect(call.carrier.playout.mostAheadMs()).toBeLessThanOrEqual(220);
    expect(call.carrier.playout.gaps).toEqual([]);
  });

  it.each([10, 25, 50])(
    'has no gap when the event loop stalls for up to %i ms (pipecat#3315)',
    async (mostMs) => {
      const call = await startPhoneCall({ auto: speech(8000), tickClock: lateClock(mostMs, 0.3) });
      speak(call, 'a');
      await call.live.run(10_000);
      expect(call.heardMs()).toBeGreaterThan(7900);
      expect(call.carrier.playout.gaps).toEqual([]);
      expect(call.live.figures.underrunGapsMs).toEqual([]);
    },
  );

  it('does not drift: a minute of speech is heard within a frame of a minute (openclaw#119070)', async () => {
    const call = await startPhoneCall({ auto: speech(65_000), tickClock: lateClock(4, 1) });
    speak(call, 'a');
    await call.live.run(1000);
    const beforeMs = call.heardMs();
    await call.live.run(60_000);
    expect(Math.abs(call.heardMs() - beforeMs - 60_000)).toBeLessThanOrEqual(20);
    expect(call.carrier.playout.gaps).toEqual([]);
    expect(call.carrier.playout.mostAheadMs()).toBeLessThanOrEqual(280);
  });

  it('does not over-feed a far side that plays slowly (bolna#621)', async () => {
    const slowly = (clock: Clock): Clock => ({ ...clock, now: () => clock.now() * 0.8 });
    const call = await startPhoneCall({ auto: speech(40_000), carrierClock: slowly });
    speak(call, 'a');
    await call.live.run(30_000);
    expect(call.carrier.playout.mostAheadMs()).toBeLessThanOrEqual(2500);
    await call.live.run(60_000);
    expect(call.carrier.playout.gaps).toEqual([]);
    expect(call.heardMs()).toBeGreaterThan(39_900);
    expect(call.live.said('heard')).toMatchObject([{ turn: 'a', playedBy: 'mark', remainingText: '' }]);
  });

  it('goes on by the clock when marks stop coming back', async () => {
    const side = createTwilioSide();
    let marks = 0;
    const forgetful = {
      ...side,
      mark: (...mark: Parameters<typeof side.mark>) => (++marks > 3 ? [] : side.mark(...mark)),
    };
    const call = await startPhoneCall({ auto: speech(12_000), side: forgetful });
    speak(call, 'a');
    await call.live.run(16_000);
    expect(call.carrier.playout.gaps).toEqual([]);
    expect(call.heardMs()).toBeGreaterThan(11_900);
    expect(call.live.said('heard')).toHaveLength(1);
  });
});

describe('chunks of the upstream', () => {
  it.each([
    [[1], 0],
    [[3], 0],
    [[159], 0],
    [[161], 0],
    [[1, 997, 3, 161, 4096], 8],
  ])(
    'of %j bytes are heard as the same bytes, without a gap (openai-agents-python#1906, openclaw#125620)',
    async (sizes, perMs) => {
      const sound = toneMp3(HZ, 1500);
      const whole = await startPhoneCall({ auto: atOnce(() => sound) });
      speak(whole, 'a');
      await whole.live.run(3000);
      let call: PhoneCall | undefined;
      call = await startPhoneCall({ auto: inPieces(sound, sizes, () => call!.live.clock, perMs || 1e6) });
      speak(call, 'a');
      await call.live.run(4000);
      expect(heardBytes(whole).length).toBeGreaterThan(1400 * 8);
      expect(heardBytes(call).equals(heardBytes(whole))).toBe(true);
      expect(call.carrier.playout.gaps).toEqual([]);
    },
  );

  it.each(Object.keys(CARRIERS))(
    'are heard to the last syllable while the caller of %s waits for more text',
    async (kind) => {
      const carrier = CARRIERS[kind]!;
      const leg = [...LEGS, audioSocketLeg].find((each) => each.kind === kind)!;
      const call = await startPhoneCall({
        auto: speech(730),
        leg,
        side: carrier.side(),
        rules: carrier.rules,
      });
      call.live.send({ type: 'append', turn: 'a', text: 'One two three four five.' });
      call.live.send({ type: 'flush', turn: 'a' });
      await call.live.run(1600);
      expect(call.live.said('flushed')).toHaveLength(1);
      expect(call.live.said('ended')).toEqual([]);
      expect(call.heardMs()).toBeGreaterThanOrEqual(730);
      call.live.send({ type: 'append', turn: 'a', text: 'Six seven eight nine ten.' });
      call.live.send({ type: 'end', turn: 'a' });
      await call.live.run(2500);
      const { sentMs } = call.live.said('ended')[0]!;
      expect(sentMs).toBeGreaterThanOrEqual(1460);
      expect(call.heardMs()).toBeGreaterThanOrEqual(sentMs);
      expect(call.live.said('heard')).toMatchObject([{ remainingText: '' }]);
      expect(call.carrier.faults).toEqual([]);
    },
  );

  it('end with the turn: not a sample is lost, and the last message is a whole step', async () => {
    const sound = toneMp3(HZ, 1234);
    const call = await startPhoneCall({ auto: atOnce(() => sound) });
    speak(call, 'a');
    await call.live.run(3000);
    const { audioMs } = call.live.said('ended')[0]!;
    expect(audioMs).toBeGreaterThanOrEqual(1234);
    expect(heardBytes(call).length).toBe(Math.ceil(audioMs / 20) * 160);
  });
});

describe('the end of a call', () => {
  it('does not cut off the goodbye (vellum-assistant#38339)', async () => {
    const call = await startPhoneCall({ auto: speech(2000), delayMs: 60 });
    let closedAtMs = 0;
    void call.carrier.closed.then(() => {
      closedAtMs = call.live.clock.now();
    });
    speak(call, 'goodbye');
    call.live.send({ type: 'hangup', after: 'goodbye' });
    await call.live.run(5000);
    expect(closedAtMs).toBeGreaterThan(0);
    expect(Math.abs(toneMs(heardBytes(call), HZ) - 2000)).toBeLessThanOrEqual(20);
    expect(call.live.said('heard')).toMatchObject([{ turn: 'goodbye', remainingText: '' }]);
    expect(call.live.said('detached')).toMatchObject([{ reason: 'hung up' }]);
  });

  it('comes within ten seconds when the far side takes nothing any more (bolna OUTPUT_SEND_TIMEOUT)', async () => {
    let bufferedBytes = 0;
    const call = await startPhoneCall({ auto: speech(4000), bufferedBytes: () => bufferedBytes });
    speak(call, 'a');
    await call.live.run(1000);
    const { clock } = call.live;
    bufferedBytes = 1_000_000;
    const sentMs = () => call.live.said('ended')[0]?.sentMs;
    for (let second = 0; second < 9; second += 1) {
      call.connection.sweep(clock.now());
      await call.live.run(1000);
    }
    expect(call.live.said('detached')).toEqual([]);
    for (let second = 0; second < 3; second += 1) {
      call.connection.sweep(clock.now());
      await call.live.run(1000);
    }
    expect(call.live.said('detached')).toMatchObject([{ reason: 'the far side takes nothing' }]);
    expect(call.live.said('ended')).toMatchObject([{ outcome: 'truncated' }]);
    // Nothing was sent into a full socket.
    expect(sentMs()).toBeLessThanOrEqual(1300);
    expect(clock.timers).toBe(0);
  });
});
