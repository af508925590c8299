// The engine from request to sound with the real eSpeak NG: reproducible, in two voices, and robust.
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine-server.ts';
import {
  ADAM,
  CREDENTIALS,
  closeEngines,
  decodeMp3,
  engineForTest,
  fakeProgram,
  knownEspeak,
  medianPitchHz,
  post,
  removeScratch,
  speak,
  speechBody,
} from './engine-fixture.ts';

const espeak = knownEspeak();
let engine: Engine;
beforeAll(async () => {
  engine = await engineForTest({ command: espeak.command });
});
afterAll(async () => {
  await closeEngines();
  removeScratch();
});

const STORY = 'A lantern hung over the door. Nobody had lit it for years! Would anyone come tonight?';
const LONG = 'This sentence is one of very many that nobody will ever hear to the end. '.repeat(270);

describe('the seed', () => {
  it('makes a request reproducible, in another engine too', async () => {
    const fields = { text: STORY, seed: 11, outputFormat: 'mp3' };
    const here = await speak(engine, fields);
    expect((await speak(engine, fields)).equals(here)).toBe(true);
    expect((await speak(await engineForTest(), fields)).equals(here)).toBe(true);
  });

  it('changes pitch and length when it changes', async () => {
    const [one, two] = await Promise.all([
      speak(engine, { text: STORY, seed: 1 }),
      speak(engine, { text: STORY, seed: 2 }),
    ]);
    expect(one.length).not.toBe(two.length);
    expect(medianPitchHz(one, 24_000)).not.toBeCloseTo(medianPitchHz(two, 24_000), 0);
  });

  it('is drawn when absent and named in the reply either way', async () => {
    const seedOf = async (fields: Record<string, unknown>) => {
      const response = await post(engine, speechBody(fields));
      await response.arrayBuffer();
      return response.headers.get('x-voxgate-seed');
    };
    expect(await seedOf({ seed: 0 })).toBe('0');
    expect(await seedOf({})).toBe('2147483648');
    expect(await seedOf({ seed: null })).toBe('2147483648');
    expect((await speak(engine, { seed: 2_147_483_648 })).equals(await speak(engine, {}))).toBe(true);
  });

  it('does not matter at temperature 0', async () => {
    const [one, two] = await Promise.all(
      [1, 2].map((seed) => speak(engine, { text: STORY, seed, temperature: 0 })),
    );
    expect(one!.equals(two!)).toBe(true);
  });
});

describe('two voices', () => {
  it('speak the turns that their prefixes mark', async () => {
    const turn = 'We are going down to the harbour in the early morning.';
    const voices = { voice2: ADAM, turnPrefix: 'Q:', turnPrefix2: 'R:', temperature: 0, sampleRate: 22_050 };
    const alone = await speak(engine, { text: turn, temperature: 0, sampleRate: 22_050 });
    const both = await speak(engine, { text: `Q: ${turn}\nR: ${turn}`, ...voices });
    const half = Math.floor(alone.length / 2) * 2;
    const female = medianPitchHz(both.subarray(0, half), 22_050);
    const male = medianPitchHz(Buffer.from(both.subarray(half + 22_050)), 22_050);
    expect(female / male).toBeGreaterThan(1.5);
  });
});

describe('the reply', () => {
  it('has the content type of its format, and the length that the speech has', async () => {
    const reply = async (fields: Record<string, unknown>) => {
      const response = await post(engine, speechBody({ text: STORY, seed: 3, ...fields }));
      const bytes = Buffer.from(await response.arrayBuffer());
      return { type: response.headers.get('content-type'), bytes };
    };
    const raw = await reply({});
    const seconds = raw.bytes.length / 2 / 24_000;
    expect(raw.type).toBe('audio/pcm;rate=24000;channels=1;encoding=s16le');
    expect(seconds).toBeGreaterThan(3);
    const mulaw = await reply({ outputFormat: 'mulaw' });
    expect(mulaw.type).toBe('audio/PCMU;rate=8000');
    expect(Math.abs(mulaw.bytes.length / 8000 - seconds)).toBeLessThan(0.11);
    const wav = await reply({ outputFormat: 'wav', sampleRate: 16_000 });
    expect(wav.type).toBe('audio/wav');
    expect(wav.bytes.toString('latin1', 0, 4)).toBe('RIFF');
    expect(wav.bytes.readUInt32LE(24)).toBe(16_000);
    expect(Math.abs((wav.bytes.length - 44) / 32_000 - seconds)).toBeLessThan(0.11);
    const mp3 = await reply({ outputFormat: 'mp3' });
    expect(mp3.type).toBe('audio/mpeg');
    const decoded = await decodeMp3(mp3.bytes);
    expect(decoded.sampleRate).toBe(24_000);
    // Neither the padding of raw to a tenth of a second nor LAME's delay is trimmed here.
    expect(Math.abs(decoded.pcm16.length / 2 / 24_000 - seconds)).toBeLessThan(0.15);
    expect(medianPitchHz(decoded.pcm16, 24_000)).toBeCloseTo(medianPitchHz(raw.bytes, 24_000), -1);
    expect(mp3.bytes.length / 8000).toBeCloseTo(decoded.pcm16.length / 2 / 24_000, 1);
  });

  it('names the fields that were taken and have no meaning here', async () => {
    const ignoredIn = async (fields: Record<string, unknown>) => {
      const response = await post(engine, speechBody(fields));
      await response.arrayBuffer();
      return response.headers.get('x-voxgate-ignored');
    };
    expect(await ignoredIn({ prompt: null })).toBeNull();
    expect(await ignoredIn({ prompt: 'calm', voiceConditioningSeconds: 20 })).toBe(
      'prompt, voiceConditioningSeconds',
    );
    expect(await ignoredIn({ voice2: ADAM })).toBe('voice2');
  });

  it('is a short silence for a text with nothing to say', async () => {
    for (const text of ['…', ' ', '😀🎉', '?!']) {
      const bytes = await speak(engine, { text });
      expect(bytes.every((byte) => byte === 0)).toBe(true);
      expect(bytes.length / 2 / 24_000).toBeLessThan(0.5);
    }
  });
});

describe('when things go wrong', () => {
  /** Opens a request for more audio than socket buffers hold and stops reading after the first bytes. */
  async function readBeginning(target: Engine): Promise<IncomingMessage> {
    const headers = { ...CREDENTIALS, 'content-type': 'application/json' };
    const call = httpRequest(`${target.url}/api/v1/tts/stream`, { method: 'POST', headers });
    call.on('error', () => {});
    call.end(JSON.stringify(speechBody({ text: LONG, outputFormat: 'wav', sampleRate: 48_000 })));
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    response.on('error', () => {});
    await once(response, 'readable');
    return response;
  }

  it('serves others while one reader is slow, and forgets a reader that leaves', async () => {
    const single = await engineForTest({ command: fakeProgram('long'), mostStreams: 1 });
    const response = await readBeginning(single);
    const refused = await post(single, speechBody());
    expect([refused.status, ((await refused.json()) as { errorId: string }).errorId]).toEqual([503, 'BUSY']);
    expect(refused.headers.get('retry-after')).toBe('1');
    response.destroy();
    await expect.poll(async () => (await post(single, speechBody())).status).toBe(200);
  });

  it('completes a request whose speech program is killed in its middle, byte for byte', async () => {
    const fields = { text: STORY.repeat(4), seed: 5 };
    const whole = await speak(engine, fields);
    const response = await post(engine, speechBody(fields));
    const reader = response.body!.getReader();
    const chunks = [(await reader.read()).value!];
    process.kill(espeak.pid(), 'SIGKILL');
    for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value);
    expect(Buffer.concat(chunks).equals(whole)).toBe(true);
    expect((await speak(engine, fields)).equals(whole)).toBe(true);
  });

  it('breaks the reply off when the rest cannot be spoken', async () => {
    const target = await engineForTest({ command: fakeProgram() });
    const response = await post(target, speechBody({ text: `${'long words '.repeat(40)}end. REFUSE this.` }));
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow();
    expect((await post(target, speechBody())).status).toBe(200);
  });

  it('says what to install when the engine is missing', async () => {
    const target = await engineForTest({ command: fakeProgram('missing') });
    for (let i = 0; i < 2; i++) {
      const response = await post(target, speechBody());
      expect(response.status).toBe(503);
      expect(await response.json()).toEqual({
        errorId: 'ENGINE_UNAVAILABLE',
        errorMessage: expect.stringContaining('@echogarden/espeak-ng-emscripten'),
      });
    }
  });

  it('closes in the middle of a reply and leaves no program behind', async () => {
    const known = knownEspeak();
    const target = await engineForTest({ command: known.command });
    const response = await readBeginning(target);
    const gone = new Promise((resolve) => response.once('close', resolve));
    await target.close();
    await gone;
    expect(() => process.kill(known.pid(), 0)).toThrow('ESRCH');
    await expect(fetch(`${target.url}/livez`)).rejects.toThrow();
  });

  it('does not start on a port that is taken', async () => {
    await expect(engineForTest({ port: engine.port, command: fakeProgram() })).rejects.toThrow(/EADDRINUSE/);
  });
});
