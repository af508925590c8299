// A bot that says its greeting right behind `attach`, on every kind of leg, however late the call comes: the real session
// core, broker, leg connections and codecs, in simulated time. The far side hears it whole and in order, the bot's own socket
// gets nothing of it, and where no call comes nothing is told as heard.
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/app-error.ts';
import { createLocalLegRegistry } from '../../src/gateway/calls/local-leg-registry.ts';
import { audioSocketLeg } from '../../src/legs/audiosocket-leg.ts';
import { LEGS } from '../../src/legs/legs.ts';
import type { LegBroker } from '../../src/session/leg-broker.ts';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { startSession } from '../support/live-session.ts';
import { startPhoneCall } from '../support/phone-call.ts';
import { speech } from '../support/spoken-tone.ts';

const GREETING_MS = 1000;
const KINDS = [...LEGS, audioSocketLeg];

const greet = (live: { send(message: Record<string, unknown>): void }) => {
  live.send({ type: 'speak', turn: 'a', text: 'Good morning, this is the office.' });
  live.send({ type: 'append', turn: 'b', text: 'How can ' });
  live.send({ type: 'append', turn: 'b', text: 'I help you?' });
  live.send({ type: 'end', turn: 'b' });
};

describe.each(KINDS.map((leg) => [leg.kind, leg] as const))('on a leg of %s', (kind, leg) => {
  const call = (callAfterMs: number, attach: Record<string, unknown> = {}) => {
    const carrier = CARRIERS[kind]!;
    return startPhoneCall({
      leg,
      side: carrier.side(),
      rules: carrier.rules,
      attach,
      auto: speech(GREETING_MS),
      awaited: { say: greet, callAfterMs },
    });
  };

  it.each([0, 300, 2000, 5000, 9900])(
    'what is said at once is heard by a call that comes after %i ms',
    async (ms) => {
      const phone = await call(ms);
      const { live, carrier } = phone;
      await live.run(4000);
      expect(phone.heardMs()).toBeGreaterThanOrEqual(2 * GREETING_MS);
      expect(live.said('error')).toEqual([]);
      for (const turn of ['a', 'b']) {
        expect(live.said('ended', turn)).toMatchObject([{ outcome: 'complete' }]);
        expect(live.said('heard', turn)).toMatchObject([{ remainingText: '' }]);
        expect(live.frames(turn)).toEqual([]);
      }
      expect(live.said('heard').map(({ turn }) => turn)).toEqual(['a', 'b']);
      expect(live.said('heard', 'b')).toMatchObject([{ spokenText: 'How can I help you?' }]);
      expect(carrier.faults).toEqual([]);
    },
  );

  it('comes to the bot as well with monitor', async () => {
    const { live } = await call(300, { monitor: true });
    await live.run(4000);
    expect(live.frames('a').length).toBeGreaterThan(40);
    expect(live.frames('b').length).toBeGreaterThan(40);
  });
});

describe('when no call comes', () => {
  it.each([
    ['within ten seconds', 10_000],
    ['because another session has it', 50],
  ])('%s each turn fails, and none is told as heard', async (why, ms) => {
    const legs: LegBroker = {
      tokenFor: () => 'token',
      attach(...asked) {
        if (ms === 10_000) return broker.attach(...asked);
        asked[2].onRefused(new AppError('leg_not_found', why));
        return () => {};
      },
    };
    const live = startSession({ auto: speech(GREETING_MS), legs });
    const broker = createLocalLegRegistry(live.clock, { tokenFor: () => 'token', userOf: () => 'anna' });
    live.send({ type: 'attach', leg: { callSid: 'CA1' } });
    greet(live);
    await live.run(ms - 1);
    expect([live.said('error'), live.said('ended')]).toEqual([[], []]);
    await live.run(1);
    expect(live.said('error').map(({ code, turn }) => `${code} ${turn}`)).toEqual([
      'leg_not_found undefined',
      'leg_not_found a',
      'leg_not_found b',
    ]);
    expect(live.said('ended').map(({ turn, outcome }) => `${turn} ${outcome}`)).toEqual([
      'a failed',
      'b failed',
    ]);
    // What is said when that is known is for the client again.
    live.send({ type: 'speak', turn: 'c', text: 'Nobody is there.' });
    await live.run(5000);
    expect(live.said('heard').map(({ turn }) => turn)).toEqual(['c']);
    expect([live.frames('a'), live.frames('b')]).toEqual([[], []]);
    expect(live.upstream.requests).toHaveLength(1);
  });
});
