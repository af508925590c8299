// Word times as a client gets them: in trailers, over a real connection, for those who asked.
import { connect } from 'node:net';
import { request } from 'undici';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine-server.ts';
import {
  ADAM,
  type Body,
  CREDENTIALS,
  closeEngines,
  engineForTest,
  fakeProgram,
  removeScratch,
  speak,
  speechBody,
} from './engine-fixture.ts';

afterEach(closeEngines);
afterAll(removeScratch);

async function ask(engine: Engine, fields: Body, headers: Record<string, string> = {}) {
  const {
    statusCode,
    headers: got,
    body,
    trailers,
  } = await request(`${engine.url}/api/v1/tts/stream`, {
    method: 'POST',
    headers: { ...CREDENTIALS, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(speechBody(fields)),
  });
  const bytes = Buffer.from(await body.arrayBuffer());
  return { statusCode, headers: got, bytes, trailers: trailers as Record<string, string> };
}
const WANTED = { 'x-voxgate-timings': 'words' };
const wordsOf = ({ trailers }: { trailers: Record<string, string> }) =>
  JSON.parse(trailers['x-voxgate-words']!) as [startMs: number, charStart: number, charEnd: number][];

describe('X-Voxgate-Timings', () => {
  it('brings the words of the text behind the sound, which stays the same', async () => {
    const engine = await engineForTest();
    const text = 'A: Hello there, 𝒳. It is $5!\n\nB: Yes.';
    const fields = { text, turnPrefix: 'A:', turnPrefix2: 'B:', voice2: ADAM, seed: 4, sampleRate: 8000 };
    const reply = await ask(engine, fields, WANTED);
    expect(reply.statusCode).toBe(200);
    expect(reply.headers.trailer).toBe('X-Voxgate-Words, X-Voxgate-Words-Rest');
    expect(reply.trailers['x-voxgate-words-rest']).toBe('0');
    const words = wordsOf(reply);
    const said = words.map(([, start, end]) => [...text].slice(start, end).join(''));
    expect(said.filter((word) => word !== '𝒳.')).toEqual(['Hello', 'there,', 'It', 'is', '$5!', 'Yes.']);
    const times = words.map(([startMs]) => startMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBe(0);
    expect(times.at(-1)).toBeLessThan(reply.bytes.length / 2 / 8);
    // A word of half a second is the last one.
    expect(times.at(-1)).toBeGreaterThan(reply.bytes.length / 2 / 8 - 1000);
    expect(reply.bytes.equals(await speak(engine, fields))).toBe(true);

    const half = wordsOf(await ask(engine, { ...fields, outputFormat: 'mp3', sampleRate: 24_000 }, WANTED));
    expect(half).toEqual(words);
  });

  it('changes nothing for those who ask for nothing that there is', async () => {
    const engine = await engineForTest({ command: fakeProgram() });
    for (const headers of [{}, { 'x-voxgate-timings': 'phonemes' }]) {
      const reply = await ask(engine, {}, headers);
      expect([reply.statusCode, reply.headers.trailer, reply.trailers]).toEqual([200, undefined, {}]);
    }
  });

  it('tells as many words as a client takes, and how many are left', async () => {
    const engine = await engineForTest({ command: fakeProgram() });
    const text = 'word '.repeat(4000).trim();
    const reply = await ask(engine, { text, temperature: 0 }, WANTED);
    const told = reply.trailers['x-voxgate-words']!;
    expect(told.length).toBeLessThanOrEqual(12 * 1024);
    expect(told.length).toBeGreaterThan(12 * 1024 - 30);
    const words = wordsOf(reply);
    expect(words.length + Number(reply.trailers['x-voxgate-words-rest'])).toBe(4000);
    expect(words.map(([, start, end]) => text.slice(start, end)).every((word) => word === 'word')).toBe(true);
    expect(words[1]).toEqual([3, 5, 9]);
  });

  it('brings no words where none are known', async () => {
    const canned = await engineForTest({ canned: { paceFactor: 0, firstByteMs: 0 } });
    expect(wordsOf(await ask(canned, { outputFormat: 'mp3' }, WANTED))).toEqual([]);
    const engine = await engineForTest({ command: fakeProgram() });
    expect(wordsOf(await ask(engine, { text: '…' }, WANTED))).toEqual([]);
  });

  it('answers without them where there are no trailers', async () => {
    const engine = await engineForTest({ command: fakeProgram() });
    const body = JSON.stringify(speechBody());
    const head = Object.entries({ ...CREDENTIALS, ...WANTED, 'content-type': 'application/json' })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    const reply = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(engine.port, '127.0.0.1', () =>
        socket.write(
          `POST /api/v1/tts/stream HTTP/1.0\r\n${head}content-length: ${body.length}\r\n\r\n${body}`,
        ),
      );
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
      });
      socket.on('end', () => resolve(text));
      socket.on('error', reject);
    });
    expect(reply).toMatch(/^HTTP\/1\.1 200 /);
    expect(reply.toLowerCase()).not.toContain('trailer');
  });

  it('breaks off without words when the sound breaks off', async () => {
    const engine = await engineForTest({ command: fakeProgram() });
    await expect(ask(engine, { text: 'One. REFUSE. Three.' }, WANTED)).rejects.toThrow();
  });
});
