// What every kind of speech service must be to the pool, whatever it is asked by, as a table: a row for each thing that services do, a
// column for each way in which they are asked (support/service-columns.ts). A cell that is left out has its reason here.

import { afterEach, describe, expect, it } from 'vitest';
import { acceptOf } from '../../src/audio/bodies/body-type.ts';
import { AppError, type ErrorCode } from '../../src/base/app-error.ts';
import { SERVICE_KINDS } from '../../src/settings/service-kind-names.ts';
import type { AskedFormat, AskedSound } from '../../src/speech/audio-format.ts';
import type { OutgoingRequest } from '../../src/speech/speech-request.ts';
import { createServiceKind } from '../../src/upstream/services/service-kinds.ts';
import type { Attempt, AttemptEnd } from '../../src/upstream/speech-transport.ts';
import { settle } from '../support/fake-clock.ts';
import { openGate, type Script, silence, status } from '../support/scripted-upstream.ts';
import {
  answering,
  COLUMNS,
  type Column,
  type ColumnName,
  DEADLINES,
  endOf,
  headOf,
  kindOf,
  MAX_CONNECTIONS,
  NO_COLUMN,
  OWN_ERRORS,
  OWN_LIMITS,
  openColumn,
  pieceOf,
} from '../support/service-columns.ts';

const TEXT = 'words that nobody may repeat';
const KEY = 'sk-canary-0123456789';
const bytes = (size: number) => new Uint8Array(size).fill(0x55);
const CANCELLED = new Error('cancelled');

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function open(
  column: Column,
  script: Script | readonly Script[],
  asked: Partial<OutgoingRequest> = {},
) {
  const { transport, close, ...rest } = await openColumn(column, script);
  cleanups.push(close);
  const ends: AttemptEnd[] = [];
  const abort = new AbortController();
  const send = (more: Partial<OutgoingRequest> = asked) =>
    transport.send(
      { model: 'VoxDialog', text: TEXT, voice: 'a-voice', seed: 7, ...more },
      { userId: 'user-canary', apiKey: KEY },
      { signal: abort.signal, onSent() {}, onClosed: (end) => void ends.push(end) },
    );
  return { ...rest, ends, abort, send };
}
/** Of a sound without a mark of its own, so that it is taken for what was asked for. */
const PLAIN = { outputFormat: 'raw', sampleRate: 24_000 } as const;
const plain = (column: Column, script: Script | readonly Script[]) => open(column, script, PLAIN);
const sending = (column: Column, ...parts: readonly Uint8Array[]) => answering(column, 'audio/pcm', ...parts);

const taken = (attempt: Attempt) => {
  if (!attempt.ok) throw attempt.error;
  return attempt;
};
const refusalOf = (attempt: Attempt) => {
  if (attempt.ok) throw new Error('expected a failure');
  return attempt;
};
/** Reads in the background; `until` resolves when so many bytes have come. */
function reading(attempt: Attempt) {
  let total = 0;
  const whole = (async () => {
    for await (const chunk of taken(attempt).chunks) total += chunk.length;
    return total;
  })();
  whole.catch(() => {});
  const until = async (count: number) => {
    while (total < count) await settle();
  };
  return { whole, until, code: whole.then(() => 'ended', codeOf) };
}
const codeOf = (thrown: unknown) => (thrown instanceof AppError ? thrown.code : thrown);
const soundOf = (attempt: Attempt) => {
  const { type } = taken(attempt);
  return type?.kind === 'plain' ? `${type.sound.layout} ${type.sound.sampleRate}` : type?.kind;
};

type Row = {
  readonly run: (column: Column) => Promise<void>;
  /** Why there is no such cell. */
  readonly without?: Readonly<Partial<Record<ColumnName, string>>>;
};
const TIMED = COLUMNS.filter(({ framing }) => framing !== undefined).map(({ name }) => name);
const UNTIMED = COLUMNS.filter(({ framing }) => framing === undefined).map(({ name }) => name);
const all = (names: readonly ColumnName[], why: string) =>
  Object.fromEntries(names.map((name) => [name, why])) as Row['without'] & {};

const FRAME = Buffer.from([0xff, 0xf3, 0x84, 0xc0, ...bytes(188)]);
const MARKED: readonly (readonly [type: string, body: Uint8Array, sound: string])[] = [
  ['audio/mpeg', Buffer.concat([FRAME, FRAME]), 'mp3'],
  ['audio/wav', Buffer.from('RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0', 'latin1'), 'wav'],
  ['audio/ogg', Buffer.concat([Buffer.from('OggS\0\x02', 'latin1'), bytes(60)]), 'ogg'],
];
const UNMARKED: typeof MARKED = [
  ['audio/pcm;rate=24000;channels=1', bytes(200), 's16 24000'],
  ['audio/basic', bytes(200), 'mulaw 8000'],
  ['audio/PCMA;rate=8000', bytes(200), 'alaw 8000'],
];
const inPieces = (body: Uint8Array, pieces: number) => {
  const size = Math.ceil(body.length / pieces);
  return Array.from({ length: pieces }, (_, n) => body.subarray(n * size, (n + 1) * size));
};

/** All that a kind says that it offers; of any rate, some. */
const offeredBy = (column: Column): readonly AskedSound[] =>
  kindOf(column).sounds.sounds.flatMap(({ format, rates }): readonly AskedSound[] => {
    if (rates === 'own') return [{ format }];
    return (rates === 'any' ? [8000, 16_000, 24_000] : rates).map((sampleRate) => ({ format, sampleRate }));
  });
const LAYOUTS: Readonly<Partial<Record<AskedFormat, string>>> = { raw: 's16', mulaw: 'mulaw', alaw: 'alaw' };

const COMMON_ERRORS: readonly (readonly [answer: number, body: string, code: ErrorCode, status?: number])[] =
  [
    [400, `{"error":"bad text ${TEXT}"}`, 'upstream_rejected'],
    [401, `{"error":"no key ${KEY}"}`, 'upstream_unauthorized'],
    [402, '', 'upstream_unauthorized'],
    [403, '', 'upstream_unauthorized'],
    [404, '{"error":"no such voice or model"}', 'upstream_rejected'],
    [408, '', 'upstream_rejected'],
    [413, '', 'upstream_rejected'],
    [422, '{"detail":[]}', 'upstream_rejected'],
    [429, '{"error":{"code":"rate_limit_exceeded"}}', 'upstream_rate_limited'],
    [429, '{"error":{"code":"insufficient_quota"}}', 'upstream_unauthorized'],
    [500, '', 'upstream_unreachable'],
    [502, '<html>bad gateway</html>', 'upstream_unreachable'],
    [503, '', 'upstream_unreachable'],
    [504, '', 'upstream_unreachable'],
    [529, '', 'upstream_unreachable'],
    [302, '', 'upstream_rejected'],
    [204, '', 'upstream_bad_audio'],
  ];
const isRefusedAs = async (column: Column, answer: Script, code: ErrorCode, httpStatus: number) => {
  const { send, ends } = await open(column, answer);
  const refused = refusalOf(await send());
  expect([refused.error.code, refused.status]).toEqual([code, httpStatus]);
  expect(ends).toHaveLength(1);
  expect(`${refused.error.message}${refused.error.stack}`).not.toMatch(
    new RegExp(`${KEY}|${TEXT}|user-canary`),
  );
  return refused;
};
/** Breaks what is heard when the first of it has come. */
const breaksOff = (by: (reply: Parameters<Script>[0]) => void, head: Record<string, string> = {}) => ({
  async run(column: Column) {
    const gate = openGate();
    const { send, ends } = await plain(column, async (reply) => {
      reply.start(200, { ...headOf(column, 'audio/pcm'), ...head });
      reply.write(pieceOf(column, bytes(500)));
      await gate.opened;
      by(reply);
    });
    const heard = reading(await send());
    await heard.until(500);
    gate.open();
    expect(await heard.code).toBe('upstream_broken');
    expect(ends).toHaveLength(1);
  },
});

const TABLE: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  formats: {
    'each that it offers is asked for below its base address, and read to its end': {
      async run(column) {
        const { kind } = column;
        const hears = ({ format, sampleRate }: AskedSound) => {
          if (format !== 'mp3') return `${LAYOUTS[format]} ${sampleRate}`;
          return column.name === 'cartesia with times' ? `s16 ${sampleRate}` : 'mp3';
        };
        for (const sound of offeredBy(column)) {
          const body = hears(sound) === 'mp3' ? MARKED[0]![1] : bytes(200);
          const { send, upstream, ends } = await open(column, answering(column, acceptOf(sound), body), {
            outputFormat: sound.format,
            sampleRate: sound.sampleRate,
          });
          const attempt = await send();
          expect(soundOf(attempt)).toBe(hears(sound));
          expect(await reading(attempt).whole).toBe(body.length);
          expect(ends).toEqual(['ok']);
          const [{ path, headers, body: sent }] = upstream.requests as [(typeof upstream.requests)[number]];
          expect(path).toMatch(/^\/base\//);
          expect(headers).toMatchObject({
            'content-type': 'application/json',
            'accept-encoding': 'identity',
            ...(column.framing === undefined ? { accept: acceptOf(sound) } : {}),
          });
          expect(JSON.stringify(headers)).toContain(KEY);
          expect(JSON.stringify(sent)).toContain(TEXT);
          // OpenAI's interface has no rates.
          if (sound.format !== 'mp3' && kind !== 'openai')
            expect(`${path}${JSON.stringify(sent)}`).toContain(`${sound.sampleRate}`);
        }
      },
    },
    'that bear a mark are known by it, in any pieces': {
      async run(column) {
        for (const [type, body, sound] of MARKED) {
          const { send } = await open(column, answering(column, type, ...inPieces(body, 7)));
          const attempt = await send();
          expect(soundOf(attempt)).toBe(sound);
          expect(await reading(attempt).whole).toBe(body.length);
        }
      },
      without: { 'cartesia with times': 'its events have raw samples only' },
    },
    'without a mark are known by their type': {
      async run(column) {
        for (const [type, body, sound] of UNMARKED)
          expect(soundOf(await (await open(column, answering(column, type, body))).send())).toBe(sound);
      },
      without: all(TIMED, 'sound within JSON has no type of its own'),
    },
    'whose type and content disagree are refused by the names of both': {
      async run(column) {
        for (const [type] of MARKED)
          for (const [other, body] of MARKED) {
            if (type === other) continue;
            const refused = await isRefusedAs(
              column,
              answering(column, type, body),
              'upstream_bad_audio',
              200,
            );
            expect(refused.error.message).toMatch(/said that it sends (MP3|WAV|Ogg) and sent \S+/);
          }
      },
      without: all(TIMED, 'sound within JSON has no type of its own'),
    },
    'that are not what was asked for are asked for as MP3 from then on': {
      async run(column) {
        const { send, upstream } = await open(column, answering(column, 'audio/basic', MARKED[1]![1]), {
          outputFormat: 'mulaw',
          sampleRate: 8000,
        });
        expect(refusalOf(await send()).error.code).toBe('upstream_bad_audio');
        await send();
        expect(upstream.requests.map(({ headers }) => headers.accept)).toEqual(['audio/basic', 'audio/mpeg']);
      },
      without: {
        openai: 'its interface has no µ-law',
        ...all(TIMED, 'sound within JSON has no type that it could belie'),
      },
    },
  },
  errors: {
    'of HTTP are understood, and nothing of the answer is repeated': {
      async run(column) {
        for (const [answer, body, code] of COMMON_ERRORS)
          await isRefusedAs(
            column,
            status(answer, answer === 302 ? { location: 'http://127.0.0.1:9/' } : {}, body),
            code,
            answer,
          );
      },
    },
    'of its own are understood, with the field that they name': {
      async run(column) {
        for (const [answer, body, code, field] of OWN_ERRORS[column.kind]) {
          const refused = await isRefusedAs(column, status(answer, {}, JSON.stringify(body)), code, answer);
          expect([body, refused.error.field]).toEqual([body, field]);
        }
      },
    },
    'of the connection are a service that was not reached': {
      async run(column) {
        const broken: readonly Script[] = [
          (reply) => reply.reset(),
          (reply) => reply.leave(),
          (reply) => reply.raw('no HTTP\r\n\r\n'),
        ];
        for (const script of broken) {
          const { send, ends } = await plain(column, script);
          expect(refusalOf(await send()).error.code).toBe('upstream_unreachable');
          expect(ends).toHaveLength(1);
        }
      },
    },
    'in the place of sound are understood as those of HTTP': {
      async run(column) {
        const failing =
          (parts: readonly Uint8Array[]): Script =>
          (reply) => {
            reply.start(200, headOf(column, ''));
            for (const part of parts) reply.write(pieceOf(column, part));
            reply.write('data: {"type":"error","status_code":429}\n\n');
            reply.end();
          };
        const { send } = await plain(column, failing([]));
        expect(refusalOf(await send()).error.code).toBe('upstream_rate_limited');
        const { send: again } = await plain(column, failing([bytes(100)]));
        expect(await reading(await again()).code).toBe('upstream_broken');
      },
      without: all(
        COLUMNS.map(({ name }) => name).filter((name) => name !== 'cartesia with times'),
        'its answers have a status or sound, not both',
      ),
    },
    'of a route without word times have it asked without them': {
      async run(column) {
        const { send, upstream } = await open(column, status(404, {}, '{"detail":"Not Found"}'));
        expect(refusalOf(await send()).error.code).toBe('upstream_bad_audio');
        expect(refusalOf(await send()).error.code).toBe('upstream_rejected');
        const [first, second] = upstream.requests.map(({ path }) => path);
        expect(second).not.toBe(first);
      },
      without: all(UNTIMED, 'is asked without them'),
    },
  },
  limits: {
    'that its answers tell are heeded': {
      async run(column) {
        const told = OWN_LIMITS[column.kind];
        if (typeof told === 'string') throw new Error('left out below');
        const { send } = await plain(column, (reply) => {
          reply.start(200, { ...headOf(column, 'audio/pcm'), ...told.headers });
          reply.write(pieceOf(column, bytes(100)));
          reply.end();
        });
        expect(taken(await send()).advice).toEqual(told.advice);
      },
      without: Object.fromEntries(
        COLUMNS.flatMap(({ name, kind }) => {
          const told = OWN_LIMITS[kind];
          return typeof told === 'string' ? [[name, told]] : [];
        }),
      ),
    },
    'that it is over are waited for as long as it says': {
      async run(column) {
        const refused = await isRefusedAs(
          column,
          status(429, { 'retry-after': '2' }),
          'upstream_rate_limited',
          429,
        );
        expect([refused.error.retryAfterMs, refused.advice.resetMs]).toEqual([2000, 2000]);
      },
    },
    'of its connections are kept: one more is busy, and not asked': {
      async run(column) {
        const { send, upstream, abort } = await open(column, silence);
        const flying = Array.from({ length: MAX_CONNECTIONS }, () => send());
        await upstream.request(MAX_CONNECTIONS);
        expect(refusalOf(await send()).error.code).toBe('busy');
        abort.abort(CANCELLED);
        expect((await Promise.allSettled(flying)).map((each) => each.status)).toEqual([
          'rejected',
          'rejected',
        ]);
        expect(upstream.requests).toHaveLength(MAX_CONNECTIONS);
      },
    },
  },
  abort: {
    'before it was asked asks nothing': {
      async run(column) {
        const { send, abort, ends, upstream } = await open(column, silence);
        abort.abort(CANCELLED);
        await expect(send()).rejects.toBe(CANCELLED);
        expect([ends, upstream.requests.length]).toEqual([['aborted'], 0]);
      },
    },
    'while it is silent hangs up': {
      async run(column) {
        const { send, abort, ends, upstream } = await open(column, silence);
        const result = send();
        const request = await upstream.request(1);
        abort.abort(CANCELLED);
        await expect(result).rejects.toBe(CANCELLED);
        await request.hungUp;
        expect(ends).toEqual(['aborted']);
      },
    },
    'in mid-speech hangs up': {
      async run(column) {
        const { send, abort, ends, upstream } = await plain(column, (reply) => {
          reply.start(200, headOf(column, 'audio/pcm'));
          reply.write(pieceOf(column, bytes(500)));
        });
        const heard = reading(await send());
        abort.abort(CANCELLED);
        await upstream.requests[0]!.hungUp;
        expect(await heard.code).toBe(CANCELLED);
        expect(ends).toEqual(['aborted']);
      },
    },
    'by a reader that leaves hangs up': {
      async run(column) {
        const { send, ends, upstream } = await plain(column, (reply) => {
          reply.start(200, headOf(column, 'audio/pcm'));
          reply.write(pieceOf(column, bytes(500)));
        });
        for await (const _ of taken(await send()).chunks) break;
        await upstream.requests[0]!.hungUp;
        expect(ends).toEqual(['aborted']);
      },
    },
  },
  slow: {
    'sound that comes just in time is whole': {
      async run(column) {
        const gates = Array.from({ length: 4 }, openGate);
        const { send, clock, ends, upstream } = await plain(column, async (reply) => {
          await gates[0]!.opened;
          reply.start(200, headOf(column, 'audio/pcm'));
          for (const gate of gates.slice(1)) {
            reply.write(pieceOf(column, bytes(100)));
            await gate.opened;
          }
          reply.write(endOf(column));
          reply.end();
        });
        const result = send();
        await upstream.request(1);
        await settle();
        clock.advance(DEADLINES.firstByteMs - 1);
        gates[0]!.open();
        const heard = reading(await result);
        for (const [n, gate] of gates.slice(1).entries()) {
          await heard.until(100 * (n + 1));
          clock.advance(DEADLINES.stallMs - 1);
          gate.open();
        }
        expect(await heard.whole).toBe(300);
        expect(ends).toEqual(['ok']);
      },
    },
    'listeners get all of it, and are no fault of the service': {
      async run(column) {
        const parts = Array.from({ length: 16 }, () => bytes(65_536));
        const { send, clock, ends } = await plain(column, sending(column, ...parts));
        const attempt = await send();
        for (let n = 0; n < 50; n += 1) await settle();
        clock.advance(10 * DEADLINES.stallMs);
        expect(await reading(attempt).whole).toBe(16 * 65_536);
        expect(ends).toEqual(['ok']);
      },
    },
  },
  cut: {
    'before its announced length breaks what is heard': breaksOff((reply) => reply.leave(), {
      'content-length': '100000',
    }),
    'without the last chunk breaks what is heard': breaksOff((reply) => reply.leave()),
    'by a reset breaks what is heard': breaksOff((reply) => reply.reset()),
    'by bytes that are no HTTP breaks what is heard': breaksOff((reply) => reply.raw('no chunk\r\n\r\n')),
    'before its first sound is a service that was not reached': {
      async run(column) {
        const gate = openGate();
        const { send, upstream } = await plain(column, async (reply) => {
          reply.start(200, headOf(column, 'audio/pcm'));
          await gate.opened;
          reply.reset();
        });
        const result = send();
        await upstream.request(1);
        gate.open();
        expect(refusalOf(await result).error.code).toBe('upstream_unreachable');
      },
    },
    'before its own last event breaks what is heard': {
      async run(column) {
        const { send } = await plain(column, (reply) => {
          reply.start(200, headOf(column, ''));
          reply.write(pieceOf(column, bytes(500)));
          reply.end();
        });
        expect(await reading(await send()).code).toBe('upstream_broken');
      },
      without: all(
        COLUMNS.filter((column) => endOf(column) === '').map(({ name }) => name),
        'its answers have no last event: what is heard decides (pipeline/whole-body)',
      ),
    },
  },
  'empty 200': {
    'is no speech': {
      async run(column) {
        await isRefusedAs(column, answering(column, 'audio/mpeg'), 'upstream_bad_audio', 200);
        const empty = { ...headOf(column, 'audio/mpeg'), 'content-length': '0' };
        await isRefusedAs(column, status(200, empty), 'upstream_bad_audio', 200);
      },
    },
    'of pieces without sound is no speech': {
      async run(column) {
        const none = new Uint8Array(0);
        await isRefusedAs(column, answering(column, '', none, none), 'upstream_bad_audio', 200);
      },
      without: all(UNTIMED, 'its pieces are its sound'),
    },
  },
  'wrong type': {
    'is refused': {
      async run(column) {
        for (const type of ['application/json', 'text/html', 'video/mp4'])
          await isRefusedAs(
            column,
            status(200, { 'content-type': type }, '<html>not found</html>'),
            'upstream_bad_audio',
            200,
          );
      },
    },
    'behind the type of sound is refused': {
      async run(column) {
        for (const text of ['{"error":"not now"}', '<html><p>not now</p></html>'])
          await isRefusedAs(
            column,
            answering(column, 'audio/mpeg', Buffer.from(text)),
            'upstream_bad_audio',
            200,
          );
      },
    },
    'behind the first sound breaks what is heard': {
      async run(column) {
        const { send } = await plain(column, (reply) => {
          reply.start(200, headOf(column, ''));
          reply.write(pieceOf(column, bytes(500)));
          reply.write('<html>not now</html>\n\n');
          reply.end();
        });
        expect(await reading(await send()).code).toBe('upstream_broken');
      },
      without: all(UNTIMED, 'its bytes go on unread: whether they are sound is found by who hears them'),
    },
    'compressed is refused': {
      async run(column) {
        const packed = { ...headOf(column, 'audio/mpeg'), 'content-encoding': 'gzip' };
        await isRefusedAs(column, status(200, packed, '\x1f\x8b\b\0'), 'upstream_bad_audio', 200);
      },
    },
    'in the place of word times has it asked without them': {
      async run(column) {
        const { send, upstream } = await open(
          column,
          status(200, { 'content-type': 'audio/mpeg' }, 'ID3 sound'),
        );
        expect(refusalOf(await send()).error.code).toBe('upstream_bad_audio');
        expect((await send()).ok).toBe(true);
        const [first, second] = upstream.requests.map(({ path }) => path);
        expect(second).not.toBe(first);
      },
      without: all(UNTIMED, 'is asked without them'),
    },
  },
  silence: {
    'is given up in time': {
      async run(column) {
        const mute: readonly Script[] = [silence, (reply) => reply.start(200, headOf(column, 'audio/pcm'))];
        for (const script of mute) {
          const { send, clock, upstream, ends } = await plain(column, script);
          const result = send();
          const request = await upstream.request(1);
          for (let n = 0; n < 5; n += 1) await settle();
          clock.advance(DEADLINES.firstByteMs + 1);
          expect(refusalOf(await result).error.code).toBe('upstream_timeout');
          await request.hungUp;
          expect(ends).toHaveLength(1);
        }
      },
    },
    'in mid-speech breaks what is heard': {
      async run(column) {
        const { send, clock, upstream } = await plain(column, (reply) => {
          reply.start(200, headOf(column, 'audio/pcm'));
          reply.write(pieceOf(column, bytes(500)));
        });
        const heard = reading(await send());
        await heard.until(500);
        await settle();
        clock.advance(DEADLINES.stallMs + 1);
        expect(await heard.code).toBe('upstream_timeout');
        await upstream.requests[0]!.hungUp;
      },
    },
  },
};

describe('the table of the kinds', () => {
  it('has a column for each kind and each route with word times, or a reason', () => {
    for (const kind of SERVICE_KINDS) {
      const columns = COLUMNS.filter((column) => column.kind === kind);
      expect([kind, columns.length > 0 || (NO_COLUMN[kind] ?? '') !== '']).toEqual([kind, true]);
      if (kind === 'engine') continue;
      const timed = [undefined, 'kokoro'].some(
        (model) => createServiceKind(kind, { model, wordTimes: 'service' }).timed !== undefined,
      );
      expect([kind, columns.some(({ framing }) => framing !== undefined)]).toEqual([kind, timed]);
    }
  });
  it('has each row, and a reason for each cell that is left out', () => {
    expect(Object.keys(TABLE)).toEqual(
      expect.arrayContaining('formats,errors,limits,abort,slow,cut,empty 200,wrong type,silence'.split(',')),
    );
    for (const [row, cells] of Object.entries(TABLE))
      for (const { name } of COLUMNS) {
        const has = Object.values(cells).some(({ without }) => without?.[name] === undefined);
        expect([row, name, has]).toEqual([row, name, true]);
      }
    const reasons = Object.values(TABLE).flatMap((cells) =>
      Object.values(cells).flatMap(({ without = {} }) => Object.values(without)),
    );
    for (const reason of reasons) expect(reason.length).toBeGreaterThan(10);
  });
});

describe.each(COLUMNS)('a service of the kind $name', (column) => {
  for (const [row, cells] of Object.entries(TABLE))
    for (const [name, { run, without }] of Object.entries(cells))
      if (without?.[column.name] === undefined) it(`${row}: ${name}`, () => run(column));
});
