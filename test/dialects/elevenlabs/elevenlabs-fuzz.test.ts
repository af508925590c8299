// Whatever a client sends, and however the session answers: no throw, no more contexts than there may be, errors with
// documented codes and without what was to be spoken, commands that a session takes, and no context final twice.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_TABLE } from '../../../src/base/app-error.ts';
import { seededNumbers } from '../../../src/base/seeded-numbers.ts';
import {
  audioBytes,
  codecAlone,
  contextOf,
  DIALOGUE,
  isFinal,
  MULTI,
  SINGLE,
  type VendorMessage,
} from '../../support/elevenlabs-rig.ts';
import { trialSize } from '../../support/trial-size.ts';

const PER_ROUND = 1000;
const SEED = 20_261_122;
const TURNS_IN_FLIGHT = 8;
const MAX_OPEN = 5;
const OWN_CODES = ['max_active_conversations', 'too_many_voices'];
const DOCUMENTED = new Set([...Object.keys(ERROR_TABLE), ...OWN_CODES]);
const SECRET = 'secret words';

const IDS: readonly unknown[] = [
  'a',
  'b',
  'c',
  'd',
  'e',
  'f',
  'g',
  '',
  '__proto__',
  'x'.repeat(256),
  'x'.repeat(257),
  7,
  null,
  {},
];
const WILD: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e308,
  '',
  ' ',
  SECRET,
  `${SECRET}. `,
  '\u0000\ud800',
  [],
  {},
  [null],
  ['v1', 'v2'],
  ['v1', 'v2', 'v3'],
  [
    { text: `${SECRET}. `, voice_id: 'v1' },
    { text: 'Two.', voice_id: 'v2', new_turn: true },
  ],
  [{ text: SECRET, voice_id: 'v3' }],
  [{ text: 7 }],
  { speed: 1.1 },
  { speed: 99 },
  { speed: 'fast' },
  'x'.repeat(3000),
];
const FIELDS = [
  'text',
  'text',
  'text',
  'inputs',
  'inputs',
  'voices',
  'flush',
  'close_context',
  'voice_settings',
  'generation_config',
  'keep_alive',
  'toString',
  '__proto__',
] as const;
const BROKEN = ['', '{', 'null', '[]', '7', '"text"', '{"text":}', '{"text":"a"}}', '\u0000'];

function fuzzRound(path: string, round: number) {
  const random = seededNumbers(SEED, round);
  const below = (limit: number) => Math.min(limit - 1, Math.floor(random() * limit));
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;
  const query = pick(['', 'sync_alignment=true', 'sync_alignment=false', 'inactivity_timeout=3']);
  const rig = codecAlone({ path, query });

  /** Turns that the session has not ended: what it says of them. */
  const turns = new Map<string, { started: boolean; atMs: number; text: 'open' | 'ended' }>();
  const ended = new Set<string>();
  const fail = (turn: string, code: string) =>
    rig.say({ type: 'error', code, message: 'No.', turn, scope: 'turn', retryable: true });
  const end = (turn: string, outcome: 'complete' | 'cancelled' | 'truncated' | 'failed', sentMs: number) => {
    turns.delete(turn);
    ended.add(turn);
    rig.end(turn, outcome, sentMs);
  };
  const push = rig.commands.push.bind(rig.commands);
  rig.commands.push = (command) => {
    push(command);
    if (rig.commands.length > 100) rig.commands.length = 0;
    if (!('turn' in command) || command.turn === undefined) return 0;
    const { turn } = command;
    const known = turns.get(turn);
    if (command.type === 'append' && known === undefined) {
      expect(ended.has(turn)).toBe(false);
      if (turns.size < TURNS_IN_FLIGHT) turns.set(turn, { started: false, atMs: 0, text: 'open' });
      else {
        fail(turn, 'busy');
        end(turn, 'failed', 0);
      }
    } else if (command.type === 'append' && known?.text === 'ended') fail(turn, 'turn_ended');
    else if (command.type === 'append' && below(200) === 0) fail(turn, 'text_full');
    else if (command.type === 'end' && known !== undefined) known.text = 'ended';
    else if (command.type === 'cancel' && known !== undefined) end(turn, 'cancelled', known.atMs);
    return 0;
  };
  const sessionActs = () => {
    const [turn, state] = pick([...turns]) ?? [];
    if (turn === undefined || state === undefined) return;
    const act = below(8);
    if (act === 0) rig.say({ type: 'queued', turn, reason: 'quota', position: 1, etaMs: 1 });
    else if (act === 1 && !state.started) rig.start(turn);
    else if (act === 2) {
      const words = [{ text: 'w', startMs: state.atMs, endMs: state.atMs + 9, charStart: 0, charEnd: 1 }];
      rig.say({ type: 'caption', turn, line: 0, words, estimated: true });
    } else if (act === 3) rig.say({ type: 'flushed', turn });
    else if (act === 4 && below(3) === 0) state.text = 'ended';
    else if (act === 5 && state.text === 'ended') end(turn, 'complete', state.atMs);
    else if (act === 6 && below(5) === 0) {
      fail(turn, 'upstream_broken');
      end(turn, state.atMs > 0 ? 'truncated' : 'failed', state.atMs);
    } else {
      rig.sound(turn, 40, state.atMs);
      state.atMs += 40;
    }
  };

  const tally = createTally();
  let checked = 0;
  const checkNew = () => {
    for (; checked < rig.got.length; checked += 1) tally.check(rig.got[checked]!.message);
  };
  const sendOne = () => {
    // A single context ends with the first message that cannot be read: it hears some text before.
    if (path === SINGLE && below(4) > 0)
      return rig.send({ text: pick([' ', SECRET, `${SECRET}. `]), flush: below(2) === 0 });
    if (below(25) === 0) return rig.send(pick(BROKEN));
    const id = pick(IDS);
    const fields: [string, unknown][] = [['context_id', id]];
    for (let count = 1 + below(3); count > 0; count -= 1) fields.push([pick(FIELDS), pick(WILD)]);
    if (below(3) === 0) fields.push([pick(['flush', 'close_context']), true]);
    tally.named(path === SINGLE || id === null || id === '' ? 'default' : id);
    rig.send(Object.fromEntries(fields));
  };
  let nowMs = 0;
  for (let count = 0; count < PER_ROUND && rig.closed === undefined; count += 1) {
    sendOne();
    checkNew();
    for (let acts = below(4); acts > 0; acts -= 1) sessionActs();
    if (below(20) === 0) {
      nowMs += 1000;
      rig.codec.tick?.(nowMs);
    }
    checkNew();
    expect(turns.size).toBeLessThanOrEqual(TURNS_IN_FLIGHT);
  }
  if (rig.closed === undefined) {
    // Every context that is left ends with the socket, and there are not more of them than there may be.
    const before = tally.finals;
    if (path !== SINGLE) rig.send({ close_socket: true });
    for (const [turn, { atMs }] of turns) end(turn, 'complete', atMs);
    checkNew();
    expect(tally.finals - before).toBeLessThanOrEqual(MAX_OPEN);
    if (path !== SINGLE) expect(rig.closed).toEqual({ code: 1000, reason: '' });
  }
  return tally;
}

/** Looks at every message, and at the contexts of which nothing may come any more. */
function createTally() {
  const over = new Set<unknown>();
  const tally = {
    errors: 0,
    finals: 0,
    audio: 0,
    /** The client speaks of a context: it may begin anew. */
    named: (context: unknown) => over.delete(context),
    check(message: VendorMessage) {
      const context = contextOf(message) ?? 'default';
      if (message.error !== undefined) {
        tally.errors += 1;
        expect(DOCUMENTED).toContain(message.error);
        expect([1008, 1011]).toContain(message.code);
        expect(String(message.message)).not.toContain(SECRET);
        expect(String(message.message).length).toBeLessThan(1500);
      }
      if (audioBytes(message).length > 0) {
        tally.audio += 1;
        expect(over).not.toContain(context);
      }
      if (!isFinal(message)) return;
      tally.finals += 1;
      expect(over).not.toContain(context);
      over.add(context);
    },
  };
  return tally;
}

describe('hostile messages to the ElevenLabs codec', () => {
  // A single context ends with its first failure, and with it its round.
  it.each([
    ['many contexts', MULTI, trialSize(100, 20)],
    ['a dialogue', DIALOGUE, trialSize(40, 8)],
    ['one context', SINGLE, trialSize(200, 40)],
  ] as const)('do no harm to %s', { timeout: 120_000 }, (_name, path, rounds) => {
    const total = { errors: 0, finals: 0, audio: 0 };
    for (let round = 0; round < rounds; round += 1) {
      const { errors, finals, audio } = fuzzRound(path, round);
      total.errors += errors;
      total.finals += finals;
      total.audio += audio;
    }
    // They reached what they were meant for.
    expect(Math.min(...Object.values(total))).toBeGreaterThan(path === SINGLE ? rounds / 10 : rounds * 10);
  });

  it('cause no error of this protocol’s own that its page does not name', () => {
    const page = readFileSync(new URL('../../../docs/dialects/elevenlabs.md', import.meta.url), 'utf8');
    for (const code of OWN_CODES) expect(page).toContain(`\`${code}\``);
  });
});
