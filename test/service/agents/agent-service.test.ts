// The record of what an agent has spoken: gathered, written once a second, and never behind when it is asked for.
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { createAgentService } from '../../../src/service/agents/agent-service.ts';
import { jobSpoken } from '../../../src/service/jobs/job-record.ts';
import type { AgentStore } from '../../../src/storage/agent-store.ts';
import type { Work } from '../../../src/storage/works/work.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createMemoryAgentStore } from '../../support/memory-agent-store.ts';

async function startService(spoil: (store: AgentStore) => Partial<AgentStore> = () => ({})) {
  const clock = createFakeClock();
  const memory = createMemoryAgentStore();
  const store = { ...memory, ...spoil(memory) };
  let ids = 0;
  const service = createAgentService({
    store,
    clock,
    unixMs: () => 1_700_000_000_000 + clock.now(),
    newId: () => `agent-${++ids}`,
    mostAgents: 2,
    log: silentLog,
  });
  const { record } = await service.create('anna', { name: 'Host' }, undefined);
  return { clock, store, service, id: record.id };
}

describe('agent stats', () => {
  it('of a new agent are noughts, and no times', async () => {
    const { service, id } = await startService();
    expect(await service.stats('anna', id)).toEqual({
      agentId: id,
      sessions: 0,
      turns: 0,
      characters: 0,
      secondsSpoken: 0,
      interruptions: 0,
      firstAudioP50Ms: null,
      firstAudioP95Ms: null,
    });
  });

  it('tell what has just been used, before it is written by itself', async () => {
    const { service, id } = await startService();
    service.used('anna', id, { sessions: 1 });
    service.used('anna', id, { turns: 1, characters: 11, spokenMs: 1250, interruptions: 1 });
    expect(await service.stats('anna', id)).toMatchObject({
      sessions: 1,
      turns: 1,
      characters: 11,
      secondsSpoken: 1.25,
      interruptions: 1,
    });
  });

  it('lose no use to a figure that is none', async () => {
    const { service, id } = await startService();
    service.used('anna', id, { turns: 1, characters: 11, spokenMs: 1000 });
    service.used('anna', id, {
      sessions: Number.POSITIVE_INFINITY,
      turns: 1,
      characters: Number.NaN,
      spokenMs: Number.NaN,
      interruptions: -1,
      firstAudioMs: [Number.NaN],
    });
    service.used('anna', id, { turns: 1, characters: 2.5, spokenMs: 500 });
    expect(await service.stats('anna', id)).toEqual({
      agentId: id,
      sessions: 0,
      turns: 3,
      characters: 14,
      secondsSpoken: 1.5,
      interruptions: 0,
      firstAudioP50Ms: null,
      firstAudioP95Ms: null,
    });
  });

  it('wait for what is being written when they are asked for', async () => {
    let letWrite = () => {};
    const { clock, service, id } = await startService((memory) => ({
      async count(...use) {
        await new Promise<void>((resolve) => {
          letWrite = resolve;
        });
        await memory.count(...use);
      },
    }));
    service.used('anna', id, { turns: 3 });
    await clock.run(1000); // the write has begun
    const asked = service.stats('anna', id);
    await clock.run(0);
    letWrite();
    expect(await asked).toMatchObject({ turns: 3 });
  });

  it('p50 and p95 are within a bucket (27 %) of the scripted times', async () => {
    const { service, id } = await startService();
    for (let ms = 10; ms <= 1000; ms += 10) service.used('anna', id, { firstAudioMs: [ms] });
    const { firstAudioP50Ms, firstAudioP95Ms } = await service.stats('anna', id);
    expect(firstAudioP50Ms).toBeGreaterThan(500 / 1.28);
    expect(firstAudioP50Ms).toBeLessThan(500 * 1.28);
    expect(firstAudioP95Ms).toBeGreaterThan(950 / 1.28);
    expect(firstAudioP95Ms).toBeLessThan(950 * 1.28);
  });

  it('are written once a second, however much there was, and at the end', async () => {
    const counted: number[] = [];
    const { clock, service, id } = await startService((memory) => ({
      async count(owner, agent, use) {
        counted.push(use.turns ?? 0);
        await memory.count(owner, agent, use);
      },
    }));
    for (let turn = 0; turn < 50; turn += 1) service.used('anna', id, { turns: 1 });
    await clock.run(999);
    expect(counted).toEqual([]);
    await clock.run(1);
    expect(counted).toEqual([50]);
    service.used('anna', id, { turns: 2 });
    await service.close();
    expect(counted).toEqual([50, 2]);
    expect(clock.timers).toBe(0);
  });

  it('are kept while the disk is full, and written when there is room', async () => {
    let isFull = true;
    const { service, clock, id } = await startService((memory) => ({
      async count(...args) {
        if (isFull) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
        await memory.count(...args);
      },
    }));
    service.used('anna', id, { turns: 1, firstAudioMs: [100] });
    await clock.run(60_000);
    service.used('anna', id, { turns: 1, firstAudioMs: [100] });
    await clock.run(60_000);
    isFull = false;
    await clock.run(30_000);
    expect(clock.timers).toBe(0);
    expect(await service.stats('anna', id)).toMatchObject({ turns: 2 });
    isFull = true;
    service.used('anna', id, { turns: 1 });
    await service.close();
    expect(clock.timers).toBe(0);
  });

  it('a store that fails costs those uses and nothing else', async () => {
    let isBroken = true;
    const { service, id } = await startService((memory) => ({
      count: (...use) => (isBroken ? Promise.reject(new Error('disk')) : memory.count(...use)),
    }));
    service.used('anna', id, { turns: 1 });
    expect(await service.stats('anna', id)).toMatchObject({ turns: 0 });
    isBroken = false;
    service.used('anna', id, { turns: 1 });
    expect(await service.stats('anna', id)).toMatchObject({ turns: 1 });
  });

  it('nobody sees or changes the agent of another', async () => {
    const { service, id } = await startService();
    service.used('bob', id, { turns: 9 });
    for (const refused of [
      service.find('bob', id),
      service.stats('bob', id),
      service.patch('bob', id, { name: 'Mine' }),
    ])
      await expect(refused).rejects.toMatchObject({ code: 'not_found' });
    expect(await service.stats('anna', id)).toMatchObject({ turns: 0 });
  });
});

describe('patching', () => {
  it('replaces, takes away what is null, and keeps the rest', async () => {
    const { service, id } = await startService();
    await service.patch('anna', id, { voice: 'v', speed: 1.5, greeting: 'Hello.' });
    const patched = await service.patch('anna', id, { greeting: null, speed: 2 });
    expect(patched).toMatchObject({ name: 'Host', voice: 'v', speed: 2 });
    expect(patched).not.toHaveProperty('greeting');
  });

  it('is judged as a whole: a rate that the stored format has not is refused', async () => {
    const { service, id } = await startService();
    await service.patch('anna', id, { format: 'mp3' });
    await expect(service.patch('anna', id, { sampleRate: 11_026 })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    expect(await service.find('anna', id)).not.toHaveProperty('sampleRate');
  });

  it('two at once lose nothing', async () => {
    const { service, id } = await startService();
    await Promise.all([service.patch('anna', id, { speed: 2 }), service.patch('anna', id, { voice: 'v' })]);
    expect(await service.find('anna', id)).toMatchObject({ speed: 2, voice: 'v' });
  });
});

describe('a job with an agent', () => {
  const work = (changes: object): Work =>
    ({
      kind: 'tts',
      status: 'completed',
      input: { shown: { agent: 'agent-1', text: 'Hi 👋' } },
      output: { duration: 1.5 },
      ...changes,
    }) as unknown as Work;

  it('counts one turn, its code points and its length', () => {
    expect(jobSpoken(work({}))).toEqual({
      agentId: 'agent-1',
      use: { turns: 1, characters: 4, spokenMs: 1500 },
    });
  });

  it('counts nothing unless it is completed and has an agent', () => {
    expect(jobSpoken(work({ status: 'failed' }))).toBeUndefined();
    expect(jobSpoken(work({ kind: 'playnote' }))).toBeUndefined();
    expect(jobSpoken(work({ input: { shown: { text: 'Hi' } } }))).toBeUndefined();
  });
});
