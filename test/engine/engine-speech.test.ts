// The engine from request to sound with the real eSpeak NG: reproducible, in two voices, and robust.
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine-server.ts';
import {
  ADAM,
  CREDENTIALS,
  closeEngines,
  engineForTest,
  fakeProgram,
  knownEspeak,
  pitchHz,
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
    expect(pitchHz(one, 24_000)).not.toBeCloseTo(pitchHz(two, 24_000), 0);
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
    const female = pitchHz(both.subarray(0, half), 22_050);
    const male = pitchHz(Buffer.from(both.subarray(half + 22_050)), 22_050);
    expect(female / male).toBeGreaterThan(1.5);
  });
});

describe('the reply', () => {
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
    const conditioned = { prompt2: 'loud', voiceConditioningSeconds2: 0 };
    expect(await ignoredIn(conditioned)).toBe('prompt2, voiceConditioningSeconds2');
    expect(await ignoredIn({ voice2: ADAM })).toBe('voice2');
  });

  it('names the language that stands in for one that the speech program does not have', async () => {
    const spokenAs = async (language: string | undefined) => {
      const response = await post(engine, speechBody({ language }));
      await response.arrayBuffer();
      return response.headers.get('x-voxgate-spoken-as');
    };
    expect(await spokenAs('galician')).toBe('portuguese');
    expect(await spokenAs('tagalog')).toBe('indonesian');
    expect(await spokenAs('xhosa')).toBe('tswana');
    expect(await spokenAs('portuguese')).toBeNull();
    expect(await spokenAs(undefined)).toBeNull();
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
