// Two users, calls in any order: neither ever sees, lists or changes what is the other's, and an id of the other is
// answered like one that never was, to the byte.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type RunningService,
  startRunningService,
  VOICE,
} from '../../support/running-service.ts';
import { silence } from '../../support/scripted-upstream.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const KINDS = ['tts', 'playnotes', 'agents'] as const;
type Kind = (typeof KINDS)[number];
type User = 'ann' | 'bob';

let service: RunningService;
beforeAll(async () => {
  service = await startRunningService({
    script: silence,
    env: {
      VOXGATE_WORKS_AT_ONCE: '1',
      VOXGATE_WORKS_PER_USER: '10000',
      VOXGATE_UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '60000',
    },
  });
  // Keeps all others waiting, so that nothing changes by itself.
  await service.ask('POST', '/api/v1/tts', { user: 'eve', json: { text: 'job', voice: VOICE } });
});
afterAll(() => service?.close());

const create = (user: User | 'dan', kind: Kind, mark: string): Promise<Answer> => {
  const form = {
    synthesisStyle: 'debate',
    voice1: VOICE,
    voice1Name: mark,
    sourceFileUrl: 'https://example.com/',
  };
  if (kind === 'playnotes') return service.ask('POST', '/api/v1/playnotes', { user, form });
  const json = kind === 'tts' ? { text: mark, voice: VOICE } : { name: mark, voice: VOICE };
  return service.ask('POST', `/api/v1/${kind}`, { user, json });
};

/** Everything that names an id. */
const QUESTIONS: readonly (readonly [string, (id: string) => string, unknown?])[] = [
  ['GET', (id) => `/api/v1/tts/${id}`],
  ['POST', (id) => `/api/v1/tts/${id}/cancel`],
  ['DELETE', (id) => `/api/v1/tts/${id}`],
  ['GET', (id) => `/api/v1/playnotes/${id}`],
  ['DELETE', (id) => `/api/v1/playnotes/${id}`],
  ['GET', (id) => `/api/v1/agents/${id}`],
  ['PATCH', (id) => `/api/v1/agents/${id}`, { name: 'Mine' }],
  ['GET', (id) => `/api/v1/agent-stats/${id}`],
  ['POST', (id) => `/api/v1/webhooks/deliveries/${id}/replay`],
];

const shown = ({ status, headers, text }: Answer) => ({
  status,
  text,
  headers: [...headers]
    .filter(([name]) => !['date', 'ratelimit-remaining', 'ratelimit-reset', 'x-request-id'].includes(name))
    .map((line) => line.join(': '))
    .sort(),
});

type Step =
  | {
      readonly do: 'create' | 'read' | 'list' | 'delete';
      readonly user: User;
      readonly kind: 'tts' | 'playnotes';
      readonly pick: number;
    }
  | { readonly do: 'pry'; readonly user: User; readonly question: number; readonly pick: number };

const user = fc.constantFrom<User>('ann', 'bob');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constantFrom('create', 'create', 'read', 'list', 'delete'),
    user,
    kind: fc.constantFrom('tts', 'playnotes'),
    pick: fc.nat(99),
  }),
  fc.record({ do: fc.constant('pry'), user, question: fc.nat(QUESTIONS.length - 1), pick: fc.nat(99) }),
);

describe('two users', () => {
  it('each have their own, whatever they do', async () => {
    const mine: Record<User, Map<string, string>> = { ann: new Map(), bob: new Map() };
    let marks = 0;
    const idsOf = (of: User, kind?: string) =>
      [...mine[of]].filter(([, of]) => kind === undefined || of === kind).map(([id]) => id);
    const take = async (one: Step): Promise<void> => {
      const other = one.user === 'ann' ? 'bob' : 'ann';
      if (one.do === 'pry') {
        const ids = idsOf(other);
        const id = ids[one.pick % Math.max(1, ids.length)];
        if (id === undefined) return;
        const [method, pathOf, json] = QUESTIONS[one.question]!;
        const more = { user: one.user, ...(json === undefined ? {} : { json }) };
        const [foreign, unknown] = [
          await service.ask(method, pathOf(id), more),
          await service.ask(method, pathOf(UNKNOWN), more),
        ];
        expect([404, 429]).toContain(foreign.status);
        if (foreign.status === unknown.status) expect(shown(foreign)).toEqual(shown(unknown));
        return;
      }
      const own = idsOf(one.user, one.kind);
      const id = own[one.pick % Math.max(1, own.length)];
      if (one.do === 'create') {
        const made = await create(one.user, one.kind, `${one.user}-${marks++}`);
        // A user may have one PlayNote in the making; the other's counts for nothing.
        expect(made.status).toBe(one.kind === 'playnotes' && own.length > 0 ? 403 : 201);
        if (made.status === 201) mine[one.user].set(String(made.json.id), one.kind);
      } else if (one.do === 'list') {
        const { json, text } = await service.ask('GET', `/api/v1/${one.kind}?limit=100`, one);
        const listed = (json as unknown as { id: string }[]).map((record) => record.id);
        expect(new Set(listed)).toEqual(new Set(own));
        expect(text).not.toContain(`${other}-`);
      } else if (id !== undefined) {
        const method = one.do === 'read' ? 'GET' : 'DELETE';
        expect((await service.ask(method, `/api/v1/${one.kind}/${id}`, one)).status).toBe(
          one.do === 'read' ? 200 : 204,
        );
        if (one.do === 'delete') mine[one.user].delete(id);
      }
    };
    const clear = async () => {
      for (const of of ['ann', 'bob'] as const)
        for (const [id, kind] of mine[of]) {
          expect((await service.ask('DELETE', `/api/v1/${kind}/${id}`, { user: of })).status).toBe(204);
          mine[of].delete(id);
        }
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
        try {
          for (const one of steps) await take(one);
        } finally {
          await clear();
        }
      }),
      { numRuns: 12, endOnFailure: true },
    );
  }, 60_000);

  it('meet every id of the other like one that never was, agents included', async () => {
    // Two who have not been busy with agents before: those have limits.
    for (const kind of KINDS) {
      const made = await create('dan', kind, 'of dan');
      expect(made.status).toBe(201);
      const before = await service.ask('GET', `/api/v1/${kind}/${made.json.id}`, { user: 'dan' });
      for (const [method, pathOf, json] of QUESTIONS) {
        const more = { user: 'eve', ...(json === undefined ? {} : { json }) };
        const foreign = await service.ask(method, pathOf(String(made.json.id)), more);
        expect(foreign.status, `${method} ${pathOf('')}`).toBe(404);
        expect(shown(foreign)).toEqual(shown(await service.ask(method, pathOf(UNKNOWN), more)));
      }
      expect((await service.ask('GET', `/api/v1/${kind}/${made.json.id}`, { user: 'dan' })).json).toEqual(
        before.json,
      );
    }
  });

  it('cannot speak as an agent of the other', async () => {
    const agent = await create('ann', 'agents', 'of ann');
    const asked = (agentId: unknown) =>
      service.ask('POST', '/api/v1/tts', { user: 'bob', json: { text: 'a', voice: VOICE, agent: agentId } });
    const foreign = await asked(agent.json.id);
    expect([foreign.status, foreign.json.errorId]).toEqual([400, 'INVALID_REQUEST']);
    // What is told of it is what was asked for.
    const unknown = await asked(UNKNOWN);
    expect(foreign.text.replaceAll(String(agent.json.id), UNKNOWN)).toBe(unknown.text);
    expect(unknown.status).toBe(foreign.status);
    expect((await asked('\0')).status).toBe(400);
  });

  it('have Idempotency-Keys of their own', async () => {
    const ask = (of: User) =>
      service.ask('POST', '/api/v1/tts', {
        user: of,
        json: { text: `of ${of}`, voice: VOICE },
        headers: { 'idempotency-key': 'one' },
      });
    const [ann, bob, again] = [await ask('ann'), await ask('bob'), await ask('ann')];
    expect([ann.status, bob.status]).toEqual([201, 201]);
    expect(bob.json.id).not.toBe(ann.json.id);
    expect(again.json.id).toBe(ann.json.id);
    const isReplayed = ({ headers }: Answer) => headers.get('idempotency-replayed');
    expect([ann, bob, again].map(isReplayed)).toEqual([null, null, 'true']);
  });

  it('list agents of their own, page by page, and are told when one is not made again', async () => {
    const headers = { 'idempotency-key': 'agent' };
    const make = (name: string, more = {}) =>
      service.ask('POST', '/api/v1/agents', { user: 'fay', json: { name }, ...more });
    const made = [await make('one', { headers }), await make('two'), await make('three')];
    const again = await make('one', { headers });
    expect([again.json.id, again.headers.get('idempotency-replayed')]).toEqual([made[0]!.json.id, 'true']);
    expect(made.map((each) => each.headers.get('idempotency-replayed'))).toEqual([null, null, null]);
    const first = await service.ask('GET', '/api/v1/agents?limit=2', { user: 'fay' });
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link')!)![1]!;
    const second = await service.ask('GET', next, { user: 'fay' });
    const listed = [first, second].flatMap(({ json }) => json as unknown as { id: string; name: string }[]);
    expect(new Set(listed.map(({ name }) => name))).toEqual(new Set(['one', 'two', 'three']));
    expect([listed.length, second.headers.get('link')]).toEqual([3, null]);
    expect((await service.ask('GET', next, { user: 'eve' })).text).toBe('[]');
    expect((await service.ask('GET', '/api/v1/agents?limit=0', { user: 'fay' })).status).toBe(400);
  });

  it('cannot turn the other’s pages: a cursor leads through one’s own list only', async () => {
    for (let n = 0; n < 3; n += 1) await create('ann', 'tts', `of ann ${n}`);
    const { headers } = await service.ask('GET', '/api/v1/tts?limit=1');
    const next = /<([^>]+)>; rel="next"/.exec(headers.get('link')!)![1]!;
    const { text } = await service.ask('GET', next, { user: 'bob' });
    expect(text).not.toContain('of ann');
  });

  it('have webhook secrets and messages of their own', async () => {
    const secret = async (of: User) =>
      (await service.ask('GET', '/api/v1/webhooks/secret', { user: of })).json.secret;
    expect(await secret('ann')).toMatch(/^whsec_/);
    expect(await secret('ann')).not.toBe(await secret('bob'));
    expect((await service.ask('GET', '/api/v1/webhooks/deliveries', { user: 'bob' })).json).toEqual([]);
  });
});
