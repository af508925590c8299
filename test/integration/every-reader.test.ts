// Every reader through every way in and every encoding, by one gateway with its real servers: the same text, or the same
// refusal in the same words. What was taken is seen at the speech service, and in the script of a PlayNote.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Command, Terminal } from '../../src/cli/command.ts';
import { job } from '../../src/cli/job.ts';
import { narrate } from '../../src/cli/narrate.ts';
import { playnote } from '../../src/cli/playnote.ts';
import type { TimedScript } from '../../src/service/playnotes/playnote-script.ts';
import type { PlayNoteRecord } from '../../src/speech/service-records.ts';
import { docx, epub, wordXml, zip } from '../reading/hostile-files.ts';
import { encodeText } from '../support/encode-text.ts';
import { createFakeTerminal } from '../support/fake-terminal.ts';
import { writePdf } from '../support/pdf-writer.ts';
import { spoken } from '../support/running-gateway.ts';
import { keyOf, type RunningService, spokenBody, startRunningService } from '../support/running-service.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { audio, type Script } from '../support/scripted-upstream.ts';
import { trialSize } from '../support/trial-size.ts';

const PLAIN =
  'A lighthouse stands on the rock above the town. Every night a keeper lights the lamp of the tower. ' +
  'Ships of many countries pass the rock in summer. A small boat brings bread and oil to the island.';
const WESTERN =
  'A café stands on the rock above Münster. Every night a keeper lights “the lamp” of the tower – for ships. ' +
  'Ships of many countries pass the rock in summer. A small boat brings crème brûlée to the island.';
const ACCENTED = WESTERN.replace(/[“”]/g, '').replace('–', '-');
const CHINESE =
  '灯塔建在岩石上，已经有一百多年的历史。每天晚上，看守人点亮灯火，为过往的船只指明方向。夏天有许多国家的船只经过岩石。一只小船把面包和油运到岛上。';
const GREEK =
  'Ο φάρος στέκεται στον βράχο. Κάθε βράδυ ο φύλακας ανάβει το φως του πύργου. Πλοία περνούν το καλοκαίρι από τον βράχο. Μια μικρή βάρκα φέρνει ψωμί και λάδι στο νησί.';
const JAPANESE =
  '灯台は岩の上に建っていて、百年以上の歴史があります。毎晩、灯台守が明かりをともします。夏には多くの国の船が岩のそばを通ります。小さな船がパンと油を島に運びます。';

type Encoding = { readonly text: string; readonly bytes: (text: string) => Uint8Array };
const as =
  (label: string) =>
  (text: string): Uint8Array =>
    encodeText(text, label);
const ENCODINGS: Readonly<Record<string, Encoding>> = {
  'utf-8': { text: WESTERN, bytes: as('utf-8') },
  'utf-8 with a mark': { text: WESTERN, bytes: (text) => encodeText(`\ufeff${text}`, 'utf-8') },
  'utf-16le': { text: WESTERN, bytes: as('utf-16le') },
  'utf-16be': { text: WESTERN, bytes: as('utf-16be') },
  'utf-16le without a mark': { text: WESTERN, bytes: (text) => encodeText(text, 'utf-16le').subarray(2) },
  'utf-16be without a mark': { text: WESTERN, bytes: (text) => encodeText(text, 'utf-16be').subarray(2) },
  'windows-1252': { text: WESTERN, bytes: as('windows-1252') },
  'iso-8859-1': { text: ACCENTED, bytes: as('iso-8859-1') },
  gbk: { text: CHINESE, bytes: as('gbk') },
  shift_jis: { text: JAPANESE, bytes: as('shift_jis') },
};
const labelOf = (encoding: string) => encoding.split(' ', 1)[0]!;

/** Documents that are text; `declared` says what they say of their own encoding. */
type Maker = (text: string, declared: string | undefined) => string;
const TEXTS: Readonly<Record<string, Maker>> = {
  'a.txt': (text) => `${text}\n`,
  'a.md': (text) => `${text}\n`,
  'a.csv': (text) =>
    `Text\n${(text.match(/[^.。]+[.。]/gu) ?? []).map((one) => `"${one.trim()}"`).join('\n')}\n`,
  'a.html': (text, declared) =>
    `<!doctype html><html><head>${declared === undefined ? '' : `<meta charset="${declared}">`}</head><body><p>${text}</p></body></html>`,
  'a.xhtml': (text, declared) =>
    `<?xml version="1.0"${declared === undefined ? '' : ` encoding="${declared}"`}?>\n<html xmlns="http://www.w3.org/1999/xhtml"><head></head><body><p>${text}</p></body></html>`,
};

type Row = {
  readonly name: string;
  readonly about: string;
  readonly bytes: Uint8Array;
  /** The text, or undefined: it is refused. */
  readonly text: string | undefined;
  /** The charset of the Content-Type with which an address serves it. */
  readonly charset?: string;
};

const row = (name: string, about: string, bytes: Uint8Array, text?: string): Row => ({
  name,
  about,
  bytes,
  text,
});
const chapter = (text: string, declared: string) =>
  `<?xml version="1.0" encoding="${declared}"?><html xmlns="http://www.w3.org/1999/xhtml"><body><p>${text}</p></body></html>`;

const ROWS: readonly Row[] = [
  ...Object.entries(TEXTS).flatMap(([name, make]) =>
    Object.entries(ENCODINGS).flatMap(([encoding, { text, bytes }]) => {
      const isPage = /html$/.test(name);
      const bare = row(name, encoding, bytes(make(text, undefined)), text);
      return isPage
        ? [bare, row(name, `${encoding}, declared`, bytes(make(text, labelOf(encoding))), text)]
        : [bare];
    }),
  ),
  row('a.pdf', 'one column', writePdf([PLAIN], { columns: 1, gap: 0 }), PLAIN),
  row('a.docx', 'utf-8', docx(wordXml(`<w:p><w:r><w:t>${WESTERN}</w:t></w:r></w:p>`)), WESTERN),
  row('a.epub', 'utf-8', epub([chapter(WESTERN, 'utf-8')]), WESTERN),
  row('a.epub', 'utf-16', epub([encodeText(chapter(WESTERN, 'utf-16'), 'utf-16le')]), WESTERN),
  row(
    'a.epub',
    'windows-1252',
    epub([encodeText(chapter(WESTERN, 'windows-1252'), 'windows-1252')]),
    WESTERN,
  ),
  row('a.rtf', 'a rich text', Buffer.from(`{\\rtf1 ${PLAIN}}`)),
  row(
    'a.odt',
    'OpenDocument',
    zip([
      { name: 'mimetype', content: Buffer.from('application/vnd.oasis.opendocument.text'), stored: true },
      { name: 'content.xml', content: Buffer.from('<office:document-content/>') },
    ]),
  ),
  row(
    'a.srt',
    'subtitles',
    Buffer.from(`1\n00:00:01,000 --> 00:00:04,000\n${PLAIN}\n\n2\n00:00:05,000 --> 00:00:09,000\n${PLAIN}\n`),
  ),
  row('a.vtt', 'captions', Buffer.from(`WEBVTT\n\n00:01.000 --> 00:04.000\n${PLAIN}\n`)),
  row('a.doc', 'an old document', Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old', 'latin1')),
  row('a.png', 'a picture', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')),
  row('a.json', 'data', Buffer.from('{"a": [1, 2, 3], "b": "text"}')),
  row('damaged.pdf', 'damaged', Buffer.from('%PDF-1.7\nnothing of a PDF')),
  row('damaged.docx', 'damaged', docx(wordXml(`<w:p><w:r><w:t>${PLAIN}</w:t></w:r></w:p>`)).subarray(0, 300)),
  row('empty.txt', 'empty', new Uint8Array()),
  row('blank.txt', 'blanks', Buffer.from('   \n\n  \n')),
  row('binary.txt', 'zeros', Buffer.from('a\0b\0\0c\x01\x02\x03', 'latin1')),
  row(
    'a.txt',
    'an encoding that cannot be told',
    encodeText('Ο φάρος στέκεται στον βράχο εδώ και εκατό χρόνια.', 'windows-1253'),
  ),
];

/** As long as ideographs take, too: what is much shorter than its text is asked for again. */
const slowly: Script = (reply) => {
  const { text } = spokenBody(reply.request.body);
  const perSecond = /\p{sc=Han}/u.test(text) ? 6 : 20;
  return audio(spoken(Math.max(1, Math.round(text.length / perSecond / 2.3))))(reply);
};

let service: RunningService;
let site: Server;
let folder: string;
/** What the site serves at each path. */
const served = new Map<string, Row>();

beforeAll(async () => {
  folder = scratchFolder('every-reader');
  site = createServer((request, response) => {
    const { bytes, name, charset } = served.get(request.url!)!;
    const type = name.endsWith('.html') ? 'text/html' : 'application/octet-stream';
    response.setHeader('content-type', charset === undefined ? type : `${type}; charset=${charset}`);
    response.end(bytes);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  service = await startRunningService({
    script: slowly,
    env: {
      VOXGATE_UPSTREAM_KEYS: 'user:key@100000',
      VOXGATE_WORKS_AT_ONCE: '8',
      VOXGATE_WORD_TIMES: 'never',
      VOXGATE_ENDINGS: 'sound',
      // One makes a PlayNote at a time.
      VOXGATE_API_KEYS: ['narrate', 'job', 'playnote', 'upload', 'address']
        .map((user) => `${user}:${keyOf(user)}`)
        .join(','),
    },
  });
});
afterAll(async () => {
  await service.close();
  await new Promise((resolve) => site.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

/** What the program says last, or what it made of the text. */
type Taken = { readonly text: string } | { readonly refusal: string };

async function command(made: Command, user: string, args: readonly string[]): Promise<string | undefined> {
  const url = made === narrate ? service.sessionUrl : service.url;
  const terminal: Terminal & { readonly complaints: readonly string[] } = {
    ...createFakeTerminal([...args, '--url', String(url), '--user', user, '--key', keyOf(user)]),
    readFile: (path) => readFileSync(path, 'utf8'),
    writeFile: (path, bytes) => writeFileSync(path, bytes),
  };
  try {
    return (await made.run(terminal)) === 0 ? undefined : terminal.complaints.join('\n');
  } catch (error) {
    return (error as Error).message;
  }
}

/** The requests that carry `seed`, in order: each way has its own. */
const requested = (seed: number): string =>
  service.upstream.requests
    .map(({ body }) => spokenBody(body))
    .filter((body) => body.seed === seed)
    .map(({ text }) => text)
    .join(' ');
const told = (script: TimedScript): string =>
  script.chapters
    .flatMap(({ lines }) => lines)
    .filter(({ sources }) => sources.length > 0)
    .map(({ text }) => text)
    .join(' ');

let seeds = 0;
let paths = 0;
const STYLE = ['--style', 'executive-briefing', '--voices', '1', '--voice1', 'voice://a'];

async function ofRecord(
  user: string,
  form: Readonly<Record<string, string | Blob>>,
  name: string,
): Promise<Taken> {
  const body = new FormData();
  for (const [field, value] of Object.entries({
    synthesisStyle: 'executive-briefing',
    voice1: 'voice://a',
    voice1Name: 'Ada',
    ...form,
  }))
    if (typeof value === 'string') body.append(field, value);
    else body.append(field, value, name);
  const created = await service.ask('POST', '/api/v1/playnotes', { user, form: body });
  if (created.status !== 201) return { refusal: created.text };
  const { json } = await service.until(
    `/api/v1/playnotes/${created.json.id}`,
    ({ status }) => status !== 'generating',
    user,
  );
  const record = json as unknown as PlayNoteRecord;
  if (record.status !== 'completed') return { refusal: `${record.error?.code}: ${record.error?.message}` };
  return { text: told((await (await fetch(record.scriptUrl!)).json()) as TimedScript) };
}

type Way = (row: Row) => Promise<Taken>;
const fileOf = ({ name, bytes }: Row, way: string): string => {
  const path = join(folder, `${way}-${paths++}-${name}`);
  writeFileSync(path, bytes);
  return path;
};
const WAYS: Readonly<Record<string, Way>> = {
  async narrate(given) {
    const seed = ++seeds;
    const path = fileOf(given, 'narrate');
    const refusal = await command(narrate, 'narrate', [
      path,
      '--out',
      `${path}.mp3`,
      '--voice',
      'voice://a',
      '--seed',
      String(seed),
    ]);
    return refusal === undefined ? { text: requested(seed) } : { refusal };
  },
  async 'job --file'(given) {
    const seed = ++seeds;
    const path = fileOf(given, 'job');
    const refusal = await command(job, 'job', [
      '--file',
      path,
      '--out',
      `${path}.mp3`,
      '--voice',
      'voice://a',
      '--seed',
      String(seed),
    ]);
    return refusal === undefined ? { text: requested(seed) } : { refusal };
  },
  async playnote(given) {
    const path = fileOf(given, 'playnote');
    const script = `${path}.json`;
    const refusal = await command(playnote, 'playnote', [
      path,
      '--out',
      `${path}.mp3`,
      '--script',
      script,
      ...STYLE,
    ]);
    return refusal === undefined
      ? { text: told(JSON.parse(readFileSync(script, 'utf8')) as TimedScript) }
      : { refusal };
  },
  /** What the page sends, too. */
  upload: (given) => ofRecord('upload', { sourceFile: new Blob([new Uint8Array(given.bytes)]) }, given.name),
  address(given) {
    const path = `/${paths++}-${given.name}`;
    served.set(path, given);
    const { port } = site.address() as AddressInfo;
    return ofRecord('address', { sourceFileUrl: `http://127.0.0.1:${port}${path}` }, given.name);
  },
};

const sentences = (text: string) => (text.match(/[^.。]+[.。]/gu) ?? []).map((one) => one.trim());
const words = (text: string) => (text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ');
/** A PlayNote tells what it picks, in its own order; the others all there is, in order. */
const isPicked = (way: string) => !['narrate', 'job --file'].includes(way);

async function everyWay(given: Row, ways: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const taken = await Promise.all(
    Object.entries(WAYS)
      .filter(([way]) => ways.includes(way))
      .map(async ([way, take]): Promise<readonly [string, string]> => {
        const result = await take(given);
        if ('refusal' in result)
          return [way, `refused: ${REASON.exec(result.refusal)?.[0] ?? result.refusal}`];
        const said = words(result.text);
        const all = sentences(given.text ?? '').map(words);
        if (!isPicked(way)) return [way, said.replaceAll(/(?:^| )Text(?= )/g, '').trim()];
        const rest = all.reduce(
          (left, one) => left.replace(one, ''),
          said.replaceAll(/(?:^| )Text(?= )/g, ''),
        );
        const picked = all.filter((one) => said.includes(one));
        // No word that is not of the text, and at least half of its sentences.
        return [way, rest.trim() === '' && picked.length * 2 >= all.length ? all.join(' ') : said];
      }),
  );
  return Object.fromEntries(taken);
}
/** The sentence of a refusal without what stands around it: the flag, the code, the hint where to look. */
const REASON = /(?:This|These|The (?!text comes)|Nothing)[^"]*?\.(?=$|["\n])/;

const wanted = ({ text }: Row, ways: readonly string[], reason: string) =>
  Object.fromEntries(
    ways.map((way) => [
      way,
      text === undefined ? `refused: ${reason}` : sentences(text).map(words).join(' '),
    ]),
  );

/**
 * A PlayNote costs a second. In the small trial these rows go through one of the three ways of those, in turn; encodings of other
 * kinds than plain text are left to test/cli/text-input.test.ts, which has all of them by the readers alone.
 */
const AS_PLAYNOTES: readonly string[] = [
  'a.txt utf-8',
  'a.txt utf-16le',
  'a.txt windows-1252',
  'a.txt gbk',
  'a.txt shift_jis',
  'a.html windows-1252, declared',
  'a.pdf one column',
  'a.docx utf-8',
  'a.epub windows-1252',
  'a.rtf a rich text',
  'a.odt OpenDocument',
  'a.srt subtitles',
  'damaged.pdf damaged',
  'a.txt an encoding that cannot be told',
];
const IS_WHOLE = trialSize(1, 0) === 1;
const nameOf = ({ name, about }: Row) => `${name} ${about}`;
const isTried = (given: Row): boolean =>
  IS_WHOLE ||
  given.text === undefined ||
  !/^a\.(?:md|csv|x?html)$/.test(given.name) ||
  ['a.md utf-16le', 'a.csv windows-1252', 'a.xhtml gbk, declared', 'a.html gbk'].includes(nameOf(given)) ||
  AS_PLAYNOTES.includes(nameOf(given));
const OF_PLAYNOTES = ['playnote', 'upload', 'address'] as const;
const waysOf = (given: Row): readonly string[] => {
  if (IS_WHOLE) return Object.keys(WAYS);
  const turn = AS_PLAYNOTES.indexOf(nameOf(given));
  return ['narrate', 'job --file', ...(turn === -1 ? [] : [OF_PLAYNOTES[turn % 3]!])];
};

describe('every way in', () => {
  it.each(ROWS.filter(isTried).map((given) => [given.name, given.about, given] as const))(
    '%s, %s',
    async (_name, _about, given) => {
      const ways = waysOf(given);
      const said = await everyWay(given, ways);
      const [reason = ''] = Object.values(said).map((one) => one.replace(/^refused: /, ''));
      if (given.text === undefined) expect(reason).toMatch(/^(?:This|These|The) .*\.$/);
      expect(said).toEqual(wanted(given, ways, reason));
    },
  );

  it('an address takes the charset of its header', async () => {
    const bytes = encodeText(TEXTS['a.html']!(GREEK, undefined), 'windows-1253');
    const taken = await WAYS.address!({ ...row('a.html', 'Greek', bytes, GREEK), charset: 'windows-1253' });
    expect(sentences(GREEK)).toEqual(
      expect.arrayContaining(sentences('text' in taken ? taken.text : taken.refusal)),
    );
  });

  it('a text in JSON is UTF-8, or is refused', async () => {
    const send = (path: string, bytes: Uint8Array) =>
      fetch(new URL(path, service.url), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${keyOf('job')}`,
          'x-user-id': 'job',
          'content-type': 'application/json',
        },
        body: new Uint8Array(bytes),
      });
    const json = JSON.stringify({ text: ACCENTED, voice: 'voice://a', outputFormat: 'mp3', seed: 77_777 });
    for (const path of ['/api/v1/tts', '/api/v1/tts/stream'])
      for (const encoding of ['utf-16le', 'iso-8859-1']) {
        const answer = await send(path, encodeText(json, encoding));
        expect([path, encoding, answer.status, await answer.text()]).toEqual([
          path,
          encoding,
          400,
          expect.stringContaining('UTF-8'),
        ]);
      }
  });
});
