// Every fault as its caller sees it: a real engine, a plain HTTP client, and nothing of ours between them.
import { Agent, request } from 'undici';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import type { Engine } from '../../../src/engine/engine-server.ts';
import {
  type Body,
  CREDENTIALS,
  closeEngines,
  engineForTest,
  fakeProgram,
  post,
  removeScratch,
  speechBody,
} from '../../engine/engine-fixture.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { typedFaults } from '../../support/typed-faults.ts';

const agent = new Agent();
afterEach(closeEngines);
afterAll(async () => {
  await agent.destroy();
  removeScratch();
});

type Options = Parameters<typeof engineForTest>[0] & { readonly faultSeed?: number };

const faulty = (given: readonly string[], { faultSeed = 0, ...options }: Options = {}) => {
  const { clock = systemClock, unixMs = Date.now } = options;
  const faults = typedFaults(given, { seed: faultSeed, clock, unixMs });
  return engineForTest({ command: fakeProgram(), faults, ...options });
};

const JSON_TYPE = { 'content-type': 'application/json' };
/** 2.5 s of speech in raw at 8000 Hz. */
const TEXT = `${'a'.repeat(3999)}.`;
const WHOLE_BYTES = 40_000;

async function open(engine: Engine, fields: Body = {}) {
  const headers = { ...CREDENTIALS, 'content-type': 'application/json' };
  const body = JSON.stringify(speechBody({ text: TEXT, sampleRate: 8000, temperature: 0, ...fields }));
  const url = `${engine.url}/api/v1/tts/stream`;
  return request(url, { method: 'POST', headers, body, dispatcher: agent });
}

/** The reply to its end, or to where it broke. */
async function call(engine: Engine, fields: Body = {}, mostBytes = Number.POSITIVE_INFINITY) {
  const startMs = performance.now();
  const { statusCode, headers, body } = await open(engine, fields);
  const firstMs = performance.now() - startMs;
  const chunks: Buffer[] = [];
  let byteLength = 0;
  let broken: string | undefined;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      byteLength += chunk.length;
      if (byteLength >= mostBytes) break;
    }
  } catch (error) {
    broken = (error as { code?: string }).code ?? String(error);
  }
  const bytes = Buffer.concat(chunks);
  return { status: statusCode, headers, bytes, broken, firstMs, ms: performance.now() - startMs };
}

const errorId = (bytes: Buffer) => (JSON.parse(bytes.toString()) as { errorId: string }).errorId;

describe('without a fault', () => {
  it('the reply is whole', async () => {
    const { status, bytes, broken, headers } = await call(await faulty([]));
    expect([status, bytes.length, broken]).toEqual([200, WHOLE_BYTES, undefined]);
    expect(Object.keys(headers).filter((name) => /ratelimit|retry|concurrent/.test(name))).toEqual([]);
  });
});

describe('limit', () => {
  const UNIX_MS = Date.UTC(2030, 0, 1, 12, 0, 20, 500);
  const limited = (given: string) => {
    const clock = createFakeClock();
    const startMs = clock.now();
    return faulty([given], { clock, unixMs: () => UNIX_MS + clock.now() - startMs });
  };

  it.each([
    ['limit=first:1', { 'retry-after': '60' }],
    ['limit=clock:1', { 'retry-after': '40' }],
    ['limit=clock:1:date', { 'retry-after': 'Tue, 01 Jan 2030 12:01:00 GMT' }],
    ['limit=sliding:1:date', { 'retry-after': 'Tue, 01 Jan 2030 12:01:21 GMT' }],
    ['limit=bucket:1:none', {}],
    [
      'limit=strict:1:none:06',
      { 'ratelimit-limit': '1', 'ratelimit-remaining': '0', 'ratelimit-reset': '60' },
    ],
    [
      'limit=first:1:none:x',
      { 'x-ratelimit-limit': '1', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60' },
    ],
    [
      'limit=first:1:none:x-unix',
      {
        'x-ratelimit-limit': '1',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(Date.UTC(2030, 0, 1, 12, 1, 21) / 1000),
      },
    ],
    ['limit=first:1:none:08', { 'ratelimit-policy': '"default";q=1;w=60', ratelimit: '"default";r=0;t=60' }],
  ])('%s answers 429 with exactly the headers asked for', async (given, expected) => {
    const engine = await limited(given);
    expect((await call(engine)).status).toBe(200);
    const { status, bytes, headers } = await call(engine);
    expect([status, errorId(bytes)]).toEqual([429, 'RATE_LIMITED']);
    const told = Object.entries(headers).filter(([name]) => /ratelimit|retry/.test(name));
    expect(Object.fromEntries(told)).toEqual(expected);
  });

  it('counts for each key, and tells the state on good replies too', async () => {
    const keys = ['1', '2'].map((name) => ({ userId: `user-${name}`, apiKey: `key-${name}` }));
    const engine = await faulty(['limit=first:2:seconds:08'], { keys });
    const state = async () => {
      const { status, headers } = await call(engine);
      return [status, String(headers.ratelimit).slice(0, 14)];
    };
    expect(await state()).toEqual([200, '"default";r=1;']);
    expect(await state()).toEqual([200, '"default";r=0;']);
    expect(await state()).toEqual([429, '"default";r=0;']);
    const { statusCode, body } = await request(`${engine.url}/api/v1/tts/stream`, {
      method: 'POST',
      headers: { authorization: 'Bearer key-2', 'x-user-id': 'user-2', 'content-type': 'application/json' },
      body: JSON.stringify(speechBody()),
    });
    await body.dump();
    expect(statusCode).toBe(200);
  });
});

describe('limit-change', () => {
  it('another limit from then on, for what the key has used already, and headers that say so', async () => {
    const clock = createFakeClock();
    const engine = await faulty(['limit=sliding:3:none:06', 'limit-change=10:1', 'limit-change=80:2'], {
      clock,
    });
    const state = async () => {
      const { status, headers } = await call(engine, { text: 'a' });
      return [status, headers['ratelimit-limit']];
    };
    expect([await state(), await state()]).toEqual([
      [200, '3'],
      [200, '3'],
    ]);
    clock.advance(10_000);
    expect(await state()).toEqual([429, '1']);
    clock.advance(50_000);
    expect([await state(), await state()]).toEqual([
      [200, '1'],
      [429, '1'],
    ]);
    clock.advance(20_000);
    expect([await state(), await state()]).toEqual([
      [200, '2'],
      [429, '2'],
    ]);
  });
});

describe('in-flight', () => {
  it('refuses what is too much at once, and counts down again', async () => {
    const engine = await faulty(['in-flight=2', 'stall=1000']);
    const held = await Promise.all([open(engine), open(engine)]);
    const { status, headers, bytes } = await call(engine);
    expect([status, errorId(bytes)]).toEqual([429, 'RATE_LIMITED']);
    expect(headers).toMatchObject({ 'current-concurrent-requests': '2', 'maximum-concurrent-requests': '2' });
    for (const { body } of held) body.on('error', () => {}).destroy();
    await expect
      .poll(async () => {
        const { statusCode, body } = await open(engine);
        body.on('error', () => {}).destroy();
        return statusCode;
      })
      .toBe(200);
  });
});

describe('what stands in place of speech', () => {
  it('status: an error in the documented shape, for a share that is the same again', async () => {
    const statuses = async () => {
      const engine = await faulty(['status=503@0.5'], { faultSeed: 3 });
      const all: number[] = [];
      for (let i = 0; i < 12; i++) all.push((await call(engine, { text: 'a' })).status);
      return all;
    };
    const first = await statuses();
    expect(new Set(first)).toEqual(new Set([200, 503]));
    expect(await statuses()).toEqual(first);
  });

  it('wrong-type: 200 and a page', async () => {
    const { status, headers, bytes } = await call(await faulty(['wrong-type']));
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(bytes.toString()).toMatch(/^<!doctype html>/);
  });
});

describe('a refusal', () => {
  it('quota401: in the words of a service whose account is used up', async () => {
    const { status, bytes } = await call(await faulty(['quota401']));
    expect(status).toBe(401);
    expect(JSON.parse(bytes.toString())).toMatchObject({ detail: { status: 'quota_exceeded' } });
  });

  it('slow-refusal: 429 within its time, drawn from the seed, and none for a caller that leaves', async () => {
    const clock = createFakeClock();
    const engine = await faulty(['slow-refusal'], { clock, mostStreams: 1 });
    const waiting = clock.timers;
    const refused = call(engine);
    await expect.poll(() => clock.timers).toBe(waiting + 1);
    const startMs = clock.now();
    clock.advance(11_999);
    expect(clock.timers).toBe(waiting + 1);
    clock.advance(15_001);
    const { status, bytes } = await refused;
    expect([status, errorId(bytes)]).toEqual([429, 'RATE_LIMITED']);
    expect(clock.now() - startMs).toBe(27_000);
    const left = new AbortController();
    const gone = post(engine, speechBody(), { signal: left.signal }).catch(() => 'left');
    await expect.poll(() => clock.timers).toBe(waiting + 1);
    left.abort();
    expect(await gone).toBe('left');
    await expect.poll(() => clock.timers).toBe(waiting);
  });

  it('slow-refusal: a time of its own', async () => {
    const { status, firstMs } = await call(await faulty(['slow-refusal=80:90']));
    expect(status).toBe(429);
    expect(firstMs).toBeGreaterThanOrEqual(79);
  });

  it('stale-socket: the second request on a connection finds it reset, and a new one speaks', async () => {
    const engine = await faulty(['stale-socket']);
    const kept = new Agent({ connections: 1, pipelining: 1 });
    const ask = async () => {
      const { statusCode, body } = await request(`${engine.url}/api/v1/tts/stream`, {
        method: 'POST',
        headers: { ...CREDENTIALS, ...JSON_TYPE },
        body: JSON.stringify(speechBody()),
        dispatcher: kept,
      });
      await body.dump();
      return statusCode;
    };
    expect(await ask()).toBe(200);
    await expect(ask()).rejects.toMatchObject({ code: expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/) });
    expect(await ask()).toBe(200);
    await kept.destroy();
  });
});

describe('a success that is none', () => {
  const samplesOf = (bytes: Buffer) => new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
  const peak = (samples: Int16Array) => samples.reduce((most, one) => Math.max(most, Math.abs(one)), 0);

  it('silent200: the head at once, and no byte behind it', async () => {
    const { statusCode, headers, body } = await open(await faulty(['silent200']));
    expect([statusCode, headers['content-type']]).toEqual([
      200,
      'audio/pcm;rate=8000;channels=1;encoding=s16le',
    ]);
    let received = 0;
    body
      .on('error', () => {})
      .on('data', (chunk: Buffer) => {
        received += chunk.length;
      });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(received).toBe(0);
    body.destroy();
  });

  it('silent200=FOR_MS: all of it, late', async () => {
    const { ms, bytes } = await call(await faulty(['silent200=120']));
    expect(ms).toBeGreaterThanOrEqual(119);
    expect(bytes.length).toBe(WHOLE_BYTES);
  });

  it('empty-success: a proper end and no byte', async () => {
    const { status, bytes, broken } = await call(await faulty(['empty-success']));
    expect([status, bytes.length, broken]).toEqual([200, 0, undefined]);
  });

  it('silence and tone: as long as the speech, and nothing of it', async () => {
    const silence = await call(await faulty(['silence']));
    expect([silence.bytes.length, peak(samplesOf(silence.bytes))]).toEqual([WHOLE_BYTES, 0]);
    const tone = samplesOf((await call(await faulty(['tone=500']))).bytes);
    expect(tone.length).toBe(WHOLE_BYTES / 2);
    // The resampler rings at both ends; a tone crosses zero twice in a period.
    const middle = tone.subarray(2000, 18_000);
    const crossings = middle.filter((sample, i) => i > 0 && sample >= 0 !== middle[i - 1]! >= 0).length;
    expect(Math.abs(crossings - 2000)).toBeLessThanOrEqual(1);
    expect(peak(middle) / 32_768).toBeCloseTo(0.3, 2);
  });

  it('half-voice: speech, then silence to the end of what it would have said', async () => {
    const speech = samplesOf((await call(await faulty([]))).bytes);
    const half = samplesOf((await call(await faulty(['half-voice=1000']))).bytes);
    expect(half.length).toBe(speech.length);
    expect(half.subarray(0, 7900)).toEqual(speech.subarray(0, 7900));
    expect(peak(half.subarray(8100))).toBe(0);
    expect(peak(speech.subarray(8100))).toBeGreaterThan(1000);
  });

  it('is of the same sound where it is prebuilt', async () => {
    const canned = { canned: { paceFactor: 0, firstByteMs: 0 } };
    const mp3 = { outputFormat: 'mp3', sampleRate: 24_000 };
    const lengthOf = async (faults: string[]) => {
      const { bytes } = await call(await faulty(faults, canned), mp3);
      return { length: bytes.length, digest: bytes.toString('base64') };
    };
    const [speech, silence, tone, half] = [
      await lengthOf([]),
      await lengthOf(['silence']),
      await lengthOf(['tone']),
      await lengthOf(['half-voice']),
    ];
    expect([silence.length, tone.length, half.length]).toEqual([speech.length, speech.length, speech.length]);
    expect(new Set([speech.digest, silence.digest, tone.digest, half.digest]).size).toBe(4);
    expect(half.digest.slice(0, 8000)).toBe(speech.digest.slice(0, 8000));
  });

  it('bears no count of bytes that would vouch for it', async () => {
    for (const fault of ['silence', 'tone', 'half-voice', 'empty-success']) {
      const { headers } = await call(await faulty([fault]));
      expect(headers.trailer ?? '').not.toMatch(/bytes/i);
    }
  });
});

describe('a reply that goes wrong', () => {
  it('first-byte: begins late, and is whole', async () => {
    const { firstMs, bytes } = await call(await faulty(['first-byte=150']));
    expect(firstMs).toBeGreaterThanOrEqual(149);
    expect(bytes.length).toBe(WHOLE_BYTES);
  });

  it('stall: waits after so much audio, and goes on', async () => {
    const engine = await faulty(['stall=1000:150']);
    const { ms, bytes, broken } = await call(engine);
    expect(ms).toBeGreaterThanOrEqual(149);
    expect([bytes.length, broken]).toEqual([WHOLE_BYTES, undefined]);
  });

  it('stall: for ever, at the place that the format gives a second of audio', async () => {
    for (const [outputFormat, byteLength] of [
      ['raw', 16_000],
      ['mp3', 4000],
    ]) {
      const { body } = await open(await faulty(['stall=1000']), { outputFormat });
      let received = 0;
      body
        .on('error', () => {})
        .on('data', (chunk: Buffer) => {
          received += chunk.length;
        });
      await expect.poll(() => received).toBe(byteLength);
      await new Promise((resolve) => setTimeout(resolve, 40));
      expect(received).toBe(byteLength);
      body.destroy();
    }
  });

  it('drip: no more than so many bytes a second', async () => {
    const { ms, bytes } = await call(await faulty(['drip=100000']), {}, 20_000);
    expect(bytes.length).toBeGreaterThanOrEqual(20_000);
    expect(ms).toBeGreaterThan(90);
  });

  it('reset: the connection breaks after so many bytes', async () => {
    const { status, bytes, broken } = await call(await faulty(['reset=10000']));
    expect([status, bytes.length]).toEqual([200, 10_000]);
    expect(broken).toMatch(/ECONNRESET|UND_ERR_SOCKET/);
  });

  it('short: ends properly with bytes missing, and a body that is shorter is left alone', async () => {
    const engine = await faulty(['short=10000']);
    const { status, bytes, broken } = await call(engine);
    expect([status, bytes.length, broken]).toEqual([200, 10_000, undefined]);
    expect((await call(engine, { text: 'aaaa' })).bytes.length).toBe(40);
  });

  it('garbage: the type of audio, the length of the speech, and nothing of it', async () => {
    const garbage = await call(await faulty(['garbage']), { outputFormat: 'mp3' });
    const speech = await call(await faulty([]), { outputFormat: 'mp3' });
    expect([garbage.status, garbage.headers['content-type']]).toEqual([200, 'audio/mpeg']);
    expect(garbage.bytes.length).toBe(speech.bytes.length);
    expect(new Set(garbage.bytes).size).toBe(256);
    const again = await call(await faulty(['garbage']), { outputFormat: 'mp3' });
    expect(again.bytes.equals(garbage.bytes)).toBe(true);
  });

  it('endless: the speech over and over', async () => {
    const { bytes, broken } = await call(await faulty(['endless']), {}, 10 * WHOLE_BYTES);
    expect(broken).toBeUndefined();
    expect(bytes.subarray(7 * WHOLE_BYTES, 8 * WHOLE_BYTES).equals(bytes.subarray(0, WHOLE_BYTES))).toBe(
      true,
    );
  });

  it('seed-ignored: another sound each time under the name of the seed asked for', async () => {
    const engine = await faulty(['seed-ignored']);
    const lines = { text: 'One. Two. Three.', seed: 5, temperature: 2 };
    const [one, two] = [await call(engine, lines), await call(engine, lines)];
    expect([one.headers['x-voxgate-seed'], two.headers['x-voxgate-seed']]).toEqual(['5', '5']);
    expect(one.bytes.equals(two.bytes)).toBe(false);
  });

  const THREE = { text: 'One. Two. Three.', seed: 5, temperature: 1 };

  it('seed-per-key: a key gets its own bytes again, and another key gets others', async () => {
    const keys = ['1', '2'].map((name) => ({ userId: `user-${name}`, apiKey: `key-${name}` }));
    const engine = await faulty(['seed-per-key'], { keys });
    const bytesOf = async (name: string) => {
      const response = await post(engine, speechBody(THREE), {
        headers: { authorization: `Bearer key-${name}`, 'x-user-id': `user-${name}`, ...JSON_TYPE },
      });
      return Buffer.from(await response.arrayBuffer()).toString('base64');
    };
    const first = await bytesOf('1');
    expect(await bytesOf('1')).toBe(first);
    expect(await bytesOf('2')).not.toBe(first);
  });

  it('model-update: a seed gives other bytes after so many requests, at temperature 0 too, and keeps to them', async () => {
    const engine = await faulty(['model-update=2:requests']);
    const speech = async () => (await call(engine, { ...THREE, temperature: 0 })).bytes.toString('base64');
    const [first, second, third, fourth] = [await speech(), await speech(), await speech(), await speech()];
    expect([second, fourth]).toEqual([first, third]);
    expect(third).not.toBe(first);
  });

  it('can be several faults at once', async () => {
    const { firstMs, bytes } = await call(await faulty(['short=5000', 'first-byte=60']));
    expect(firstMs).toBeGreaterThanOrEqual(59);
    expect(bytes.length).toBe(5000);
  });

  it('is forgotten when its reader leaves', async () => {
    const engine = await faulty(['stall=1000', 'endless'], { mostStreams: 1 });
    const statusOf = async (text: string) => {
      const { statusCode, body } = await open(engine, { text });
      body.on('error', () => {}).destroy();
      return statusCode;
    };
    const { body } = await open(engine);
    expect(await statusOf('a')).toBe(503);
    body.on('error', () => {}).destroy();
    await expect.poll(() => statusOf('a')).toBe(200);
    await expect.poll(() => statusOf(TEXT)).toBe(200);
  });
});
