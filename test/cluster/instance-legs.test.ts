// Calls and sessions of two instances, in simulated time: who gets a call, and what becomes of it.
import { beforeEach, describe, expect, it } from 'vitest';
import { createAttachTokens } from '../../src/access/attach-tokens.ts';
import { AppError } from '../../src/base/app-error.ts';
import { createInstanceLegs, type InstanceLegs } from '../../src/cluster/instances/instance-legs.ts';
import { type ArrivedLeg, createLocalLegRegistry } from '../../src/gateway/calls/local-leg-registry.ts';
import type { CallLeg } from '../../src/playout/call-leg.ts';
import { createFakeClock } from '../support/fake-clock.ts';

type Directory = Parameters<typeof createInstanceLegs>[0]['directory'];
const UUID = '0a7b6c5d-0000-4000-8000-000000000001';

let clock: ReturnType<typeof createFakeClock>;
let held: Map<string, string>;
let watching: Map<string, Set<() => void>>;
let instances: Record<string, InstanceLegs>;
let homes: Map<string, () => void>;
/** What becomes of a call that is wanted, by its key. */
let onWanted: (key: string) => void;
/** Calls as they came, by key. */
let started: Map<string, ArrivedLeg>;

const legOf = (callId: string, userId: string | undefined, token?: string): ArrivedLeg => ({
  leg: { id: `leg-${callId}`, kind: 'raw', callId } as CallLeg,
  userId,
  token,
  onUnclaimed() {},
  onForsaken() {},
});

/** Two instances; a call that is fetched arrives at the one that asks, as over a relay. */
function openInstance(id: string): InstanceLegs {
  const directory: Directory = {
    async find(name) {
      const holder = held.get(name);
      return holder === undefined || holder === id ? undefined : { id: holder, url: '', version: '' };
    },
    watch(name, listener) {
      watching.set(name, (watching.get(name) ?? new Set()).add(listener));
      listener();
      return () => watching.get(name)?.delete(listener);
    },
    entered(name) {
      held.set(name, id);
      for (const listener of [...(watching.get(name) ?? [])]) listener();
    },
    left: (name) => void held.delete(name),
  };
  const legs = createInstanceLegs({
    local: createLocalLegRegistry(clock, createAttachTokens(['secret'], Date.now)),
    directory,
    clock,
    async fetch(from, name, userId) {
      const answer = await instances[from.id]!.take(name, userId, (key) => {
        instances[from.id]!.movedAway(key);
        const place = legs.arrive(name, 'goes-on', legOf('CA1', userId));
        homes.set(name, () => {
          place.leave('sent home');
          instances[from.id]!.arrive(key, 'goes-on', started.get(key)!);
        });
        return 'given';
      });
      if (answer !== 'given') throw new AppError(answer === 'taken' ? 'leg_taken' : 'leg_not_found', answer);
    },
    // The other side hears of it a moment later.
    sendHome: (name) => void clock.after(20, () => homes.get(name)?.()),
    askPlayer: (key) => onWanted(key),
  });
  return legs;
}

const arriveAtA = (key: string, leg: ArrivedLeg) => {
  started.set(key, leg);
  return instances.a!.arrive(key, 'new', leg);
};

type Asked = { readonly told: string[]; giveUp(): void };
function attach(at: string, userId: string, leg: { callSid?: string; token?: string }): Asked {
  const told: string[] = [];
  const giveUp = instances[at]!.attach(userId, leg, {
    onAttached() {
      told.push('attached');
      return { onGone: () => told.push('gone') } as never;
    },
    onRefused: ({ code }) => void told.push(code),
    onDecided: () => void (told.includes('decided') || told.push('decided')),
  });
  return { told, giveUp };
}
const settle = async (ms = 0) => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
  clock.advance(ms);
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

beforeEach(() => {
  clock = createFakeClock();
  held = new Map();
  watching = new Map();
  homes = new Map();
  started = new Map();
  onWanted = () => {};
  instances = {};
  instances = { a: openInstance('a'), b: openInstance('b') };
});

describe('a call whose socket is at another instance', () => {
  it('is given to the session that names it, and to no second one', async () => {
    arriveAtA('k1', legOf('CA1', 'ann'));
    const first = attach('b', 'ann', { callSid: 'CA1' });
    await settle();
    expect(first.told).toEqual(['attached', 'decided']);
    for (const at of ['a', 'b']) {
      const second = attach(at, 'ann', { callSid: 'CA1' });
      await settle(500);
      expect(second.told.filter((told) => told !== 'decided')).toEqual(['leg_taken']);
    }
  });

  it.each(['a', 'c'])(
    'is given to a session of %s where the instance that has it stands still',
    async (at) => {
      instances.c = openInstance('c');
      arriveAtA('k1', legOf('CA1', 'ann'));
      const first = attach('b', 'ann', { callSid: 'CA1' });
      await settle();
      // Its relay is cut, as b does not answer.
      onWanted = (key) => void clock.after(400, () => instances.a!.arrive(key, 'goes-on', started.get(key)!));
      const second = attach(at, 'ann', { callSid: 'CA1' });
      await settle(400);
      await settle(100);
      expect([first.told, second.told]).toEqual([
        ['attached', 'decided'],
        ['attached', 'decided'],
      ]);
    },
  );

  it('is given when it comes after the session has asked for it', async () => {
    const asked = attach('b', 'ann', { callSid: 'CA1' });
    await settle();
    expect(asked.told).toEqual(['decided']);
    arriveAtA('k1', legOf('CA1', 'ann'));
    await settle();
    expect(asked.told).toEqual(['decided', 'attached']);
  });

  it('is nobody else’s', async () => {
    arriveAtA('k1', legOf('CA1', 'ann'));
    const asked = attach('b', 'bob', { callSid: 'CA1' });
    await settle(10_000);
    await settle();
    expect(asked.told).toEqual(['decided', 'leg_not_found']);
  });

  it('stays with the user who named its token first, at whichever instance', async () => {
    arriveAtA('k1', legOf('CA1', undefined, UUID));
    const ann = attach('a', 'ann', { token: UUID });
    expect(ann.told).toEqual(['attached', 'decided']);
    const bob = attach('b', 'bob', { token: UUID });
    await settle(10_000);
    await settle();
    expect(bob.told.filter((told) => told !== 'decided')).toEqual(['leg_not_found']);
  });

  it('that belongs to nobody yet belongs to the user who named it at the other', async () => {
    arriveAtA('k1', legOf('CA1', undefined, UUID));
    const ann = attach('b', 'ann', { token: UUID });
    await settle();
    expect(ann.told).toContain('attached');
    homes.values().next().value!();
    await settle(600);
    const bob = attach('b', 'bob', { token: UUID });
    await settle(10_000);
    await settle();
    expect(bob.told.filter((told) => told !== 'decided')).toEqual(['leg_not_found']);
  });

  it('that has ended is given to nobody', async () => {
    const place = arriveAtA('k1', legOf('CA1', 'ann'));
    place.leave('hung up');
    const asked = attach('b', 'ann', { callSid: 'CA1' });
    await settle();
    expect(asked.told).toEqual(['decided']);
    expect(await instances.a!.take('any', 'ann', () => 'given')).toBe('gone');
  });

  it('is the free one of two that have one name, and the other one’s end hides neither', async () => {
    const ended = arriveAtA('k1', legOf('CA1', 'ann'));
    arriveAtA('k2', legOf('CA1', 'ann'));
    expect(attach('a', 'ann', { callSid: 'CA1' }).told).toContain('attached');
    ended.leave('hung up');
    const asked = attach('b', 'ann', { callSid: 'CA1' });
    await settle();
    expect(asked.told).toContain('attached');
  });

  it('is waited for half a moment by who asks while it comes home', async () => {
    arriveAtA('k1', legOf('CA1', 'ann'));
    attach('b', 'ann', { callSid: 'CA1' });
    await settle();
    const next = attach('a', 'ann', { callSid: 'CA1' });
    homes.values().next().value!();
    await settle(600);
    expect(next.told.filter((told) => told !== 'decided')).toEqual(['attached']);
  });

  it('is not waited for any more by a session that has given up', async () => {
    const asked = attach('b', 'ann', { callSid: 'CA1' });
    asked.giveUp();
    arriveAtA('k1', legOf('CA1', 'ann'));
    await settle(11_000);
    expect(asked.told.filter((told) => told !== 'decided')).toEqual([]);
    expect([...watching.values()].every(({ size }) => size === 0)).toBe(true);
  });
});
