// Agents in SQLite: the profile and, in the same row, what was spoken with it.

import type { Agent, AgentStats, AgentStore } from './agent-store.ts';
import { NO_USE, withUse } from './agent-store.ts';
import { fromCursor, type Position, toPage } from './page-cursor.ts';
import type { SqliteDatabase } from './sqlite/database.ts';
import type { SqlRow } from './sqlite/driver.ts';
import type { Stored } from './works/work.ts';

const PROFILE = 'id, owner, profile, version, created_at, updated_at, request_digest';
const NUMBERS = 'sessions, turns, characters, spoken_ms, interruptions, first_audio';

const toAgent = (row: SqlRow): Agent => ({
  id: row.id as string,
  owner: row.owner as string,
  profile: JSON.parse(row.profile as string) as Stored,
  version: row.version as number,
  createdAtMs: row.created_at as number,
  updatedAtMs: row.updated_at as number,
});

const toStats = (row: SqlRow): AgentStats => ({
  sessions: row.sessions as number,
  turns: row.turns as number,
  characters: row.characters as number,
  spokenMs: row.spoken_ms as number,
  interruptions: row.interruptions as number,
  firstAudioCounts: JSON.parse(row.first_audio as string) as readonly number[],
});

const positionOf = ({ createdAtMs, id }: Agent): Position => ({ atMs: createdAtMs, id });

export function createSqliteAgentStore({ read, write }: SqliteDatabase): AgentStore {
  return {
    create: ({ id, owner, profile, nowMs, idempotency, mostAgents }) =>
      write((sql) => {
        if (idempotency !== undefined) {
          const before = sql.one(
            `SELECT ${PROFILE} FROM agents WHERE owner = ? AND request_key = ?`,
            owner,
            idempotency.key,
          );
          if (before !== undefined)
            return before.request_digest === idempotency.digest
              ? { kind: 'repeated', agent: toAgent(before) }
              : { kind: 'conflict' };
        }
        const owned = sql.one('SELECT count(*) AS n FROM agents WHERE owner = ?', owner);
        if (Number(owned?.n) >= mostAgents) return { kind: 'full' };
        sql.run(
          `INSERT INTO agents (id, owner, profile, version, created_at, updated_at, request_key, request_digest,
             first_audio) VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?)`,
          id,
          owner,
          JSON.stringify(profile),
          nowMs,
          nowMs,
          idempotency?.key ?? null,
          idempotency?.digest ?? null,
          JSON.stringify(NO_USE.firstAudioCounts),
        );
        // As it will be read: what JSON does not know is gone.
        return {
          kind: 'created',
          agent: toAgent(sql.one(`SELECT ${PROFILE} FROM agents WHERE id = ?`, id)!),
        };
      }),

    async find(owner, id) {
      const row = read.one(`SELECT ${PROFILE} FROM agents WHERE id = ? AND owner = ?`, id, owner);
      return row === undefined ? undefined : toAgent(row);
    },

    async list(owner, { limit, cursor }) {
      const { atMs, id } = fromCursor(cursor);
      const found = read.all(
        `SELECT ${PROFILE} FROM agents WHERE owner = ? AND (created_at, id) < (?, ?)
         ORDER BY created_at DESC, id DESC LIMIT ?`,
        owner,
        atMs,
        id,
        limit + 1,
      );
      const { rows, next } = toPage(found.map(toAgent), limit, positionOf);
      return { agents: rows, next };
    },

    replace: (owner, id, { profile, ifVersion, nowMs }) =>
      write((sql) => {
        const row = sql.one('SELECT version FROM agents WHERE id = ? AND owner = ?', id, owner);
        if (row === undefined) return 'unknown';
        if (row.version !== ifVersion) return 'changed';
        sql.run(
          'UPDATE agents SET profile = ?, version = version + 1, updated_at = ? WHERE id = ?',
          JSON.stringify(profile),
          nowMs,
          id,
        );
        return 'replaced';
      }),

    count: (owner, id, use) =>
      write((sql) => {
        const row = sql.one(`SELECT ${NUMBERS} FROM agents WHERE id = ? AND owner = ?`, id, owner);
        if (row === undefined) return;
        const stats = withUse(toStats(row), use);
        sql.run(
          `UPDATE agents SET sessions = ?, turns = ?, characters = ?, spoken_ms = ?, interruptions = ?,
             first_audio = ? WHERE id = ?`,
          stats.sessions,
          stats.turns,
          stats.characters,
          stats.spokenMs,
          stats.interruptions,
          JSON.stringify(stats.firstAudioCounts),
          id,
        );
      }),

    async stats(owner, id) {
      const row = read.one(`SELECT ${NUMBERS} FROM agents WHERE id = ? AND owner = ?`, id, owner);
      return row === undefined ? undefined : toStats(row);
    },
  };
}
