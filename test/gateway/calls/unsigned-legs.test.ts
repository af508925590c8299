// Whose leg is it: sessions and legs in any order, and legs that bring nothing but a UUID.
import { describe, expect, it } from 'vitest';
import { createLocalLegRegistry } from '../../../src/gateway/calls/local-leg-registry.ts';
import type { LegListener } from '../../../src/playout/call-leg.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { silentLeg } from '../../support/silent-leg.ts';

const UUID = '0b8f3c9e-6a2d-4f10-9d57-1c2e3f405162';
const WAIT_MS = 10_000;
const LISTENER: LegListener = { onPlayed() {}, onAudio() {}, onDigit() {}, onAudioChanged() {}, onGone() {} };

const legOf = (callId: string) =>
  silentLeg({
    id: `leg of ${callId}`,
    kind: 'audiosocket',
    callId,
    audio: () => ({ format: 'raw', sampleRate: 8000 }),
    leadMs: 100,
    reports: 'nothing',
  });

function start() {
  const clock = createFakeClock();
  const registry = createLocalLegRegistry(clock, { tokenFor: () => 'token', userOf: () => undefined });
  /** What a session of `user` that asks for `token` has been told. */
  const attach = (user: string, token: string) => {
    const told: string[] = [];
    const giveUp = registry.attach(
      user,
      { token },
      {
        onAttached(leg) {
          told.push(leg.id);
          return LISTENER;
        },
        onRefused: ({ code }) => told.push(code),
      },
    );
    return { told, giveUp };
  };
  const arrive = (token: string, userId?: string) => {
    const leg = legOf(token);
    let unclaimed = 0;
    const place = registry.arrive({
      leg,
      userId,
      token,
      onForsaken() {},
      onUnclaimed() {
        unclaimed += 1;
        place.leave('unclaimed');
      },
    });
    return {
      leg,
      place,
      get unclaimed() {
        return unclaimed;
      },
    };
  };
  return { clock, registry, attach, arrive };
}

describe('a leg that brings a UUID and nothing else', () => {
  it('goes to the session that waits for it, however the UUID is written', () => {
    const { attach, arrive } = start();
    const ann = attach('ann', UUID.toUpperCase());
    const { leg } = arrive(UUID);
    expect(ann.told).toEqual([leg.id]);
  });

  it('waits ten seconds for whoever names it, and goes when nobody has', () => {
    const { clock, registry, attach, arrive } = start();
    const early = arrive(UUID);
    clock.advance(WAIT_MS - 1);
    expect(early.unclaimed).toBe(0);
    clock.advance(1);
    expect(early.unclaimed).toBe(1);
    expect(registry.legs()).toBe(0);
    const late = arrive(UUID);
    clock.advance(WAIT_MS - 1);
    expect(attach('ann', UUID).told).toEqual([late.leg.id]);
    clock.advance(WAIT_MS);
    expect(late.unclaimed).toBe(0);
    expect(clock.timers).toBe(0);
  });

  it('cannot be taken by another tenant who asks as well, before the call', () => {
    const { clock, attach, arrive } = start();
    const ann = attach('ann', UUID);
    const bob = attach('bob', UUID);
    const { leg } = arrive(UUID);
    expect(ann.told).toEqual([leg.id]);
    clock.advance(WAIT_MS);
    expect(bob.told).toEqual(['leg_not_found']);
  });

  it('cannot be taken by another tenant when its owner has given up waiting, or lets it go', () => {
    const { clock, attach, arrive } = start();
    attach('ann', UUID).giveUp();
    const bob = attach('bob', UUID);
    const { leg, place } = arrive(UUID);
    expect(bob.told).toEqual([]);
    const ann = attach('ann', UUID);
    expect(ann.told).toEqual([leg.id]);
    place.release();
    const eve = attach('eve', UUID);
    clock.advance(WAIT_MS);
    expect([...bob.told, ...eve.told]).toEqual(['leg_not_found', 'leg_not_found']);
    expect(attach('ann', UUID).told).toEqual([leg.id]);
  });

  it('stays its owner’s for as long as it lives, however long ago he named it', () => {
    const { clock, attach, arrive } = start();
    attach('ann', UUID);
    const { leg, place } = arrive(UUID);
    clock.advance(3_600_000);
    place.release();
    const bob = attach('bob', UUID);
    clock.advance(WAIT_MS);
    expect(bob.told).toEqual(['leg_not_found']);
    expect(attach('ann', UUID).told).toEqual([leg.id]);
  });

  it('is had by one session at a time', () => {
    const { attach, arrive } = start();
    arrive(UUID);
    attach('ann', UUID);
    expect(attach('ann', UUID).told).toEqual(['leg_taken']);
  });

  it('is its own user’s where everybody here is one', () => {
    const { clock, attach, arrive } = start();
    const { leg } = arrive(UUID, 'local');
    clock.advance(2 * WAIT_MS);
    expect(attach('local', UUID).told).toEqual([leg.id]);
  });

  it('cannot be had by the id of its call before it is anybody’s', () => {
    const { clock, registry, arrive } = start();
    arrive(UUID);
    const refused: string[] = [];
    registry.attach(
      'bob',
      { callSid: UUID },
      {
        onAttached: () => LISTENER,
        onRefused: ({ code }) => refused.push(code),
      },
    );
    clock.advance(WAIT_MS);
    expect(refused).toEqual(['leg_not_found']);
  });
});

describe('a leg with a token of its user', () => {
  it('is never claimed by another who names the token', () => {
    const { clock, attach, arrive } = start();
    const bob = attach('bob', 'signed.for.ann');
    const { leg } = arrive('signed.for.ann', 'ann');
    expect(attach('ann', 'signed.for.ann').told).toEqual([leg.id]);
    clock.advance(WAIT_MS);
    expect(bob.told).toEqual(['leg_not_found']);
  });
});
