// The document at /openapi.json: that it is one (OpenAPI 3.1), that it names everything there is, and that what the
// gateway really answers is what it says. Schemas are read by a check of their own small vocabulary.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { speaking } from '../../support/running-gateway.ts';
import {
  type Answer,
  type RunningService,
  startRunningService,
  VOICE,
} from '../../support/running-service.ts';

type Schema = Readonly<Record<string, unknown>>;
type Operation = {
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema: Schema }[];
  readonly requestBody?: { content: Record<string, { schema: Schema }> };
  readonly responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>;
};
type Document = {
  readonly openapi: string;
  readonly info: { title: string; version: string };
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { securitySchemes: Record<string, Record<string, string>> };
  readonly security: readonly Record<string, readonly string[]>[];
};

const KEYWORDS = new Set(
  `$schema type properties required additionalProperties items anyOf allOf oneOf enum const format pattern minLength
  maxLength minimum maximum maxItems description default title propertyNames minItems id`.split(/\s+/),
);
const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

/** Where `value` is not as `schema` says. Unknown keywords throw: a check that reads over something proves nothing. */
function problems(schema: Schema, value: unknown, at = 'body'): string[] {
  const unread = Object.keys(schema).filter((key) => !KEYWORDS.has(key));
  if (unread.length > 0) throw new Error(`${at}: keywords ${unread.join(', ')}`);
  const found: string[] = [];
  const say = (what: string) => found.push(`${at}: ${what}`);
  const types = [schema.type ?? []].flat() as string[];
  if (types.length > 0 && !types.some((type) => TYPES[type]!(value)))
    say(`is not ${types.join('|')}: ${JSON.stringify(value)}`);
  if ('const' in schema && schema.const !== value) say('is another value');
  if (schema.enum !== undefined && !(schema.enum as unknown[]).includes(value)) say('is none of the values');
  const branches = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  if (branches?.every((branch) => problems(branch, value, at).length > 0)) say('fits no branch');
  if (typeof value === 'string') {
    if (schema.pattern !== undefined && !new RegExp(schema.pattern as string, 'u').test(value))
      say('pattern');
    if (schema.format === 'uri' && !URL.canParse(value)) say('is no address');
    if (schema.format === 'date-time' && Number.isNaN(Date.parse(value))) say('is no time');
  }
  if (typeof value === 'number') {
    if (value < ((schema.minimum as number | undefined) ?? -Infinity)) say('is too small');
    if (value > ((schema.maximum as number | undefined) ?? Infinity)) say('is too large');
  }
  if (Array.isArray(value) && schema.items !== undefined)
    value.forEach((item, index) => {
      found.push(...problems(schema.items as Schema, item, `${at}[${index}]`));
    });
  if (TYPES.object!(value)) {
    const fields = value as Record<string, unknown>;
    const known = (schema.properties ?? {}) as Record<string, Schema>;
    for (const name of (schema.required ?? []) as string[])
      if (!Object.hasOwn(fields, name)) say(`${name} is missing`);
    for (const [name, field] of Object.entries(fields)) {
      if (known[name] !== undefined) found.push(...problems(known[name], field, `${at}.${name}`));
      else if (schema.additionalProperties === false) say(`${name} is not in the document`);
    }
  }
  return found;
}

let service: RunningService;
let document: Document;
beforeAll(async () => {
  service = await startRunningService({ script: speaking });
  document = (await service.ask('GET', '/openapi.json')).json as unknown as Document;
});
afterAll(() => service?.close());

/** Every route that there is, ours and the interface's. */
const ROUTES = `
  GET /api/v1/voices; POST /api/v1/tts/stream; POST /api/v1/tts; POST /api/v1/tts/turbo; GET /api/v1/tts;
  GET /api/v1/tts/{id}; DELETE /api/v1/tts/{id}; POST /api/v1/tts/{id}/cancel; POST /api/v1/playnotes;
  GET /api/v1/playnotes; GET /api/v1/playnotes/{id}; DELETE /api/v1/playnotes/{id}; POST /api/v1/agents;
  GET /api/v1/agents;
  POST /v1/tokens; DELETE /v1/tokens/{id}; GET /v1/sessions; GET /v1/pool; GET /v1/operator; DELETE /v1/operator/sessions/{id}; GET /v1/sessions/{id}/captions.vtt;
  GET /v1/sessions/{id}/events; GET /v1/sessions/{id}/audio;
  PATCH /api/v1/agents/{agentId}; GET /api/v1/agents/{agentId}; GET /api/v1/agent-stats/{agentId};
  GET /api/v1/webhooks/secret; GET /api/v1/webhooks/deliveries; POST /api/v1/webhooks/deliveries/{id}/replay;
  POST /v1/legs/chan-websocket`
  .split(';')
  .map((route) => route.trim());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  );
const operationOf = (method: string, path: string): Operation => document.paths[path]![method.toLowerCase()]!;

describe('/openapi.json', () => {
  it('is open to everybody, JSON, and of OpenAPI 3.1', async () => {
    const response = await fetch(`${service.url}/openapi.json`);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    expect(document.openapi).toMatch(/^3\.1\.\d$/);
    expect(document.info).toMatchObject({ title: expect.any(String) as string, version: '1.0.0' });
  });

  it('names every route and no other', () => {
    expect(
      operations()
        .map(({ name }) => name)
        .filter((name) => !name.startsWith('HEAD '))
        .sort(),
    ).toEqual([...ROUTES].sort());
  });

  it('says of every operation what it does, what it answers, and which parts its path has', () => {
    for (const { name, path, operation } of operations()) {
      expect(operation.summary?.length, name).toBeGreaterThan(5);
      expect(operation.tags?.length, name).toBe(1);
      const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      expect(
        inPath.map((parameter) => [parameter.name, parameter.required]),
        name,
      ).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => [part, true]));
      const statuses = Object.keys(operation.responses);
      expect(statuses.filter((status) => /^2\d\d$/.test(status)).length, name).toBe(1);
      expect(statuses, name).toEqual(
        expect.arrayContaining(path.startsWith('/api/') ? ['401', '429'] : ['401']),
      );
      for (const [status, response] of Object.entries(operation.responses)) {
        expect(typeof response.description, `${name} ${status}`).toBe('string');
        if (status === '204') expect(response.content, name).toBeUndefined();
        else expect(Object.keys(response.content ?? {}).length, `${name} ${status}`).toBeGreaterThan(0);
      }
      const hasBody = /^(POST|PATCH)/.test(name) && !/cancel|replay/.test(name);
      expect(operation.requestBody !== undefined, name).toBe(hasBody);
    }
  });

  it('needs both credentials at once', () => {
    expect(document.security.map(Object.keys)).toEqual([['bearer', 'userId']]);
    expect(document.components.securitySchemes).toMatchObject({
      bearer: { type: 'http', scheme: 'bearer' },
      userId: { type: 'apiKey', in: 'header', name: 'X-USER-ID' },
    });
  });

  it('refers to nothing that is not in it', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref!);
    for (const ref of refs) {
      const found = ref
        .replace(/^#\//, '')
        .split('/')
        .reduce<unknown>((node, part) => (node as Record<string, unknown> | undefined)?.[part], document);
      expect(found, ref).toBeDefined();
    }
  });

  it('describes the form of a PlayNote', () => {
    const { content } = operationOf('POST', '/api/v1/playnotes').requestBody!;
    expect(Object.keys(content)).toEqual(['multipart/form-data']);
    const { properties, required } = content['multipart/form-data']!.schema as {
      properties: Record<string, Schema>;
      required: string[];
    };
    expect(Object.keys(properties)).toEqual(
      expect.arrayContaining(
        `sourceFile sourceFileUrl synthesisStyle voice1 voice1Name voice1Gender voice2 voice2Name voice2Gender
        webHookUrl`.split(/\s+/),
      ),
    );
    expect([...required].sort()).toEqual(['synthesisStyle', 'voice1', 'voice1Name']);
    expect(properties.sourceFile).toMatchObject({ type: 'string', format: 'binary' });
    expect(properties.synthesisStyle).toMatchObject({
      enum: ['podcast', 'executive-briefing', 'childrens-story', 'debate'],
    });
  });

  it('has the bounds, values and needs of the interface for speech', () => {
    for (const [path, needed] of [
      ['/api/v1/tts', ['text', 'voice']],
      ['/api/v1/tts/stream', ['model', 'text', 'voice']],
    ] as const) {
      const schema = operationOf('POST', path).requestBody!.content['application/json']!.schema as {
        properties: Record<string, Schema>;
        required: string[];
        additionalProperties: boolean;
      };
      expect([...schema.required].sort(), path).toEqual(needed);
      expect(schema.additionalProperties, path).toBe(false);
      expect(schema.properties.speed, path).toMatchObject({ type: 'number', minimum: 0.1, maximum: 5 });
      expect(schema.properties.sampleRate, path).toMatchObject({ minimum: 8000, maximum: 48_000 });
      expect(JSON.stringify(schema.properties.outputFormat)).toContain(
        '["mp3","mulaw","raw","wav","ogg","flac"]',
      );
    }
  });

  it('names the media types of a stream', () => {
    const types = Object.keys(operationOf('POST', '/api/v1/tts/stream').responses['200']!.content!);
    expect(types).toEqual(
      expect.arrayContaining([
        'audio/mpeg',
        'audio/wav',
        'audio/flac',
        'audio/ogg; codecs=opus',
        'audio/basic',
      ]),
    );
  });
});

describe('what the gateway answers', () => {
  const isAsDocumented = (method: string, path: string, { status, headers, json, text }: Answer) => {
    const response = operationOf(method, path).responses[String(status)];
    expect(response, `${method} ${path} ${status}: ${text.slice(0, 200)}`).toBeDefined();
    if (status === 204) return expect(text).toBe('');
    const type = headers.get('content-type')!.replace(/;.*/, '');
    const schema = response!.content![type]?.schema;
    expect(schema, `${method} ${path} ${type}`).toBeDefined();
    if (type === 'application/json')
      expect(problems(schema!, json), `${method} ${path} ${status}`).toEqual([]);
  };
  const ID = '00000000-0000-4000-8000-000000000000';
  const FIELDS = { text: 'One small step.', voice: VOICE };
  const FORM = {
    synthesisStyle: 'debate',
    voice1: VOICE,
    voice1Name: 'Anna',
    sourceFile: new Blob(['Text.']),
  };

  it('is what the document says, of every route, granted and refused', async () => {
    const asked = new Set<string>();
    const check = async (
      method: string,
      path: string,
      more: Parameters<RunningService['ask']>[2] = {},
      id = ID,
    ) => {
      const answer = await service.ask(method, path.replace(/\{\w+\}/, id), more);
      isAsDocumented(method, path, answer);
      asked.add(`${method} ${path}`);
      return answer;
    };
    for (const route of ROUTES) {
      const [method, path] = route.split(' ') as [string, string];
      await check(method, path, { headers: { authorization: 'Bearer no' } });
      if (method !== 'GET') await check(method, path, { json: { no: 1 } });
    }
    const { json: job } = await check('POST', '/api/v1/tts', { json: FIELDS });
    const { json: turbo } = await check('POST', '/api/v1/tts/turbo', {
      json: { ...FIELDS, outputFormat: 'raw' },
    });
    await service.until(`/api/v1/tts/${job.id}`, ({ status }) => status === 'completed');
    await check('GET', '/api/v1/tts/{id}', {}, String(job.id));
    await check('GET', '/api/v1/tts');
    await check('POST', '/api/v1/tts/{id}/cancel', {}, String(turbo.id));
    await check('DELETE', '/api/v1/tts/{id}', {}, String(turbo.id));
    const json = { ...FIELDS, model: 'VoxDialog' };
    isAsDocumented('POST', '/api/v1/tts/stream', await service.ask('POST', '/api/v1/tts/stream', { json }));
    const { json: note } = await check('POST', '/api/v1/playnotes', { form: FORM });
    await check('GET', '/api/v1/playnotes/{id}', {}, String(note.id));
    await check('GET', '/api/v1/playnotes');
    await check('DELETE', '/api/v1/playnotes/{id}', {}, String(note.id));
    const profile = {
      name: 'Desk',
      aliases: { anna: VOICE },
      pronunciations: [{ written: 'MRI', spoken: 'em ar eye' }],
    };
    const { json: agent } = await check('POST', '/api/v1/agents', { json: profile });
    await check('GET', '/api/v1/agents');
    await check('GET', '/api/v1/agents/{agentId}', {}, String(agent.id));
    await check('PATCH', '/api/v1/agents/{agentId}', { json: { aliases: null } }, String(agent.id));
    await check('GET', '/api/v1/agent-stats/{agentId}', {}, String(agent.id));
    await check('GET', '/api/v1/voices');
    await check('GET', '/api/v1/webhooks/secret');
    await check('GET', '/api/v1/webhooks/deliveries');
    await check('POST', '/api/v1/webhooks/deliveries/{id}/replay');
    expect([...asked].sort()).toEqual([...ROUTES].sort());
  });
});
