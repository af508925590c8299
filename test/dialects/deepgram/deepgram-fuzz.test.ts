// Whatever a client sends, and whenever the session answers: no codec throws, gives an invalid command, says more than its
// protocol has words for, or grows without end.
import { describe, expect, it } from 'vitest';
import { seededNumbers } from '../../../src/base/seeded-numbers.ts';
import { ended, failure, heard, started } from '../../support/session-events.ts';
import { trialSize } from '../../support/trial-size.ts';
import {
  CLEAR,
  CLOSE,
  FLUSH,
  interruptAt,
  type Message,
  pureRig,
  queued,
  type Rig,
  speak,
} from '../deepgram-rig.ts';

const MESSAGES = trialSize(100_000, 20_000);
const LOOK_EVERY = 2000;
/** Answers that may be due at once for messages that cost nothing. */
const MAX_OWED = 1000;
const MAX_ANSWERS = 4;
const DOCUMENTED: ReadonlySet<unknown> = new Set([
  ...['MESSAGE-0000', 'DATA-0000', 'BIG-0000', 'NET-0000', 'NET-0004'],
  ...['SYNTHESIS_RETRYING', 'GOING_AWAY', 'NO_ACTIVE_SPEECH', 'NO_SYNTHESIZABLE_TEXT'],
  ...['INTERRUPT_IN_PROGRESS', 'INVALID_INTERRUPT_OFFSET', 'SPEED_OUT_OF_RANGE', 'SPEED_INCREMENT_INVALID'],
]);
/** What no JSON.stringify writes. */
const RAW = [
  '{"type":"Interrupt","playback_offset":{"type":"time_ms","value":1e309}}',
  '{"type":"Interrupt","playback_offset":{"type":"time_ms","value":-1e309}}',
  '{"type":"Interrupt","playback_offset":{"type":"time_ms","value":1e308}}',
  '{"type":"Configure","speed":1e309}',
  '{"type":"Speak","text":1e309}',
  '{"type":1e309}',
];
const CODES = ['text_full', 'turn_ended', 'busy', 'upstream_broken', 'internal', 'no_such_code', '__proto__'];
const NUMBERS = [0, -1, 1, 1.05, 1e308, -1e308, 1e-308, 2 ** 53, 0.1];

const figuresOf = (message: Message): unknown[] => {
  const { metadata } = message as { metadata?: { audio_duration_ms: unknown } };
  return [
    message.audio_played_ms,
    message.audio_duration_ms,
    message.total_audio_duration_ms,
    metadata?.audio_duration_ms,
  ].filter((figure) => figure !== undefined);
};

/** A session that ends what it is asked to, sooner or later, and says much else, also of turns that there are not. */
function playSession(rig: Rig, below: (limit: number) => number) {
  const pick = <T>(from: readonly T[]): T => from[below(from.length)]!;
  const open = new Set<string>();
  let looked = 0;
  let greetings = 0;
  const end = (turn: string, outcome: 'complete' | 'cancelled' | 'truncated' | 'failed') => {
    open.delete(turn);
    const sentMs = below(1000);
    if (turn.startsWith('dg-') && below(4) > 0) rig.say(started(turn));
    rig.say(ended(turn, sentMs, outcome), heard(turn, below(sentMs + 1), 'One.'));
  };
  /** Ending one may begin the next. */
  const endCancelled = () => {
    for (; looked < rig.commands.length; looked += 1) {
      const command = rig.commands[looked]!;
      if (command.type === 'append') open.add(command.turn);
      else if (command.type === 'cancel') {
        for (const turn of [...open]) if ((command.turn ?? turn) === turn) end(turn, 'cancelled');
      }
    }
  };
  const stray = () => pick(['dg-100000', 'nobody', 'constructor', ...open]);
  return {
    open,
    act() {
      endCancelled();
      const turn = stray();
      const kind = below(12);
      if (kind === 0) rig.say(failure(pick(CODES), below(2) === 0 ? turn : undefined));
      else if (kind === 1) rig.say(queued(turn, pick(['quota', 'busy', 'previous-turn'])));
      else if (kind === 2) rig.audio(turn, 2);
      else if (kind === 3) rig.say(heard(stray(), below(1000), 'One.'));
      else if (kind === 4 && below(20) === 0) {
        const greeting = `greeting-${greetings++}`;
        rig.say(started(greeting));
        open.add(greeting);
      } else if (kind < 8 && open.size > 0) {
        end([...open][0]!, pick(['complete', 'cancelled', 'truncated', 'failed']));
      }
      endCancelled();
    },
    endAll() {
      endCancelled();
      while (open.size > 0) {
        end([...open][0]!, 'complete');
        endCancelled();
      }
    },
  };
}

describe.each(['v1', 'v2'] as const)('/%s/speak under malformed messages', (version) => {
  it('answers in its own codes and stays small', { timeout: 120_000 }, () => {
    const draw = seededNumbers(3, version === 'v1' ? 1 : 2);
    const below = (limit: number) => Math.min(limit - 1, Math.floor(draw() * limit));
    const pick = <T>(from: readonly T[]): T => from[below(from.length)]!;
    const text = () => String.fromCharCode(...Array.from({ length: below(12) }, () => below(65_536)));
    const value = (depth: number): unknown => {
      switch (below(depth > 2 ? 6 : 8)) {
        case 0:
          return null;
        case 1:
          return draw() < 0.5;
        case 2:
          return pick(NUMBERS);
        case 3:
          return text();
        case 4:
          return pick([
            'Speak',
            'Flush',
            'Clear',
            'Close ',
            'Interrupt',
            'Configure',
            'time_ms',
            '__proto__',
          ]);
        case 5:
          return 'x'.repeat(below(2100));
        case 6:
          return Array.from({ length: below(4) }, () => value(depth + 1));
        default:
          return Object.fromEntries(
            Array.from({ length: below(5) }, () => [
              pick(['type', 'text', 'speed', 'playback_offset', 'value', 'why', 'constructor', '__proto__']),
              value(depth + 1),
            ]),
          );
      }
    };
    const sound = [
      speak('One.'),
      speak(' '),
      FLUSH,
      CLEAR,
      interruptAt(),
      interruptAt(5),
      { type: 'Configure', speed: 1 },
    ];
    const broken = (frame: string) => {
      const at = below(frame.length + 1);
      return pick([frame.slice(0, at), frame.slice(at), `${frame.slice(0, at)}${text()}${frame.slice(at)}`]);
    };
    const frame = (): string => {
      if (below(10) === 0) return text();
      if (below(50) === 0) return pick(RAW);
      if (below(4) === 0) return JSON.stringify(pick(sound));
      const made = {
        type: pick(['Speak', 'Interrupt', 'Configure', 'Flush', value(0)]),
        ...(value(0) as object),
      };
      const whole = JSON.stringify(made);
      return below(2) === 0 ? broken(whole) : whole;
    };
    let rig = pureRig(version);
    let session = playSession(rig, below);
    let errors = 0;
    let most = 0;
    for (let sent = 0; sent < MESSAGES; sent += 1) {
      const answersTo = (act: () => void) => {
        const before = rig.sent.length;
        act();
        return rig.sent.slice(before).flatMap((each) => (each.kind === 'message' ? [each.message] : []));
      };
      const answers = answersTo(() => rig.codec.receive(frame()));
      most = Math.max(most, answers.length);
      const later = answersTo(() => {
        session.act();
        if (below(50) === 0) rig.codec.tick!(sent * 1000);
      });
      for (const message of [...answers, ...later]) {
        if (message.type === 'Error') errors += 1;
        if (message.code !== undefined && !DOCUMENTED.has(message.code)) expect.fail(JSON.stringify(message));
        if (figuresOf(message).some((figure) => !Number.isFinite(figure)))
          expect.fail(JSON.stringify(message));
      }
      if (sent % LOOK_EVERY < LOOK_EVERY - 1 && rig.closed.length === 0) continue;
      // What is owed comes out when all has ended, and a session that keeps nothing then can be closed.
      expect(answersTo(() => session.endAll()).length).toBeLessThanOrEqual(2 * MAX_OWED);
      rig.send(CLOSE);
      session.endAll();
      expect(rig.closed).toEqual([1000]);
      rig = pureRig(version);
      session = playSession(rig, below);
    }
    expect(errors).toBeGreaterThan(MESSAGES / 4);
    // One of its own, and of what an Interrupt, a Close or an empty speech comes to at once.
    expect(most).toBeLessThanOrEqual(MAX_ANSWERS);
  });
});

describe.each(['v1', 'v2'] as const)('/%s/speak under messages that cost nothing', (version) => {
  it.each([
    ['Flush', FLUSH],
    ['Clear', CLEAR],
    ['Interrupt', interruptAt()],
    ['Interrupt with an offset', interruptAt(1)],
    ['an empty Speak', speak('')],
    ['Configure', { type: 'Configure' }],
  ])('answers each %s at most once, and owes no more than 1,000', (_name, message) => {
    const rig = pureRig(version);
    rig.send(speak('One.'));
    rig.say(started('dg-1'));
    for (let n = 0; n < 5000; n += 1) {
      const before = rig.sent.length;
      rig.send(message);
      expect(rig.sent.length - before).toBeLessThanOrEqual(1);
    }
    const before = rig.sent.length;
    rig.say(ended('dg-1', 900, 'cancelled'), heard('dg-1', 0, 'One.'));
    expect(rig.sent.length - before).toBeLessThanOrEqual(MAX_OWED);
  });
});

it.each(['v1', 'v2'] as const)(
  '/%s/speak keeps no more text than may wait, however much comes',
  (version) => {
    const rig = pureRig(version);
    for (let n = 0; n < 20_000; n += 1) rig.send(speak('x'.repeat(n % 40)), FLUSH);
    // Nothing has ended: three turns are named, and what else waits has its bound.
    const named = new Set(rig.commands.map((command) => ('turn' in command ? command.turn : '')));
    expect(named.size).toBe(3);
    expect(rig.messages('Error').every((message) => message.code === 'BIG-0000')).toBe(true);
    const refused = rig.messages('Error').length;
    expect(refused).toBeGreaterThan(19_000);
    const before = rig.commands.length;
    for (let n = 1; n < 2000; n += 1) rig.say(started(`dg-${n}`), ended(`dg-${n}`));
    const given = rig.commands
      .slice(before)
      .flatMap((command) => ('text' in command ? [command.text ?? ''] : []));
    expect(given.length).toBeGreaterThan(5);
    expect(given.join('').length).toBeLessThanOrEqual(1000);
  },
);
