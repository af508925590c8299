// What the engine counted: by key, by minute and by request, for tests to hold a client against.
import { request as httpRequest } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createEngineRecorder, type EngineReport } from '../../src/engine/engine-report.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { typedFaults } from '../support/typed-faults.ts';
import { closeEngines, engineForTest, post, speechBody } from './engine-fixture.ts';

afterEach(closeEngines);

const UNIX_MS = Date.UTC(2030, 0, 1, 12, 0, 30);

function recorder() {
  const clock = createFakeClock();
  const beginMs = clock.now();
  const counted = createEngineRecorder(clock, () => UNIX_MS + clock.now() - beginMs);
  const caller = (keyNumber: number) => ({ perMinute: 0, keyNumber, window: undefined });
  const answer = (status: number, keyNumber = 1) => {
    const record = counted.begin(caller(keyNumber));
    record.answered(status);
    record.ended('complete');
  };
  return { clock, counted, caller, answer };
}

describe('createEngineRecorder', () => {
  it('counts by key and by minute of the wall clock', () => {
    const { clock, counted, answer } = recorder();
    for (const status of [200, 200, 429]) answer(status, 0xab);
    clock.advance(30_000);
    for (const status of [200, 503]) answer(status, 0xab);
    answer(200, 7);
    expect(counted.report().keys).toEqual([
      {
        key: 'k_000000ab',
        accepted: 3,
        refused: 1,
        failed: 1,
        inFlight: 0,
        mostInFlight: 1,
        mostAcceptedIn60s: 3,
        minutes: [
          { unixMs: UNIX_MS - 30_000, accepted: 2, refused: 1 },
          { unixMs: UNIX_MS + 30_000, accepted: 1, refused: 0 },
        ],
      },
      expect.objectContaining({ key: 'k_00000007', accepted: 1 }),
    ]);
  });

  it('finds the fullest 60 seconds, whichever they are and in whatever order the answers come', () => {
    const { clock, counted, caller, answer } = recorder();
    const slow = counted.begin(caller(1));
    for (let i = 0; i < 9; i++) {
      clock.advance(20_000);
      answer(200);
    }
    expect(counted.report().keys[0]!.mostAcceptedIn60s).toBe(3);
    slow.answered(200); // came at 0: within 60 s of those at 20 and 40 s, which are no more than three either
    expect(counted.report().keys[0]!.mostAcceptedIn60s).toBe(3);
    clock.advance(60_000);
    const held = [counted.begin(caller(1)), counted.begin(caller(1))];
    for (let i = 0; i < 3; i++) answer(200);
    for (const record of held) record.answered(200);
    expect(counted.report().keys[0]).toMatchObject({ mostAcceptedIn60s: 5, inFlight: 3, mostInFlight: 4 });
  });

  it('tells each request with its times, and keeps the last of them', () => {
    const { clock, counted, caller } = recorder();
    clock.advance(5);
    const record = counted.begin(caller(1));
    record.understood(42, 11);
    record.met(['short']);
    expect(counted.report().requests).toMatchObject([{ atMs: 5, status: 0, outcome: 'open', seed: 42 }]);
    clock.advance(10);
    record.answered(200);
    clock.advance(10);
    record.ended('cut');
    const told = {
      status: 200,
      answeredAtMs: 15,
      endedAtMs: 25,
      outcome: 'cut',
      characters: 11,
      faults: ['short'],
    };
    expect(counted.report().requests).toMatchObject([told]);
    for (let i = 0; i < 25_000; i++) counted.begin(caller(1));
    expect(counted.report().requests.length).toBe(10_000);
  });
});

describe('the report of an engine', () => {
  const AT_ONCE = { paceFactor: 0, firstByteMs: 0 };
  const keys = [{ userId: 'user-1', apiKey: 'key-1' }];
  const start = (report?: 'kept' | 'served') =>
    engineForTest({
      canned: AT_ONCE,
      keys,
      faults: typedFaults(['limit=first:2']),
      ...(report !== undefined && { report }),
    });
  const reportAt = (url: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      httpRequest(`${url}/report`, { headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => resolve({ status: response.statusCode, text }));
      })
        .on('error', reject)
        .end();
    });

  it('is served on request, without key or text', async () => {
    const engine = await start('served');
    for (const seed of [1, 2, 3]) {
      const fields = { outputFormat: 'mp3', text: 'A secret word.', seed };
      await (await post(engine, speechBody(fields))).arrayBuffer();
    }
    await (await post(engine, speechBody({ outputFormat: 'mp3', speed: 99 }))).arrayBuffer();
    const { status, text } = await reportAt(engine.url);
    const told = JSON.parse(text) as EngineReport;
    expect(status).toBe(200);
    expect(text).not.toMatch(/key-1|user-1|secret/);
    expect(told.keys).toMatchObject([{ accepted: 2, refused: 2, failed: 0, mostAcceptedIn60s: 2 }]);
    expect(told.keys[0]!.key).toMatch(/^k_[0-9a-f]{8}$/);
    expect(told.requests.map((each) => [each.status, each.outcome, each.seed])).toEqual([
      [200, 'complete', 1],
      [200, 'complete', 2],
      [429, 'complete', undefined],
      [429, 'complete', undefined],
    ]);
    expect(told.requests[0]!.characters).toBe(14);
    expect(told.requests[2]!.faults).toEqual(['limit']);
    expect(engine.report()).toEqual(JSON.parse(text, (_, value: unknown) => value ?? undefined));
  });

  it('is for this machine alone', async () => {
    const engine = await start('served');
    expect((await reportAt(engine.url, { host: 'example.org' })).status).toBe(403);
    expect((await reportAt(engine.url, { 'x-forwarded-for': '203.0.113.1' })).status).toBe(403);
  });

  it('can be kept without being served, and is neither by default', async () => {
    const kept = await start('kept');
    await (await post(kept, speechBody({ outputFormat: 'mp3' }))).arrayBuffer();
    expect((await reportAt(kept.url)).status).toBe(404);
    expect(kept.report().requests.length).toBe(1);
    const none = await start();
    await (await post(none, speechBody({ outputFormat: 'mp3' }))).arrayBuffer();
    expect((await reportAt(none.url)).status).toBe(404);
    expect(none.report()).toEqual({ keys: [], requests: [] });
  });
});
