// Faults that others have had with barge-in and with telling what was heard, each as a test: the real session core and leg
// before a simulated carrier, in simulated time. Reports are named where they are public.
import { describe, expect, it } from 'vitest';
import { LEGS } from '../../src/legs/legs.ts';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { createTwilioSide } from '../../testkit/carriers/twilio-side.ts';
import { type PhoneCall, startPhoneCall } from '../support/phone-call.ts';
import { HZ, heardBytes, speak, speech } from '../support/spoken-tone.ts';
import { toneMs } from '../support/tone-speech.ts';

describe('clear', () => {
  it('goes out when every byte had been sent before the interrupt (openai-agents-js#1173)', async () => {
    const call = await startPhoneCall({ auto: speech(1000) });
    speak(call, 'a');
    await call.live.run(900);
    expect(call.live.said('ended')).toMatchObject([{ outcome: 'complete' }]);
    call.live.send({ type: 'cancel' });
    await call.live.run(1000);
    expect(call.clearedAtMs).toHaveLength(1);
    expect(call.heardMs()).toBeLessThan(940);
    expect(call.live.said('heard')[0]!.playedMs).toBeLessThanOrEqual(call.heardMs());
  });

  it.each([2, 40])(
    'of a turn that waits does not touch the one that plays: every byte once, %i ms away',
    async (delayMs) => {
      const heard = async (cancel: 'b' | 'nothing') => {
        const call = await startPhoneCall({ auto: speech(2000), delayMs });
        speak(call, 'a');
        speak(call, 'b');
        await call.live.run(777);
        if (cancel === 'b') call.live.send({ type: 'cancel', turn: 'b' });
        await call.live.run(1200);
        const bytes = heardBytes(call);
        await call.live.run(3000);
        return { bytes, all: heardBytes(call), clears: call.clearedAtMs.length };
      };
      const [cut, whole] = [await heard('b'), await heard('nothing')];
      expect(cut.bytes.equals(whole.bytes)).toBe(true);
      expect(cut.clears).toBe(0);
      expect(toneMs(cut.all, HZ)).toBeLessThanOrEqual(2020);
    },
  );

  it.each(LEGS.filter((leg) => Object.hasOwn(CARRIERS, leg.kind) && leg.open().clear !== undefined))(
    'goes out on the leg $kind, and it is silent then (cloudflare/agents#2261)',
    async (leg) => {
      const carrier = CARRIERS[leg.kind]!;
      const { rules, audio } = carrier;
      const call = await startPhoneCall({ auto: speech(4000), leg, side: carrier.side(), rules });
      speak(call, 'a');
      await call.live.run(1500);
      expect(call.heardMs()).toBeGreaterThan(1000);
      call.live.send({ type: 'cancel' });
      await call.live.run(100);
      const heardMs = call.heardMs();
      await call.live.run(3000);
      expect(call.clearedAtMs).toHaveLength(1);
      expect(call.heardMs()).toBe(heardMs);
      expect(heardMs).toBeLessThanOrEqual(1560);
      expect(call.carrier.faults).toEqual([]);
      expect(call.live.said('attached')).toMatchObject([audio]);
    },
  );

  it('is followed by the echoes of eleven marks, and none counts for what comes then (vellum-assistant#38316)', async () => {
    // On a long line marks are under way for seconds.
    const call = await startPhoneCall({ auto: speech(4000), delayMs: 1300 });
    speak(call, 'a');
    await call.live.run(2500);
    call.live.send({ type: 'cancel', turn: 'a' });
    const [{ playedMs }, { sentMs }] = [call.live.said('heard')[0]!, call.live.said('ended')[0]!];
    expect(playedMs).toBeLessThanOrEqual(sentMs);
    await call.live.run(1299);
    expect(call.carrier.report().marks.sent).toBe(11);
    speak(call, 'b');
    call.live.send({ type: 'hangup', after: 'b' });
    await call.live.run(1400);
    expect(call.carrier.report().marks.echoed).toBeGreaterThanOrEqual(11);
    // All marks of the turn that was cut are back by now; the other one goes on.
    expect(call.live.said('detached')).toEqual([]);
    expect(call.live.said('heard')).toHaveLength(1);
  });
});

describe('what was heard', () => {
  it('is never more than was sent, be marks echoed before anything is played (openclaw#125502)', async () => {
    const side = createTwilioSide();
    let call: PhoneCall | undefined;
    const hasty = {
      ...side,
      read(frame: string | Uint8Array) {
        const order = side.read(frame);
        if (order.kind === 'mark')
          for (const echo of side.mark(order.name, 'played')) call!.connection.receive(echo);
        return order;
      },
    };
    call = await startPhoneCall({ auto: speech(3000), side: hasty });
    for (const [turn, ms] of [
      ['a', 250],
      ['b', 700],
      ['c', 1400],
    ] as const) {
      speak(call, turn);
      await call.live.run(ms);
      call.live.send({ type: 'cancel', turn });
      await call.live.run(50);
      const [{ playedMs }, { sentMs }] = [
        call.live.said('heard', turn)[0]!,
        call.live.said('ended', turn)[0]!,
      ];
      expect(playedMs).toBeLessThanOrEqual(sentMs);
      expect(playedMs).toBeGreaterThan(0);
    }
  });
});
