// The service interface, all of it: one row per statement, each asked of a running gateway as a caller would.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { speaking } from '../../support/running-gateway.ts';
import {
  type RunningService,
  spokenBody,
  startRunningService,
  VOICE,
} from '../../support/running-service.ts';
import { type Script, silence } from '../../support/scripted-upstream.ts';
import type { Contract, ContractRow } from './contract-row.ts';
import { jobRows } from './job-rows.ts';
import { playNoteRows } from './playnote-rows.ts';
import { replyRows } from './reply-rows.ts';
import { serviceRows } from './service-rows.ts';
import { streamRows } from './stream-rows.ts';

const rows: readonly ContractRow[] = [
  ...replyRows,
  ...playNoteRows,
  ...jobRows,
  ...streamRows,
  ...serviceRows,
];

/** Written down from the interface, section by section, so that no row can be forgotten in silence. */
const SECTIONS: Readonly<Record<string, string>> = {
  '2.1': `id ownerId name sourceFileUrl audioUrl synthesisStyle voice1 voice1Name voice1Gender voice2 voice2Name
    voice2Gender webHookUrl status duration requestedAt createdAt`,
  '2.2': 'id createdAt input completedAt output',
  '2.2 output': 'url contentType fileSize duration',
  '2.3': 'voice',
  '3': 'generating completed failed',
  '4.1': 'playNoteId accept',
  '4.2': 'accept reply',
  '4.3': `content-type accept sourceFile sourceFileUrl synthesisStyle voice1 voice1Name voice1Gender voice2 voice2Name
    voice2Gender webHookUrl reply failure`,
  '4.4': `model text voice voice2 turnPrefix turnPrefix2 quality outputFormat speed sampleRate seed temperature
    voiceGuidance styleGuidance textGuidance prompt prompt2 voiceConditioningSeconds voiceConditioningSeconds2 language
    webHookUrl body reply`,
  '4.5': `model text voice voice2 outputFormat speed sampleRate seed temperature turnPrefix turnPrefix2 prompt prompt2
    voiceConditioningSeconds voiceConditioningSeconds2 language reply multi-turn AUTHORIZATION`,
  '4.6': 'agents',
  '5': 'Authorization X-USER-ID',
  '6': 'webHookUrl',
  '7': 'body',
  '9': 'version',
};
const MORE = ['4.3 exactly one', '5 both headers', '8.4 POST agents', '8.4 PATCH agents', '8.4 GET agents'];
const LAST = '8.4 GET agent-stats';

/** Jobs of this text are never answered, so that one of them keeps all the others waiting. */
const script: Script = (reply) => (spokenBody(reply.request.body).text === 'job' ? silence : speaking)(reply);

let service: RunningService;
let contract: Contract;
const hooks = createServer();

beforeAll(async () => {
  const told: Contract['lived']['told'][number][] = [];
  hooks.on('request', (request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      told.push({ headers: request.headers, body: JSON.parse(text) });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => hooks.listen(0, '127.0.0.1', resolve));
  const webHookUrl = `http://127.0.0.1:${(hooks.address() as AddressInfo).port}/hook`;
  service = await startRunningService({
    script,
    env: {
      VOXGATE_WORKS_AT_ONCE: '1',
      VOXGATE_WORKS_PER_USER: '10000',
      VOXGATE_UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '60000',
      VOXGATE_VOICE_ALIASES: `anna=${VOICE},ben=voice://b,both=anna+ben`,
    },
  });

  const wish = {
    model: 'VoxDialog',
    text: 'The tide turns twice a day.',
    voice: VOICE,
    outputFormat: 'wav',
    sampleRate: 8000,
    seed: 11,
    webHookUrl,
  };
  const job = await service.ask('POST', '/api/v1/tts', { json: wish });
  const form = {
    synthesisStyle: 'executive-briefing',
    voice1: 's3://voices/anna/manifest.json?v=1#a',
    voice1Name: 'Anna',
    voice1Gender: 'Female',
    webHookUrl,
  };
  const text = `Tides\n\nThe tide turns twice a day on most coasts. The moon pulls the sea towards it as the earth turns below. Ships wait for high water before they enter a shallow harbour. Fishermen read the tables of the tides every morning.\n`;
  const sourceFile = new Blob([text], { type: 'text/plain' });
  const isOver = ({ status }: Record<string, unknown>) => status === 'completed' || status === 'failed';
  const jobEnded = await service.until(`/api/v1/tts/${job.json.id}`, isOver);
  const note = await service.ask('POST', '/api/v1/playnotes', { form: { ...form, sourceFile } });
  const noteEnded = await service.until(`/api/v1/playnotes/${note.json.id}`, isOver);
  const unreadable = { ...form, sourceFile: new Blob([Buffer.from('MZ\0\0\x01\x02\xff\xfe')]) };
  const failing = await service.ask('POST', '/api/v1/playnotes', { form: unreadable });
  const failed = await service.until(`/api/v1/playnotes/${failing.json.id}`, isOver);
  const endMs = performance.now() + 5000;
  const hasAll = () =>
    ['playnote.completed', 'playnote.failed', 'tts.completed'].every((type) =>
      told.some(({ body }) => (body as { type: string }).type === type),
    );
  while (!hasAll() && performance.now() < endMs) await new Promise((resolve) => setTimeout(resolve, 20));
  await service.ask('POST', '/api/v1/tts', { user: 'bob', json: { text: 'job', voice: VOICE } });
  const lived = {
    job: { taken: job, ended: jobEnded, wish },
    playNote: { taken: note, ended: noteEnded },
    failedPlayNote: failed,
    told,
  };
  contract = { service, lived };
}, 300_000);

afterAll(async () => {
  await service?.close();
  hooks.closeAllConnections();
  await new Promise((resolve) => hooks.close(resolve));
});

describe('the service interface', () => {
  it('is here row for row', () => {
    const listed = Object.entries(SECTIONS).flatMap(([section, names]) =>
      names.split(/\s+/).map((name) => `${section} ${name}`),
    );
    const tested = new Set(rows.map(({ section }) => section));
    expect([...listed, ...MORE, LAST].filter((section) => !tested.has(section))).toEqual([]);
  });

  it.each(rows)('$section: $says', ({ check }) => check(contract));
});
