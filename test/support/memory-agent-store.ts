// Agents in this process: for tests, and for a gateway that keeps nothing.

import type { Agent, AgentStats, AgentStore, NewAgent } from '../../src/storage/agent-store.ts';
import { NO_USE, withUse } from '../../src/storage/agent-store.ts';
import { fromCursor, isAfter, type Position, toPage } from '../../src/storage/page-cursor.ts';
import type { Stored } from '../../src/storage/works/work.ts';

type Row = { agent: Agent; stats: AgentStats; readonly request: NewAgent['idempotency'] };

const positionOf = ({ createdAtMs, id }: Agent): Position => ({ atMs: createdAtMs, id });

/** Nobody else's object, and nothing in it that JSON would not bring back. */
const kept = (profile: Stored): Stored => JSON.parse(JSON.stringify(profile)) as Stored;

export function createMemoryAgentStore(): AgentStore {
  const rows = new Map<string, Row>();
  const find = (owner: string, id: string): Row | undefined => {
    const row = rows.get(id);
    return row?.agent.owner === owner ? row : undefined;
  };

  return {
    async create({ id, owner, profile, nowMs, idempotency, mostAgents }) {
      const mine = [...rows.values()].filter(({ agent }) => agent.owner === owner);
      const before =
        idempotency && mine.find(({ request }) => request !== undefined && request.key === idempotency.key);
      if (before !== undefined)
        return before.request?.digest === idempotency?.digest
          ? { kind: 'repeated', agent: before.agent }
          : { kind: 'conflict' };
      if (mine.length >= mostAgents) return { kind: 'full' };
      if (rows.has(id)) throw new Error('there is an agent of this id');
      const agent: Agent = {
        id,
        owner,
        profile: kept(profile),
        version: 1,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      };
      rows.set(id, { agent, stats: NO_USE, request: idempotency });
      return { kind: 'created', agent };
    },

    find: async (owner, id) => find(owner, id)?.agent,

    async list(owner, { limit, cursor }) {
      const position = fromCursor(cursor);
      const mine = [...rows.values()]
        .map(({ agent }) => agent)
        .filter((agent) => agent.owner === owner && isAfter(positionOf(agent), position))
        .sort((a, b) => (isAfter(positionOf(b), positionOf(a)) ? -1 : 1));
      const page = toPage(mine.slice(0, limit + 1), limit, positionOf);
      return { agents: page.rows, next: page.next };
    },

    async replace(owner, id, { profile, ifVersion, nowMs }) {
      const row = find(owner, id);
      if (row === undefined) return 'unknown';
      if (row.agent.version !== ifVersion) return 'changed';
      row.agent = { ...row.agent, profile: kept(profile), version: ifVersion + 1, updatedAtMs: nowMs };
      return 'replaced';
    },

    async count(owner, id, use) {
      const row = find(owner, id);
      if (row !== undefined) row.stats = withUse(row.stats, use);
    },

    stats: async (owner, id) => find(owner, id)?.stats,
  };
}
