// Real documents to finished PlayNotes through a whole gateway: every source and every style, over HTTP, with the speech of
// a scripted service; and one with the embedded engine. Every source in every style, with real speech, is scripts/playnote-trial.mjs.

import { openAsBlob } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streamSamples } from '../../src/audio/mp3/mp3-to-pcm.ts';
import { SCRIPT_LENGTHS } from '../../src/script/script-length.ts';
import { wordCount } from '../../src/script/words.ts';
import type { TimedScript } from '../../src/service/playnotes/playnote-script.ts';
import { SYNTHESIS_STYLES } from '../../src/speech/playnote-request.ts';
import { type PlayNoteRecord, playNoteSchema } from '../../src/speech/service-records.ts';
import { readFixture } from '../reading/read-fixture.ts';
import { codecs } from '../support/codecs.ts';
import { decodeMp3, parseMp3 } from '../support/mp3-fixtures.ts';
import { findingsOf } from '../support/playnote-findings.ts';
import { readVtt, untimely } from '../support/read-vtt.ts';
import { speaking } from '../support/running-gateway.ts';
import { keyOf, type RunningService, startRunningService } from '../support/running-service.ts';
import { trialSize } from '../support/trial-size.ts';

const SOURCES = {
  'lighthouses.pdf': 'english',
  'brot.docx': 'german',
  'abeilles.epub': 'french',
  'tides.html': 'english',
} as const;
type SourceName = keyof typeof SOURCES;
const SPEAKERS = { name1: 'Ada', name2: 'Ben', voices: 2 } as const;
const PHASES = ['waiting', 'reading', 'writing', 'speaking', 'finishing', 'completed'];
/** Sentences said twice and the phrases around them, against the words that were picked. */
const MOST_SAID_SHARE = 1.25;
/** Of the scripted speech, which is brisk. */
const LONGEST_TURN_MS = 45_000;

type Told = { readonly type: string; readonly timestamp: string; readonly data: PlayNoteRecord };

let service: RunningService;
let hooks: Server;
const told: Told[] = [];
/** Each source and each style once, which FUZZ=all tries; all sixteen are the trial’s. */
const combinations = (Object.keys(SOURCES) as SourceName[]).map(
  (source, index) => [source, SYNTHESIS_STYLES[(index + 1) % SYNTHESIS_STYLES.length]!] as const,
);
/** Everybody may have one generation at a time. */
const userOf = (source: string, style: string) => `${source}-${style}`;

beforeAll(async () => {
  hooks = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      response.end();
      told.push(JSON.parse(body) as Told);
    });
  });
  await new Promise<void>((resolve) => hooks.listen(0, '127.0.0.1', resolve));
  service = await startRunningService({
    script: speaking,
    env: {
      // A limit that has to be found out lets few requests through in the first minutes.
      VOXGATE_UPSTREAM_KEYS: 'user:key@10000',
      VOXGATE_API_KEYS: combinations.map((pair) => `${userOf(...pair)}:${keyOf(userOf(...pair))}`).join(','),
    },
  });
});
afterAll(async () => {
  await service.close();
  await new Promise((resolve) => hooks.close(resolve));
});

async function make(source: SourceName, style: string): Promise<PlayNoteRecord> {
  const form = new FormData();
  const fields = {
    synthesisStyle: style,
    voice1: 'voice://a',
    voice1Name: SPEAKERS.name1,
    voice2: 'voice://b',
    voice2Name: SPEAKERS.name2,
    webHookUrl: `http://127.0.0.1:${(hooks.address() as AddressInfo).port}/`,
  };
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const path = fileURLToPath(new URL(`../../fixtures/documents/${source}`, import.meta.url));
  form.append('sourceFile', await openAsBlob(path), source);
  const answer = await service.ask('POST', '/api/v1/playnotes', { user: userOf(source, style), form });
  expect(answer.status, answer.text).toBe(201);
  const ended = await service.until(
    `/api/v1/playnotes/${answer.json.id as string}`,
    ({ status }) => status !== 'generating',
    userOf(source, style),
  );
  return playNoteSchema.parse(ended.json);
}

const bytesOf = async (url: string) => new Uint8Array(await (await fetch(url)).arrayBuffer());
const textOf = async (url: string) => (await fetch(url)).text();

describe('PlayNotes of real documents', () => {
  /** Every second one, unless all are asked for. */
  it.each(combinations.filter((_pair, index) => index % trialSize(1, 2) === 0))(
    '%s as %s',
    async (source, style) => {
      const record = await make(source, style);
      if (style === 'debate') {
        // None of these documents weighs its subject up.
        const message = expect.stringMatching(
          /no debate .*choose another style: podcast or executive-briefing/,
        );
        expect(record).toMatchObject({ status: 'failed', error: { code: 'invalid_source', message } });
        return;
      }
      expect(record).toMatchObject({ status: 'completed', error: null, progress: 1 });

      const bytes = await bytesOf(record.audioUrl!);
      const { frames, tags, junkBytes } = parseMp3([bytes]);
      const { sampleRate, samplesPerFrame } = frames[0]!.header;
      const seconds = streamSamples(tags[0], frames.length, samplesPerFrame) / sampleRate;
      expect(junkBytes).toBe(0);
      expect(seconds).toBeGreaterThan(20);
      expect(record.duration).toBeCloseTo(seconds, 2);
      expect(Buffer.from(bytes).includes('Ada, Ben')).toBe(true);
      const part = await fetch(record.audioUrl!, { headers: { range: 'bytes=0-99' } });
      expect([part.status, part.headers.get('content-type')]).toEqual([206, 'audio/mpeg']);
      await part.arrayBuffer();

      const script = JSON.parse(await textOf(record.scriptUrl!)) as TimedScript;
      const document = await readFixture(source);
      expect([script.language, script.style]).toEqual([SOURCES[source], style]);
      const found = findingsOf(script, document, SPEAKERS);
      expect([found.ungrounded, found.leftovers, found.unanchored, found.repeated]).toEqual([[], [], [], 0]);
      expect(found.speakers).toEqual(new Set([1, 2]));
      const lines = script.chapters.flatMap((chapter) => chapter.lines);
      const stated = lines.filter((line) => line.sources.length > 0);
      const words = stated.reduce((sum, line) => sum + wordCount(line.text), 0);
      expect(stated.length).toBeGreaterThan(3);
      // A reader checks each line against the sentences that it was made of, which are the source's own.
      const named = [...new Set(stated.flatMap((line) => line.sources))].sort((a, b) => a - b);
      expect(script.sentences.map(({ number }) => number)).toEqual(named);
      expect(found.miscited).toEqual([]);
      expect(words).toBeLessThanOrEqual(SCRIPT_LENGTHS[style].mostWords * MOST_SAID_SHARE);
      if (style === 'podcast') expect(found.longestTurnMs).toBeLessThan(LONGEST_TURN_MS);
      if (style === 'podcast') expect(lines[0]!.text).toMatch(/Ada.*Ben/);

      const captions = readVtt(await textOf(record.captionsUrl!));
      const chapters = readVtt(await textOf(record.chaptersUrl!));
      for (const cues of [captions, chapters]) expect(untimely(cues, seconds * 1000 + 1)).toBeUndefined();
      expect(captions.length).toBeGreaterThan(lines.length / 2);
      expect(chapters.map(({ text }) => text)).toHaveLength(script.chapters.length);

      const own = told
        .filter(({ data }) => data.id === record.id)
        .sort((a, b) => a.data.progress - b.data.progress);
      const phases = own.map(({ data }) => PHASES.indexOf(data.phase));
      expect(phases).not.toContain(-1);
      expect(phases).toEqual([...phases].sort((a, b) => a - b));
      expect(own.filter(({ data }) => data.status !== 'generating')).toHaveLength(1);
    },
    120_000,
  );
});

describe('a PlayNote by the embedded engine', () => {
  it('is speech as long as it says', async () => {
    const own = await startRunningService({ env: { VOXGATE_UPSTREAM_URL: '', VOXGATE_UPSTREAM_KEYS: '' } });
    try {
      const voices = (await own.ask('GET', '/api/v1/voices')).json as unknown as { id: string }[];
      const path = fileURLToPath(new URL('../../fixtures/documents/tides.html', import.meta.url));
      const form = new FormData();
      form.append('synthesisStyle', 'executive-briefing');
      form.append('voice1', voices[0]!.id);
      form.append('voice1Name', 'null');
      form.append('sourceFile', await openAsBlob(path), 'tides.html');
      const { json } = await own.ask('POST', '/api/v1/playnotes', { form });
      const { json: made } = await own.until(
        `/api/v1/playnotes/${json.id as string}`,
        ({ status }) => status !== 'generating',
      );
      expect(made).toMatchObject({ status: 'completed' });
      const { emittedMs, pcm } = decodeMp3(codecs.decoders, [await bytesOf(made.audioUrl as string)]);
      expect(emittedMs / 1000).toBeCloseTo(made.duration as number, 2);
      expect(Math.max(...pcm.slice(0, 100_000))).toBeGreaterThan(0.05);
      const words = (JSON.parse(await textOf(made.scriptUrl as string)) as TimedScript).words;
      // Two to four words a second, as people read aloud and brisk voices do.
      expect(words.length / (emittedMs / 1000)).toBeGreaterThan(1.5);
      expect(words.length / (emittedMs / 1000)).toBeLessThan(5);
    } finally {
      await own.close();
    }
  }, 120_000);
});
