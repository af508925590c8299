// Nobody can tell an id of somebody else's from one that never was by how long the answer takes: both ask the records the
// same questions in the same number, touch nothing else, and get the same bytes. Told by what is asked, because a
// measured time tells nothing about a busy machine. Every route with an id is tried; a new one fails until it is listed.

import { rmSync } from 'node:fs';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCredentials } from '../../../src/access/credentials.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { sendError } from '../../../src/base/error-reply.ts';
import { fromFramework } from '../../../src/base/framework-error.ts';
import { silentLog } from '../../../src/base/log.ts';
import { addServiceApi } from '../../../src/http/server/service-api.ts';
import { createAgentService } from '../../../src/service/agents/agent-service.ts';
import { createKeyLimits } from '../../../src/service/key-limits.ts';
import { createServiceAddress } from '../../../src/service/service-address.ts';
import { createWorkQuestions } from '../../../src/service/work-questions.ts';
import type { SqliteDatabase } from '../../../src/storage/sqlite/database.ts';
import type { Sql } from '../../../src/storage/sqlite/driver.ts';
import { createSqliteAgentStore } from '../../../src/storage/sqlite-agent-store.ts';
import { openSqliteDatabase } from '../../../src/storage/sqlite-database.ts';
import { createSqliteDeliveryStore } from '../../../src/storage/sqlite-delivery-store.ts';
import { createSqliteWorkStore } from '../../../src/storage/sqlite-work-store.ts';
import type { WorkKind } from '../../../src/storage/works/work.ts';
import type { WorkFiles } from '../../../src/storage/works/work-files.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

const FOREIGN = '11111111-1111-4111-8111-111111111111';
const UNKNOWN = '22222222-2222-4222-8222-222222222222';
const HEADERS = { authorization: 'Bearer of-bob', 'x-user-id': 'bob' };
const NO_LIMITS = {
  'agents-create': 0,
  'agents-patch': 0,
  'agents-read': 0,
  'agent-stats': 0,
  make: 0,
  ask: 0,
};

/** Every route with an id in its path, by method and pattern, with a body where it takes one. */
const ROUTES: Readonly<Record<string, object | undefined>> = {
  'GET /api/v1/tts/:id': undefined,
  'HEAD /api/v1/tts/:id': undefined,
  'DELETE /api/v1/tts/:id': undefined,
  'POST /api/v1/tts/:id/cancel': undefined,
  'GET /api/v1/playnotes/:id': undefined,
  'HEAD /api/v1/playnotes/:id': undefined,
  'DELETE /api/v1/playnotes/:id': undefined,
  'GET /api/v1/agents/:agentId': undefined,
  'HEAD /api/v1/agents/:agentId': undefined,
  'PATCH /api/v1/agents/:agentId': { name: 'Mine' },
  'GET /api/v1/agent-stats/:agentId': undefined,
  'HEAD /api/v1/agent-stats/:agentId': undefined,
  'POST /api/v1/webhooks/deliveries/:id/replay': undefined,
  'GET /v1/files/:work/:signature/:name': undefined,
  'HEAD /v1/files/:work/:signature/:name': undefined,
};

/** What was asked of the records, files and whoever works, in order; no values. */
let asked: string[] = [];
const found = new Set<string>();

function watched(database: SqliteDatabase): SqliteDatabase {
  const watch = <Some extends Partial<Sql>>(sql: Some): Some =>
    Object.fromEntries(
      (['run', 'all', 'one'] as const).map((how) => [
        how,
        (text: string, ...values: never[]) => {
          asked.push(`${how} ${text}`);
          return sql[how]?.(text, ...values);
        },
      ]),
    ) as Some;
  return {
    ...database,
    read: watch(database.read),
    write(work) {
      asked.push('write');
      return database.write((sql) => work(watch(sql)));
    },
  };
}

const dataDir = scratchFolder('foreign');
let app: FastifyInstance;
let database: SqliteDatabase;
beforeAll(async () => {
  database = await openSqliteDatabase({ dataDir, clock: systemClock, log: silentLog, flush: async () => {} });
  const seen = watched(database);
  const works = createSqliteWorkStore(seen);
  const deliveries = createSqliteDeliveryStore(seen);
  const agentStore = createSqliteAgentStore(seen);
  const noted = (what: string) => async () => {
    asked.push(what);
  };
  const files = { find: noted('find a file'), remove: noted('remove files') } as unknown as WorkFiles;
  const unixMs = () => 1_000;
  const questionsAbout = (kind: WorkKind) =>
    createWorkQuestions({
      onEnded() {},
      kind,
      called: 'work',
      store: works,
      files,
      runner: { interrupt: noted('interrupt') },
      onTakenAway: noted('take away'),
      unixMs,
      toDelivery: () => undefined,
      onDelivery: () => asked.push('nudge'),
    });
  const agents = createAgentService({
    store: agentStore,
    clock: systemClock,
    unixMs,
    newId: () => FOREIGN,
    mostAgents: 9,
    log: silentLog,
  });

  app = Fastify();
  app.setErrorHandler((thrown, _request, reply) => sendError(reply, fromFramework(thrown)));
  app.addHook('onRoute', ({ method, url, schema, onRequest }) => {
    // Those with a hook of their own are the refusals of other methods.
    if (url.includes('/:') && (schema?.hide !== true || onRequest === undefined))
      for (const one of [method].flat()) found.add(`${one} ${url}`);
  });
  const about = {
    voices: { check() {}, ignoredFields: [], list: async () => [] },
    files,
    mostSourceBytes: 9,
  };
  const one = (kind: WorkKind) =>
    ({ ...about, questions: questionsAbout(kind), toRecord: ({ id }: { id: string }) => ({ id }) }) as never;
  await addServiceApi(app, {
    isStopping: () => false,
    version: '0',
    credentials: createCredentials(['ann', 'bob'].map((userId) => ({ userId, apiKey: `of-${userId}` }))),
    limits: createKeyLimits(NO_LIMITS),
    speech: { ...about, runtime: { clock: systemClock } } as never,
    jobs: one('tts'),
    playNotes: one('playnote'),
    agents,
    webhooks: { deliveries, secretOf: () => '', unixMs, onDelivery: () => asked.push('nudge') },
    files: { files, address: createServiceAddress([Buffer.alloc(32, 7)]), clock: systemClock },
    legs: {} as never,
  });
  await app.ready();

  const ann = { owner: 'ann', urgency: 0, input: {}, requestedAtMs: 1, mostUnfinished: 9 };
  // An id is one row's, so the job has the id that is tried, and the PlayNote is tried by its own.
  await works.create({ ...ann, id: FOREIGN, kind: 'tts' });
  await works.create({ ...ann, id: noteOf(FOREIGN), kind: 'playnote' });
  await agents.create('ann', { name: 'Hers' }, undefined);
  const message = { url: 'https://example.test/', type: 'tts.completed', body: '{}', createdAtMs: 1 };
  await deliveries.add({ ...message, id: `msg_${FOREIGN}`, owner: 'ann' });
});
afterAll(async () => {
  await app?.close();
  await database?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const noteOf = (id: string) => id.replace(/^./, '3');

async function outcomeOf(route: string, id: string, headers: Record<string, string> = HEADERS) {
  const [method, pattern] = route.split(' ') as ['GET', string];
  const idHere = pattern.includes('playnotes')
    ? noteOf(id)
    : pattern.includes('deliveries')
      ? `msg_${id}`
      : id;
  const url = pattern
    .replace(/:(?:id|agentId|work)\b/, idHere)
    .replace(':signature', 'x'.repeat(22))
    .replace(':name', 'audio.mp3');
  const payload = ROUTES[route];
  asked = [];
  const reply = await app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
  const { date: _date, ...told } = reply.headers;
  return { status: reply.statusCode, body: reply.body, headers: told, asked };
}

describe('an id of somebody else', () => {
  it('is tried with every route that takes one', () => {
    expect([...found].sort()).toEqual(Object.keys(ROUTES).sort());
  });

  it.each(Object.keys(ROUTES))(
    'is to %s what one is that never was, in what it costs, too',
    async (route) => {
      const foreign = await outcomeOf(route, FOREIGN);
      const unknown = await outcomeOf(route, UNKNOWN.replace(/^./, '4'));
      expect(foreign.status).toBe(404);
      expect(foreign).toEqual(unknown);
      if (!route.includes('/v1/files/')) expect(foreign.asked.length).toBeGreaterThan(0);
    },
  );

  it.each(Object.keys(ROUTES).filter((route) => !/^DELETE|\/v1\/files\//.test(route)))(
    'is there for its owner: %s',
    async (route) => {
      const own = { authorization: 'Bearer of-ann', 'x-user-id': 'ann' };
      expect((await outcomeOf(route, FOREIGN, own)).status).toBeLessThan(300);
    },
  );
});
