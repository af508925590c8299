// Text, pages and tables in the encodings that files have, through the ways in of a running gateway: the form that programs and the page send. What the speech service is asked to say is the same, or the refusal is.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Command } from '../../src/cli/command.ts';
import { job } from '../../src/cli/job.ts';
import { narrate } from '../../src/cli/narrate.ts';
import { encodeText } from '../support/encode-text.ts';
import { createFakeTerminal } from '../support/fake-terminal.ts';
import { type RunningGateway, speaking, startRunningGateway } from '../support/running-gateway.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const WESTERN = [
  'Le café du port était fermé pendant tout l’été.',
  'Müller paya une crème brûlée à chaque pêcheur du quai.',
  'La marée découvre deux fois par jour les vieux piliers de chêne.',
  'Personne n’a repeint la façade depuis la dernière tempête de février.',
];
const LATIN1 = WESTERN.map((sentence) => sentence.replaceAll('’', "'"));
const MIXED = [...WESTERN.slice(0, 3), 'Le gardien écrit « Привет » et « 灯台 » dans le registre du phare.'];
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  'utf-8': MIXED,
  'utf-16le': MIXED,
  'utf-16be': MIXED,
  'windows-1252': WESTERN,
  'iso-8859-1': LATIN1,
  gbk: [
    '灯塔建在海边的岩石上，已经有一百多年的历史。',
    '每天晚上，看守人点亮灯火，为过往的船只指明方向。',
    '冬天的风很大，海浪常常打到窗户上。',
    '现在灯塔里有一个小小的博物馆。',
  ],
  shift_jis: [
    '灯台は岩の上に建っていて、百年以上の歴史があります。',
    '毎晩、灯台守が明かりをともして、船に道を知らせます。',
    '冬の風は強くて、波が窓まで上がります。',
    '今は灯台の中に小さな博物館があります。',
  ],
};

/** Around the same sentences; what a browser says of such a file. */
const KINDS: Readonly<
  Record<string, { type: string; make: (sentences: readonly string[], encoding: string) => string }>
> = {
  'a.txt': { type: 'text/plain', make: (sentences) => `${sentences.join('\n\n')}\n` },
  'a.html': {
    type: 'text/html',
    make: (sentences, encoding) =>
      `<!doctype html><html><head><meta charset="${encoding}"></head><body>${sentences.map((one) => `<p>${one}</p>`).join('')}</body></html>`,
  },
  'a.csv': {
    type: 'text/csv',
    make: (sentences) => `Nr,Text\n${sentences.map((one, at) => `${at + 1},"${one}"`).join('\n')}\n`,
  },
};

const headers = { authorization: 'Bearer local', 'x-user-id': 'local' };
const VOICE = 'vox:anna';
const words = (text: string) => (text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ');

let gateway: RunningGateway;
const folder = scratchFolder('encodings');
beforeAll(async () => {
  gateway = await startRunningGateway({
    script: speaking,
    env: { VOXGATE_UPSTREAM_KEYS: 'user:key@10000', VOXGATE_ASK_PER_MINUTE: '0' },
  });
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

async function command(one: Command, args: readonly string[]): Promise<void> {
  const terminal = {
    ...createFakeTerminal([...args, '--url', one === narrate ? gateway.sessionUrl : gateway.url]),
    readFile: (path: string) => readFileSync(path, 'utf8'),
    writeFile: (path: string, bytes: Uint8Array) => writeFileSync(path, bytes),
  };
  if ((await one.run(terminal)) !== 0) throw new Error(terminal.complaints.join(' '));
}

/** As the page does, and programs: a form. */
async function upload(path: string, name: string): Promise<void> {
  const form = new FormData();
  for (const [field, value] of Object.entries({
    synthesisStyle: 'executive-briefing',
    voice1: VOICE,
    voice1Name: 'Anna',
  }))
    form.append(field, value);
  const type = KINDS[name]?.type ?? 'text/plain';
  form.append('sourceFile', new Blob([new Uint8Array(readFileSync(path))], { type }), name);
  const made = await fetch(`${gateway.url}/api/v1/playnotes`, { method: 'POST', headers, body: form });
  let record = (await made.json()) as { id: string; status: string; error?: { message: string } | null };
  while (record.status === 'generating') {
    await new Promise((resolve) => setTimeout(resolve, 20));
    record = (await (
      await fetch(`${gateway.url}/api/v1/playnotes/${record.id}`, { headers })
    ).json()) as typeof record;
  }
  if (record.status !== 'completed') throw new Error(JSON.stringify(record));
}

const WAYS: Readonly<Record<string, (path: string, name: string) => Promise<void>>> = {
  narrate: (path) => command(narrate, [path, '--out', join(folder, 'out.wav'), '--pace', 'burst']),
  'job --file': (path) => command(job, ['--file', path, '--out', join(folder, 'out.mp3'), '--voice', VOICE]),
  'REST, page': upload,
};
/** These choose among the sentences. */
const CHOOSING = ['REST, page'];
const MIN_CHOSEN = 2;

/** What the speech service was asked to say. */
async function saidBy(way: string, path: string, name: string): Promise<string> {
  const before = gateway.upstream.requests.length;
  await WAYS[way]!(path, name);
  const asked = gateway.upstream.requests.slice(before).map(({ body }) => (body as { text: string }).text);
  return words(asked.join(' '));
}

/**
 * All ways share one reader, which test/cli/text-input.test.ts tries with every kind in every encoding; here each encoding has
 * a form, and each kind of file two.
 */
const CASES: readonly (readonly [name: string, encoding: string, ways: readonly string[]])[] = [
  ['a.txt', 'gbk', ['REST, page']],
  ...['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-1', 'shift_jis'].map(
    (encoding) => ['a.txt', encoding, ['REST, page']] as const,
  ),
  ['a.html', 'windows-1252', ['REST, page']],
  ['a.html', 'shift_jis', ['REST, page']],
  ['a.csv', 'utf-16le', ['REST, page']],
  ['a.csv', 'gbk', ['REST, page']],
];

it.each(CASES)('%s in %s is said the same by each way in', async (name, encoding, ways) => {
  const sentences = TEXTS[encoding]!;
  const path = join(folder, name);
  writeFileSync(path, encodeText(KINDS[name]!.make(sentences, encoding), encoding));
  for (const way of ways) {
    const said = await saidBy(way, path, name);
    const missing = sentences.filter((sentence) => !said.includes(words(sentence)));
    const most = CHOOSING.includes(way) ? sentences.length - MIN_CHOSEN : 0;
    expect([way, missing.length > most ? missing : []]).toEqual([way, []]);
  }
});

describe('what cannot be told', () => {
  it('is refused in the same words by every way in', async () => {
    const greek = 'Ο φάρος στέκεται στον βράχο εδώ και εκατό χρόνια και κάθε βράδυ ο φύλακας ανάβει το φως.';
    const path = join(folder, 'greek.txt');
    writeFileSync(path, encodeText(greek, 'windows-1253'));
    for (const way of Object.keys(WAYS)) {
      const thrown: unknown = await saidBy(way, path, 'greek.txt').catch((error: unknown) => error);
      expect([way, String(thrown)]).toEqual([
        way,
        expect.stringContaining(
          'The encoding of the text is not stated and cannot be told; save it as UTF-8.',
        ),
      ]);
    }
  });
});
