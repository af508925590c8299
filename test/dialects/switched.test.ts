// What each protocol tells of a change of the speech service in a turn; and how its callers choose among services.
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/app-error.ts';
import type { DialectEntry } from '../../src/dialects/dialect.ts';
import { DIALECTS } from '../../src/dialects/dialects.ts';
import type { ClientCommand } from '../../src/dialects/native-messages.ts';
import { READY, started } from '../support/session-events.ts';

type Row = {
  readonly path: string;
  readonly query?: string;
  /** What a client begins to speak with. */
  readonly says: readonly object[];
  /** What it is told; undefined: its protocol has no place for it. */
  readonly told: object | undefined;
};
const CARTESIA = {
  model_id: 'sonic-3',
  voice: { mode: 'id', id: 'anna' },
  language: 'en',
  output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 16_000 },
  context_id: 'c',
  transcript: 'Good morning. ',
  continue: true,
};
const WARNING = {
  type: 'Warning',
  code: 'SERVICE_SWITCHED',
  description: 'The speech service second speaks instead of first (broken), from 1.2 s of the speech on.',
};
const ROWS: Readonly<Record<string, Row>> = {
  Voxgate: {
    path: '/v1/session',
    says: [{ type: 'speak', turn: 't', text: 'Good morning.' }],
    told: { type: 'switched', turn: 't', from: 'first', to: 'second', atMs: 1_234, reason: 'broken' },
  },
  Cartesia: {
    path: '/tts/websocket',
    query: 'cartesia_version=2025-04-16',
    says: [CARTESIA],
    told: {
      type: 'flush_done',
      flush_done: false,
      switched: { from: 'first', to: 'second', at_ms: 1_234, reason: 'broken' },
    },
  },
  'Deepgram v1': {
    path: '/v1/speak',
    says: [{ type: 'Speak', text: 'Good morning.' }, { type: 'Flush' }],
    told: WARNING,
  },
  'Deepgram v2': {
    path: '/v2/speak',
    query: 'model=aura-2-thalia-en',
    says: [{ type: 'Speak', text: 'Good morning.' }, { type: 'Flush' }],
    told: WARNING,
  },
  'ElevenLabs, many contexts': {
    path: '/v1/text-to-speech/anna/multi-stream-input',
    says: [{ text: 'Good morning. ', context_id: 'c' }],
    told: undefined,
  },
  'ElevenLabs, one context': {
    path: '/v1/text-to-speech/anna/stream-input',
    says: [{ text: ' ' }, { text: 'Good morning. ' }],
    told: undefined,
  },
  'ElevenLabs, dialogue': {
    path: '/v1/text-to-dialogue/multi-stream-input',
    says: [{ inputs: [{ text: 'Good morning. ', voice_id: 'anna' }], context_id: 'c' }],
    told: undefined,
  },
  jambonz: { path: '/jambonz/tts', says: [{ type: 'stream', text: 'Good morning.' }], told: undefined },
};

const enter = ({ path, query = '' }: Row, more = ''): DialectEntry => {
  const given = new URLSearchParams([query, more].filter((part) => part !== '').join('&'));
  const upgrade = { path, query: given, headers: {}, protocols: [] };
  const entries = DIALECTS.flatMap((dialect) => dialect.enter(upgrade) ?? []);
  expect(entries).toHaveLength(1);
  return entries[0]!;
};

describe.each(Object.entries(ROWS))('%s', (name, row) => {
  it('tells of another service where it has a place for that, and says nothing else', () => {
    const commands: ClientCommand[] = [];
    const sent: (string | Uint8Array)[] = [];
    let ids = 0;
    const codec = enter(row).open({
      newId: () => `id-${ids++}`.padEnd(22, 'x'),
      carryOut: (command) => void commands.push(command),
      send: (message) => void sent.push(message),
      close: (code, reason) => expect.fail(`${code} ${reason}`),
    });
    codec.event(READY);
    for (const message of row.says) codec.receive(JSON.stringify(message));
    const turn = commands.flatMap((command) => ('turn' in command ? (command.turn ?? []) : []))[0]!;
    codec.event(started(turn));
    sent.length = 0;
    const of = { from: 'first', to: 'second', atMs: 1_234, reason: 'broken' } as const;
    codec.event({ type: 'switched', turn, ...of });
    // Of a turn that nobody knows there is nothing to tell.
    if (name !== 'Voxgate') codec.event({ type: 'switched', turn: 'of-nobody', ...of });
    const told = sent.map((message) => JSON.parse(message as string) as object);
    if (row.told === undefined) expect(told).toEqual([]);
    else expect(told).toMatchObject([row.told]);
  });

  it('takes a choice among services in its query, and refuses a wrong one by its name', () => {
    const own = name === 'Voxgate';
    const [upstream, prefer, lastResort] = own
      ? ['upstream', 'prefer', 'lastResort']
      : ['voxgate_upstream', 'voxgate_prefer', 'voxgate_last_resort'];
    expect(enter(row, `${upstream}=home,away&${prefer}=soonest&${lastResort}=fail`).preset()).toMatchObject({
      upstream: ['home', 'away'],
      prefer: 'soonest',
      lastResort: 'fail',
    });
    for (const [field, given] of [
      [upstream, 'No%20Name'],
      [prefer, 'cheapest'],
      [lastResort, 'sing'],
    ] as const) {
      const refusal = () => enter(row, `${field}=${given}`).preset();
      expect(refusal).toThrow(AppError);
      expect(refusal).toThrow(new RegExp(`^${field}`));
    }
  });
});

it('every protocol is in the table', () => {
  const covered = new Set(
    Object.values(ROWS).flatMap(({ path }) => {
      const upgrade = { path, query: new URLSearchParams(), headers: {}, protocols: [] };
      return DIALECTS.flatMap((dialect) => (hasPath(() => dialect.enter(upgrade)) ? [dialect.name] : []));
    }),
  );
  expect([...covered].sort()).toEqual(DIALECTS.map(({ name }) => name).sort());
});
/** A dialect may refuse an upgrade of its own for what is missing. */
function hasPath(entered: () => unknown): boolean {
  try {
    return entered() !== undefined;
  } catch {
    return true;
  }
}
