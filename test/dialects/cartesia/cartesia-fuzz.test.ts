// Messages that no client should send: broken JSON, wrong types, known fields with wild values, in any order and under
// few ids, so that they meet each other's contexts.

import { describe, expect, it, vi } from 'vitest';
import { seededNumbers } from '../../../src/base/seeded-numbers.ts';
import type { ServerEvent } from '../../../src/dialects/native-events.ts';
import type { ClientCommand } from '../../../src/dialects/native-messages.ts';
import { READY } from '../../support/session-events.ts';
import { trialSize } from '../../support/trial-size.ts';
import { openCodec, say } from '../cartesia-fixture.ts';

/** Turns whose contexts the codec has not forgotten. */
const kept = vi.hoisted(() => new Set<string>());
vi.mock(import('../../../src/dialects/cartesia/cartesia-contexts.ts'), async (actual) => {
  const { createCartesiaContexts } = await actual();
  return {
    createCartesiaContexts() {
      const contexts = createCartesiaContexts();
      return {
        ...contexts,
        add(begin) {
          kept.add(begin.turn);
          return contexts.add(begin);
        },
        forget(context) {
          kept.delete(context.turn);
          contexts.forget(context);
        },
      };
    },
  };
});

const ROUNDS = trialSize(100, 20);
const PER_ROUND = 1000;
const SEED = 20_261_122;
const TURNS_IN_FLIGHT = 2;

/** Stands for a number that JSON can say and JavaScript cannot write. */
const RAW_INFINITY = 'endless';

const IDS: readonly unknown[] = [
  'a',
  'b',
  'c',
  '',
  ' ',
  'x'.repeat(512),
  'x'.repeat(513),
  '__proto__',
  'constructor',
];
const WILD: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e308,
  RAW_INFINITY,
  '',
  'secret words',
  '\u0000\ud800',
  [],
  {},
  [null],
  { id: 'v' },
  { mode: 'embedding', embedding: [1] },
  { container: 'raw', encoding: 'pcm_f32le', sample_rate: 8000 },
  { container: 'raw', encoding: 'pcm_s16le', sample_rate: 1e9 },
  { speed: 'fast' },
  'x'.repeat(3000),
];
const FIELDS = [
  'transcript',
  'continue',
  'flush',
  'cancel',
  'voice',
  'language',
  'locale',
  'output_format',
  'generation_config',
  'add_timestamps',
  'context_id',
  'played_ms',
  'type',
  'toString',
];
const BROKEN = [
  '',
  '{',
  'null',
  '[]',
  '7',
  '"x"',
  '{"context_id":"a",}',
  '\u0000',
  '{"a":1}}',
  'NaN',
  '[[[[[[',
  '{"context_id":',
];

const DOCUMENTED = new Set([
  'invalid_json',
  'invalid_request',
  'turn_ended',
  'concurrency_limited',
  'text_too_long',
]);

/** The session's part, as short as it can be: turns are refused beyond the limit, begin, end and are heard by chance. */
function playSession(below: (limit: number) => number) {
  const open = new Set<string>();
  const begun = new Set<string>();
  /** Ended, and in the listener's ear. */
  const unheard = new Set<string>();
  /** Turns of flushes that wait for their answer. */
  let flushes: string[] = [];
  const endOf = (turn: string, outcome: 'complete' | 'cancelled' | 'failed'): ServerEvent[] => {
    open.delete(turn);
    flushes = flushes.filter((each) => each !== turn);
    if (begun.has(turn)) unheard.add(turn);
    return [{ type: 'ended', turn, outcome, audioMs: 0, sentMs: 0, requests: 1, resumes: 0, cached: false }];
  };
  const beginningOf = (turn: string): ServerEvent[] => {
    if (begun.has(turn)) return [];
    begun.add(turn);
    const timings = { queueMs: 0, upstreamTtfbMs: 0, firstAudioMs: 0 };
    return [{ type: 'started', turn, format: 'raw', sampleRate: 16_000, seed: 1, timings }];
  };
  const hearingOf = (turn: string): ServerEvent[] => {
    if (!unheard.delete(turn)) return [];
    return [{ type: 'heard', turn, playedMs: 9, playedBy: 'clock', spokenText: '', remainingText: '' }];
  };
  const refusal = (turn: string, code: string): ServerEvent => ({
    type: 'error',
    code,
    message: 'Refused.',
    turn,
    scope: 'turn',
    retryable: code === 'busy',
  });
  const answer = (command: ClientCommand): ServerEvent[] => {
    if (command.type === 'cancel' && command.turn !== undefined)
      return [
        ...(open.has(command.turn) ? endOf(command.turn, 'cancelled') : []),
        ...hearingOf(command.turn),
      ];
    if (command.type === 'flush') flushes.push(command.turn);
    if (command.type === 'append') {
      if (command.text.length > 2000) return [refusal(command.turn, 'text_too_long')];
      if (open.has(command.turn)) return [];
      if (open.size >= TURNS_IN_FLIGHT)
        return [refusal(command.turn, 'busy'), ...endOf(command.turn, 'failed')];
      open.add(command.turn);
    }
    return [];
  };
  return {
    open,
    unheard,
    answer,
    /** Something happens to the turn that was named first, or to the one that was heard longest ago. */
    goOn(): ServerEvent[] {
      const turn = open.values().next().value;
      const chance = below(4);
      if (chance === 0) return unheard.size > 0 ? hearingOf(unheard.values().next().value!) : [];
      if (turn === undefined) return [];
      if (chance === 1) return beginningOf(turn);
      if (chance === 2) return endOf(turn, 'complete');
      const flushed = flushes.shift();
      return flushed === undefined ? [] : [...beginningOf(flushed), { type: 'flushed', turn: flushed }];
    },
  };
}

describe('cartesia codec, malformed messages', () => {
  it('never makes it throw, say an undocumented code, repeat a text, or keep more than the session allows', () => {
    let sent = 0;
    let mostUnheard = 0;
    const codes = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const random = seededNumbers(SEED, round);
      const below = (limit: number) => Math.floor(random() * limit * 0.999_999);
      const one = <T>(list: readonly T[]): T => list[below(list.length)]!;
      kept.clear();
      const session = playSession(below);
      const { codec, messages, event } = openCodec(session.answer);
      event({ ...READY, limits: { ...READY.limits, turnsInFlight: TURNS_IN_FLIGHT } });
      const wild = () => {
        const message: Record<string, unknown> =
          below(2) === 0 ? say(one(['a', 'b', 'c']), 'secret words') : { context_id: one(IDS) };
        for (let left = below(5); left > 0; left -= 1) message[one(FIELDS)] = one(WILD);
        return JSON.stringify(message).replaceAll(`"${RAW_INFINITY}"`, '1e309');
      };
      for (let at = 0; at < PER_ROUND; at += 1) {
        const kind = below(10);
        if (kind === 0) codec.receive(one(BROKEN));
        else if (kind === 1) {
          const frame = wild();
          codec.receive(frame.slice(0, below(frame.length)));
        } else codec.receive(wild());
        sent += 1;
        if (below(10) === 0) for (const each of session.goOn()) event(each);
        // Whatever the session still has a word to say of, and nothing else.
        expect(kept).toEqual(new Set([...session.open, ...session.unheard]));
        mostUnheard = Math.max(mostUnheard, session.unheard.size);
        if (at % 100 !== 99) continue;
        // As many keep-alives as contexts that are open.
        codec.tick?.(at * 1000);
        const before = messages.length;
        codec.tick?.(at * 1000 + 2000);
        expect(messages.length - before).toBe(session.open.size);
      }
      for (const message of messages) if (message.type === 'error') codes.add(message.error_code);
      // An id is given back, whatever it is made of; nothing else is.
      const told = messages.map(({ context_id: _id, ...rest }) => rest);
      expect(JSON.stringify(told).includes('secret')).toBe(false);
    }
    expect(sent).toBeGreaterThanOrEqual(trialSize(100_000, 20_000));
    expect(mostUnheard).toBeGreaterThan(1);
    expect([...codes].filter((code) => !DOCUMENTED.has(code))).toEqual([]);
    expect(codes.size).toBe(DOCUMENTED.size);
  });
});
