// Where sessions and legs meet: whoever comes first, of the same user only, one session a leg.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttachTokens } from '../../../src/access/attach-tokens.ts';
import { createLocalLegRegistry, type LegPlace } from '../../../src/gateway/calls/local-leg-registry.ts';
import type { LegListener } from '../../../src/playout/call-leg.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { silentLeg } from '../../support/silent-leg.ts';
import '../../support/property-seed.ts';

const TOKENS: AttachTokens = { tokenFor: (user, session) => `${user}.${session}`, userOf: () => undefined };
const legOf = (callId: string | undefined, id = `leg of ${callId}`) =>
  silentLeg({
    id,
    kind: 'twilio',
    callId,
    audio: () => ({ format: 'mulaw', sampleRate: 8000 }),
    leadMs: 200,
    reports: 'marks',
  });

function start() {
  const clock = createFakeClock();
  const registry = createLocalLegRegistry(clock, TOKENS);
  const forsaken: (string | undefined)[] = [];
  return {
    clock,
    registry,
    /** Calls that no session has had for too long. */
    forsaken,
    arrive: (userId: string, callId: string | undefined, token?: string) =>
      registry.arrive({
        leg: legOf(callId),
        userId,
        token,
        onUnclaimed() {},
        onForsaken: () => void forsaken.push(callId),
      }),
    /** Asks for a leg, and remembers what came of it. */
    attach: (userId: string, wanted: { callSid?: string; token?: string }) => {
      const told: string[] = [];
      const listener: LegListener = {
        onPlayed() {},
        onAudio() {},
        onDigit() {},
        onAudioChanged() {},
        onGone: (reason) => void told.push(`gone: ${reason}`),
      };
      const giveUp = registry.attach(userId, wanted, {
        onAttached(leg) {
          told.push(`attached ${leg.callId}`);
          return listener;
        },
        onRefused: ({ code }) => void told.push(code),
      });
      return { told, listener, giveUp };
    },
  };
}

it('tells of the calls that are there, whose they are and for how long', () => {
  const { clock, registry, arrive, attach } = start();
  const place = arrive('anna', 'CA1');
  clock.advance(1500);
  registry.arrive({
    leg: legOf(undefined, 'leg 2'),
    userId: undefined,
    token: undefined,
    onUnclaimed() {},
    onForsaken() {},
  });
  attach('anna', { callSid: 'CA1' });
  expect(registry.calls()).toEqual([
    { id: 'leg of CA1', kind: 'twilio', callSid: 'CA1', tenant: 'anna', ageMs: 1500 },
    { id: 'leg 2', kind: 'twilio', ageMs: 0 },
  ]);
  place.leave('over');
  expect(registry.calls().map(({ id }) => id)).toEqual(['leg 2']);
});

describe('the registry of legs', () => {
  it('gives a leg at once that is there', () => {
    const { arrive, attach } = start();
    const place = arrive('ann', 'CA1');
    const { told, listener } = attach('ann', { callSid: 'CA1' });
    expect(told).toEqual(['attached CA1']);
    expect(place.listener()).toBe(listener);
  });

  it('gives a leg that comes later, by the call or by its token', () => {
    const { clock, arrive, attach } = start();
    const byCall = attach('ann', { callSid: 'CA1' });
    const byToken = attach('ann', { token: 't2' });
    clock.advance(9_900);
    arrive('ann', 'CA1');
    arrive('ann', undefined, 't2');
    clock.advance(60_000);
    expect([byCall.told, byToken.told]).toEqual([['attached CA1'], ['attached undefined']]);
    expect(clock.timers).toBe(0);
  });

  it('lets a leg go that no session has, or has any more, within a minute', () => {
    const { clock, arrive, attach, forsaken } = start();
    arrive('ann', 'CA1');
    const place = arrive('ann', 'CA2');
    attach('ann', { callSid: 'CA2' });
    clock.advance(59_999);
    expect(forsaken).toEqual([]);
    clock.advance(1);
    expect(forsaken).toEqual(['CA1']);
    place.release();
    clock.advance(59_999);
    expect(forsaken).toEqual(['CA1']);
    clock.advance(1);
    expect(forsaken).toEqual(['CA1', 'CA2']);
  });

  it('knows a UUID in capitals', () => {
    const { arrive, attach } = start();
    arrive('ann', '0b8f3c9e-6a2d-4f10-9d57-1c2b3a4d5e6f');
    const { told } = attach('ann', { callSid: '0B8F3C9E-6A2D-4F10-9D57-1C2B3A4D5E6F' });
    expect(told).toEqual(['attached 0b8f3c9e-6a2d-4f10-9d57-1c2b3a4d5e6f']);
  });

  it('refuses after ten seconds, and gives a leg that comes then to nobody', () => {
    const { clock, arrive, attach } = start();
    const { told } = attach('ann', { callSid: 'CA1' });
    clock.advance(9_999);
    expect(told).toEqual([]);
    clock.advance(1);
    expect(told).toEqual(['leg_not_found']);
    expect(arrive('ann', 'CA1').listener()).toBeUndefined();
    expect(told).toEqual(['leg_not_found']);
  });

  it('waits no longer for who has given up', () => {
    const { clock, arrive, attach } = start();
    const { told, giveUp } = attach('ann', { callSid: 'CA1' });
    giveUp();
    const place = arrive('ann', 'CA1');
    clock.advance(20_000);
    expect(told).toEqual([]);
    place.leave('over');
    expect(clock.timers).toBe(0);
  });

  it('never gives a leg to another user, whatever he names and whoever comes first', () => {
    const { clock, arrive, attach } = start();
    const before = [attach('bob', { callSid: 'CA1' }), attach('bob', { token: 't1' })];
    const place = arrive('ann', 'CA1', 't1');
    const after = [attach('bob', { callSid: 'CA1' }), attach('bob', { token: 't1' })];
    clock.advance(10_000);
    expect([...before, ...after].map(({ told }) => told)).toEqual(Array(4).fill(['leg_not_found']));
    expect(place.listener()).toBeUndefined();
  });

  it('does not tell another user that a leg is taken: to him there is none', () => {
    const { clock, arrive, attach } = start();
    arrive('ann', 'CA1');
    attach('ann', { callSid: 'CA1' });
    const { told } = attach('bob', { callSid: 'CA1' });
    expect(told).toEqual([]);
    clock.advance(10_000);
    expect(told).toEqual(['leg_not_found']);
  });

  it('refuses a second session at once, until the first lets the leg go', () => {
    const { arrive, attach } = start();
    const place = arrive('ann', 'CA1');
    attach('ann', { callSid: 'CA1' });
    expect(attach('ann', { callSid: 'CA1' }).told).toEqual(['leg_taken']);
    place.release();
    const again = attach('ann', { callSid: 'CA1' });
    expect(again.told).toEqual(['attached CA1']);
    expect(place.listener()).toBe(again.listener);
  });

  it('gives each of two sessions that wait for one call its own leg', () => {
    const { arrive, attach } = start();
    const waiting = [attach('ann', { callSid: 'CA1' }), attach('ann', { callSid: 'CA1' })];
    const places = [arrive('ann', 'CA1'), arrive('ann', 'CA1')];
    expect(places.map((place) => place.listener())).toEqual(waiting.map(({ listener }) => listener));
  });

  it('tells the session once that the leg is gone, and has it no more', () => {
    const { clock, registry, arrive, attach } = start();
    const place = arrive('ann', 'CA1');
    const { told } = attach('ann', { callSid: 'CA1' });
    place.leave('the call is over');
    place.leave('again');
    expect(told).toEqual(['attached CA1', 'gone: the call is over']);
    expect(registry.legs()).toBe(0);
    const late = attach('ann', { callSid: 'CA1' });
    clock.advance(10_000);
    expect(late.told).toEqual(['leg_not_found']);
  });

  it('keeps two tenants apart in any order of arriving, asking, letting go and leaving', () => {
    const user = fc.constantFrom('ann', 'bob');
    const call = fc.constantFrom('CA1', 'CA2');
    const act = fc.oneof(
      fc.record({ do: fc.constant('arrive' as const), user, call }),
      fc.record({ do: fc.constant('attach' as const), user, call, by: fc.constantFrom('call', 'token') }),
      fc.record({ do: fc.constant('release' as const), index: fc.nat(9) }),
      fc.record({ do: fc.constant('leave' as const), index: fc.nat(9) }),
      fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 6000 }) }),
    );
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
        const { clock, registry, arrive, attach } = start();
        const places: { user: string; place: LegPlace; isThere: boolean }[] = [];
        const asked: { user: string; told: string[]; listener: LegListener }[] = [];
        for (const each of acts) {
          if (each.do === 'arrive')
            places.push({
              user: each.user,
              place: arrive(each.user, each.call, `${each.user}-${each.call}`),
              isThere: true,
            });
          else if (each.do === 'attach') {
            // Each tries the other's names, too.
            const wanted = each.by === 'call' ? { callSid: each.call } : { token: `ann-${each.call}` };
            asked.push({ user: each.user, ...attach(each.user, wanted) });
          } else if (each.do === 'release') places[each.index]?.place.release();
          else if (each.do === 'leave') {
            const found = places[each.index];
            found?.place.leave('gone');
            if (found !== undefined) found.isThere = false;
          } else clock.advance(each.ms);

          const had = places.flatMap(({ user: owner, place }) =>
            place.listener() === undefined ? [] : [{ owner, listener: place.listener() }],
          );
          expect(new Set(had.map(({ listener }) => listener)).size).toBe(had.length);
          for (const { owner, listener } of had)
            expect(asked.find((one) => one.listener === listener)!.user).toBe(owner);
        }
        clock.advance(10_000);
        for (const { told } of asked) expect(told.filter((what) => !what.startsWith('gone'))).toHaveLength(1);
        expect(registry.legs()).toBe(places.filter(({ isThere }) => isThere).length);
      }),
      { numRuns: 300 },
    );
  });
});
