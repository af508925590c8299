// Records and files of a service that has been used: works in every state, with files, parts and keys, agents, messages in
// every state, receivers that want none, tokens that were taken back.

import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentStore } from '../../src/storage/agent-store.ts';
import type { DeliveryStore } from '../../src/storage/delivery-store.ts';
import type { RevocationStore } from '../../src/storage/revocation-store.ts';
import type { WorkFiles } from '../../src/storage/works/work-files.ts';
import type { WorkStore } from '../../src/storage/works/work-store.ts';

type Fillable = {
  readonly works: WorkStore;
  readonly deliveries: DeliveryStore;
  readonly agents: AgentStore;
  readonly revocations: RevocationStore;
  readonly files: WorkFiles;
};

/** The same for the same number. */
export const uuidOf = (kind: string, at: number): string => {
  const hex = createHash('sha256').update(`${kind} ${at}`).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
};

const NOW_MS = 1_700_000_000_000;
const STATES = ['completed', 'completed', 'failed', 'cancelled', 'running', 'waiting', 'completed'] as const;

const messageOf = (owner: string, at: number, round: number) => ({
  ...{ id: `msg_${at}_${round}`, owner, url: `https://example.com/${owner}`, type: 'tts.progress' },
  ...{ body: JSON.stringify({ at, text: 'a\u0000b' }), createdAtMs: NOW_MS + at },
});

/** Fills it with `count` works and what belongs to them. */
export async function fillRecords(to: Fillable, count: number): Promise<void> {
  const { works, deliveries, agents, revocations, files } = to;
  for (let at = 0; at < count; at++) {
    const owner = `user-${at % 5}`;
    const id = uuidOf('work', at);
    const state = STATES[at % STATES.length]!;
    const kind = state === 'completed' && at % 2 === 0 ? 'playnote' : 'tts';
    await works.create({
      ...{
        id,
        kind,
        owner,
        urgency: at % 3,
        requestedAtMs: NOW_MS + Math.floor(at / 2),
        mostUnfinished: count,
      },
      input: { text: `Text ${at}, “quoted” \u0000`, speed: 1.25 },
      idempotency: at % 4 === 3 ? undefined : { key: `key ${at}`, digest: `digest ${at}` },
      delivery: messageOf(owner, at, 0),
    });
    const scratch = await files.scratch(id);
    const part = join(scratch, 'part-0000.mp3');
    await writeFile(part, `sound of ${at} `.repeat(20 + at));
    if (state === 'waiting') continue;
    if (state === 'cancelled') {
      await works.cancel(owner, kind, id, NOW_MS + at, () => messageOf(owner, at, 1));
      await files.remove(id);
      continue;
    }
    // Nothing else is waiting but those that stay so, which are less urgent: the one that was just made is claimed.
    const claim = await claimOf(works, id);
    await works.note(claim, { phase: 'speaking', progress: 0.3 }, messageOf(owner, at, 1));
    if (state === 'failed') {
      const failure = { code: 'upstream_failed', message: 'It failed.' };
      await works.finish(claim, { status: 'failed', failure }, NOW_MS + at);
      await files.remove(id);
    } else if (state === 'completed') {
      await files.publish(id, 'words.vtt', await made(scratch, `WEBVTT ${at}`));
      const { bytes } = await files.publish(id, 'audio.mp3', part);
      const output = { fileSize: bytes, duration: 1.5 + at };
      await works.finish(claim, { status: 'completed', output }, NOW_MS + at, messageOf(owner, at, 2));
      await files.tidy(id);
    }
  }
  for (const delivery of await deliveries.due({ nowMs: NOW_MS + count, holdMs: 1_000, limit: 10_000 })) {
    const attempt = { atMs: NOW_MS, tookMs: 12, status: 500, problem: 'status' };
    const isOver = delivery.id.endsWith('0_1');
    await deliveries.settle(delivery.id, attempt, {
      state: isOver ? 'given-up' : 'pending',
      nextAtMs: isOver ? undefined : NOW_MS + 5_000,
    });
  }
  await deliveries.silence('user-1', 'https://example.com/user-1', NOW_MS);
  for (let at = 0; at < Math.min(count, 5); at++) {
    const [owner, id] = [`user-${at}`, uuidOf('agent', at)];
    await agents.create({
      ...{
        id,
        owner,
        profile: { name: `Agent ${at}`, voice: 'voice://a' },
        nowMs: NOW_MS + at,
        mostAgents: 10,
      },
      idempotency: { key: `agent ${at}`, digest: 'digest' },
    });
    await agents.count(owner, id, { turns: 2, spokenMs: 1234.5, characters: 10, firstAudioMs: [120, 900] });
  }
  await revocations.add({ id: 'taken-back', untilMs: NOW_MS * 2 }, NOW_MS);
}

async function claimOf(works: WorkStore, id: string) {
  const others = [];
  for (;;) {
    const claim = await works.claim({
      nowMs: NOW_MS,
      leaseMs: 1_000,
      mostAttempts: 100,
      toDelivery: () => undefined,
    });
    if (claim === undefined) throw new Error('it cannot be claimed');
    if (claim.work.id === id) {
      for (const other of others) await works.release(other);
      return claim;
    }
    others.push(claim);
  }
}

async function made(folder: string, content: string): Promise<string> {
  const path = join(folder, 'made');
  await writeFile(path, content);
  return path;
}
