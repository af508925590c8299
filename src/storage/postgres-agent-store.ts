// Agents in PostgreSQL: the profile and, in the same row, what was spoken with it.

import type { Selectable } from 'kysely';
import type { Agent, AgentStats, AgentStore } from './agent-store.ts';
import { NO_USE, withUse } from './agent-store.ts';
import { fromCursor, toPage } from './page-cursor.ts';
import {
  BY_ID_DOWN,
  isBefore,
  isStorable,
  lockOwner,
  type PostgresDatabase,
  type Tables,
} from './postgres/database.ts';
import type { Stored } from './works/work.ts';

type Row = Selectable<Tables['agents']>;

const toAgent = (row: Row): Agent => ({
  id: row.id,
  owner: row.owner,
  profile: JSON.parse(row.profile) as Stored,
  version: row.version,
  createdAtMs: row.created_at,
  updatedAtMs: row.updated_at,
});

const toStats = (row: Row): AgentStats => ({
  sessions: row.sessions,
  turns: row.turns,
  characters: row.characters,
  spokenMs: row.spoken_ms,
  interruptions: row.interruptions,
  firstAudioCounts: JSON.parse(row.first_audio) as readonly number[],
});

const positionOf = ({ createdAtMs, id }: Agent) => ({ atMs: createdAtMs, id });

export function createPostgresAgentStore({ read, write }: PostgresDatabase): AgentStore {
  const find = async (owner: string, id: string): Promise<Row | undefined> =>
    isStorable(id)
      ? await read
          .selectFrom('agents')
          .selectAll()
          .where('id', '=', id)
          .where('owner', '=', owner)
          .executeTakeFirst()
      : undefined;

  return {
    create: ({ id, owner, profile, nowMs, idempotency, mostAgents }) =>
      write(async (changes) => {
        await lockOwner(changes, 'agents', owner);
        if (idempotency !== undefined) {
          const before = await changes
            .selectFrom('agents')
            .selectAll()
            .where('owner', '=', owner)
            .where('request_key', '=', idempotency.key)
            .executeTakeFirst();
          if (before !== undefined)
            return before.request_digest === idempotency.digest
              ? { kind: 'repeated', agent: toAgent(before) }
              : { kind: 'conflict' };
        }
        const { owned } = await changes
          .selectFrom('agents')
          .select(({ fn }) => fn.countAll<number>().as('owned'))
          .where('owner', '=', owner)
          .executeTakeFirstOrThrow();
        if (owned >= mostAgents) return { kind: 'full' };
        const row = await changes
          .insertInto('agents')
          .values({
            ...{
              id,
              owner,
              profile: JSON.stringify(profile),
              version: 1,
              created_at: nowMs,
              updated_at: nowMs,
            },
            request_key: idempotency?.key ?? null,
            request_digest: idempotency?.digest ?? null,
            ...{ sessions: 0, turns: 0, characters: 0, spoken_ms: 0, interruptions: 0 },
            first_audio: JSON.stringify(NO_USE.firstAudioCounts),
          })
          .returningAll()
          .executeTakeFirstOrThrow();
        return { kind: 'created', agent: toAgent(row) };
      }),

    async find(owner, id) {
      const row = await find(owner, id);
      return row === undefined ? undefined : toAgent(row);
    },

    async list(owner, { limit, cursor }) {
      const { atMs, id } = fromCursor(cursor);
      const found = await read
        .selectFrom('agents')
        .selectAll()
        .where('owner', '=', owner)
        .where(isBefore('created_at', atMs, id))
        .orderBy('created_at', 'desc')
        .orderBy(BY_ID_DOWN)
        .limit(limit + 1)
        .execute();
      const { rows, next } = toPage(found.map(toAgent), limit, positionOf);
      return { agents: rows, next };
    },

    async replace(owner, id, { profile, ifVersion, nowMs }) {
      if (!isStorable(id)) return 'unknown';
      return await write(async (changes) => {
        const row = await changes
          .selectFrom('agents')
          .select('version')
          .where('id', '=', id)
          .where('owner', '=', owner)
          .forUpdate()
          .executeTakeFirst();
        if (row === undefined) return 'unknown';
        if (row.version !== ifVersion) return 'changed';
        await changes
          .updateTable('agents')
          .set({ profile: JSON.stringify(profile), version: ifVersion + 1, updated_at: nowMs })
          .where('id', '=', id)
          .execute();
        return 'replaced';
      });
    },

    async count(owner, id, use) {
      if (!isStorable(id)) return;
      await write(async (changes) => {
        const row = await changes
          .selectFrom('agents')
          .selectAll()
          .where('id', '=', id)
          .where('owner', '=', owner)
          .forUpdate()
          .executeTakeFirst();
        if (row === undefined) return;
        const { spokenMs, firstAudioCounts, ...counts } = withUse(toStats(row), use);
        await changes
          .updateTable('agents')
          .set({ ...counts, spoken_ms: spokenMs, first_audio: JSON.stringify(firstAudioCounts) })
          .where('id', '=', id)
          .execute();
      });
    },

    async stats(owner, id) {
      const row = await find(owner, id);
      return row === undefined ? undefined : toStats(row);
    },
  };
}
