// What every store for agents promises, asked of the one in memory and of the one in SQLite.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { durationCount, FIRST_AUDIO_BOUNDS_MS } from '../../src/limits/duration-histogram.ts';
import type { AgentStore, NewAgent } from '../../src/storage/agent-store.ts';
import { type OpenedRecords, recordSubjects } from '../support/record-stores.ts';

const asked = (more: Partial<NewAgent> = {}): NewAgent => ({
  id: randomUUID(),
  owner: 'ann',
  profile: { name: 'Front desk', voice: 'v1' },
  nowMs: 1_000,
  mostAgents: 100,
  ...more,
});

describe.each(recordSubjects)('an agent store $name', ({ open }) => {
  let opened: OpenedRecords;
  let store: AgentStore;
  beforeAll(async () => {
    opened = await open();
  });
  beforeEach(async () => {
    store = (await opened.fresh()).agents;
  });
  afterAll(() => opened.close());
  const create = async (more: Partial<NewAgent> = {}) => {
    const created = await store.create(asked(more));
    if (created.kind !== 'created') throw new Error(`it was ${created.kind}`);
    return created.agent;
  };

  it('keeps a profile for its owner', async () => {
    const profile = { name: 'Ü 💬', nested: { list: [1, 'two', null] } };
    const agent = await create({ profile });
    expect(agent).toEqual({
      id: agent.id,
      owner: 'ann',
      profile,
      version: 1,
      createdAtMs: 1_000,
      updatedAtMs: 1_000,
    });
    expect(await store.find('ann', agent.id)).toEqual(agent);
    expect(await store.find('bob', agent.id)).toBeUndefined();
    expect(await store.find('ann', randomUUID())).toBeUndefined();
  });

  it('lists each once, newest first, to its owner', async () => {
    const times = [5, 3, 3, 9, 3];
    const ids = [];
    for (const nowMs of times) ids.push((await create({ nowMs })).id);
    await create({ owner: 'bob' });
    for (const limit of [1, 2, 5, 6]) {
      const listed = [];
      let cursor: string | undefined;
      do {
        const page = await store.list('ann', { limit, cursor });
        expect(page.agents.length).toBeLessThanOrEqual(limit);
        listed.push(...page.agents);
        cursor = page.next;
      } while (cursor !== undefined);
      expect(listed.map(({ createdAtMs }) => createdAtMs)).toEqual([9, 5, 3, 3, 3]);
      expect(listed.map(({ id }) => id).sort()).toEqual([...ids].sort());
    }
    expect((await store.list('cat', { limit: 5, cursor: undefined })).agents).toEqual([]);
  });

  it('is not changed by what becomes of the object that it was given', async () => {
    const profile = { name: 'before' };
    const { id } = await create({ profile });
    profile.name = 'after';
    expect((await store.find('ann', id))?.profile).toEqual({ name: 'before' });
  });

  it('does a repeated request once, and tells another one of the same key', async () => {
    const idempotency = { key: 'k', digest: 'd' };
    const results = await Promise.all(
      Array.from({ length: 5 }, () => store.create(asked({ idempotency, mostAgents: 1 }))),
    );
    expect(results.filter(({ kind }) => kind === 'created')).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === 'repeated')).toHaveLength(4);
    expect(new Set(results.map((result) => 'agent' in result && result.agent.id)).size).toBe(1);
    expect(await store.create(asked({ idempotency: { key: 'k', digest: 'other' } }))).toEqual({
      kind: 'conflict',
    });
    await create({ owner: 'bob', idempotency });
  });

  it('lets in as many as are allowed', async () => {
    const results = await Promise.all(
      Array.from({ length: 6 }, () => store.create(asked({ mostAgents: 4 }))),
    );
    expect(results.map(({ kind }) => kind).sort()).toEqual([...Array(4).fill('created'), 'full', 'full']);
    await create({ owner: 'bob', mostAgents: 1 });
  });

  it('takes one of two changes of the same version', async () => {
    const { id } = await create();
    const change = (name: string, ifVersion = 1) => ({ profile: { name }, ifVersion, nowMs: 2_000 });
    const results = await Promise.all(['a', 'b'].map((name) => store.replace('ann', id, change(name))));
    expect([...results].sort()).toEqual(['changed', 'replaced']);
    const taken = results[0] === 'replaced' ? 'a' : 'b';
    expect(await store.replace('bob', id, change('c', 2))).toBe('unknown');
    expect(await store.replace('ann', randomUUID(), change('c', 2))).toBe('unknown');
    expect(await store.find('ann', id)).toMatchObject({
      profile: { name: taken },
      version: 2,
      createdAtMs: 1_000,
      updatedAtMs: 2_000,
    });
  });

  it('has no numbers of what it does not know', async () => {
    const { id } = await create();
    await store.count('bob', id, { turns: 5 });
    await store.count('ann', randomUUID(), { turns: 5 });
    expect(await store.stats('bob', id)).toBeUndefined();
    expect(await store.stats('ann', id)).toEqual({
      sessions: 0,
      turns: 0,
      characters: 0,
      spokenMs: 0,
      interruptions: 0,
      firstAudioCounts: Array(FIRST_AUDIO_BOUNDS_MS.length + 1).fill(0),
    });
  });

  it('adds up what was spoken', async () => {
    const number = fc.option(fc.nat(1_000), { nil: undefined });
    const use = fc
      .record({
        sessions: number,
        turns: number,
        characters: number,
        interruptions: number,
        spokenMs: fc.option(
          fc.nat(4_000).map((quarters) => quarters / 4),
          { nil: undefined },
        ),
        firstAudioMs: fc.option(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { maxLength: 5 }), {
          nil: undefined,
        }),
      })
      .map((fields) => JSON.parse(JSON.stringify(fields)) as { [K in keyof typeof fields]?: never });
    await fc.assert(
      fc.asyncProperty(fc.array(use, { maxLength: 8 }), async (uses) => {
        store = (await opened.fresh()).agents;
        const { id } = await create();
        const another = await create();
        await Promise.all(uses.map((one) => store.count('ann', id, one)));
        const stats = (await store.stats('ann', id))!;
        for (const field of ['sessions', 'turns', 'characters', 'interruptions', 'spokenMs'] as const)
          expect(stats[field]).toBe(uses.reduce((sum, one) => sum + (one[field] ?? 0), 0));
        const times = uses.flatMap(({ firstAudioMs }) => (firstAudioMs ?? []) as number[]);
        expect(durationCount(stats.firstAudioCounts)).toBe(times.length);
        expect((await store.stats('ann', another.id))?.turns).toBe(0);
      }),
      { numRuns: 25 },
    );
  });
});
