// Whatever a client sends, and whenever the session answers: no codec throws, gives an invalid command, says more than its
// protocol has words for, or grows without end.
import { describe, expect, it } from 'vitest';
import { seededNumbers } from '../../src/base/seeded-numbers.ts';
import {
  CLEAR,
  ended,
  FLUSH,
  failure,
  heard,
  interruptAt,
  pureRig,
  queued,
  speak,
  started,
} from './deepgram-rig.ts';

const MESSAGES = 100_000;
const DOCUMENTED: ReadonlySet<unknown> = new Set([
  ...['MESSAGE-0000', 'DATA-0000', 'BIG-0000', 'NET-0000', 'NET-0004'],
  ...['SYNTHESIS_RETRYING', 'GOING_AWAY', 'NO_ACTIVE_SPEECH', 'NO_SYNTHESIZABLE_TEXT'],
  ...['INTERRUPT_IN_PROGRESS', 'INVALID_INTERRUPT_OFFSET', 'SPEED_OUT_OF_RANGE', 'SPEED_INCREMENT_INVALID'],
]);
const NUMBERS = [0, -1, 1, 1.05, 1e308, -1e308, 1e-308, 2 ** 53, 0.1];

describe.each(['v1', 'v2'] as const)('/%s/speak under 100,000 malformed messages', (version) => {
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
      if (below(10) === 0) return JSON.stringify(pick(sound));
      const made = {
        type: pick(['Speak', 'Interrupt', 'Configure', 'Flush', value(0)]),
        ...(value(0) as object),
      };
      const whole = JSON.stringify(made);
      return below(2) === 0 ? broken(whole) : whole;
    };
    const CODES = [
      'text_full',
      'turn_ended',
      'busy',
      'upstream_broken',
      'internal',
      'no_such_code',
      '__proto__',
    ];
    const turn = () => pick([`dg-${1 + below(60)}`, 'greeting', 'constructor']);
    const event = () =>
      pick([
        started(turn()),
        ended(turn(), below(1000), pick(['complete', 'cancelled', 'truncated', 'failed'])),
        heard(turn(), below(1000), 'One.'),
        queued(turn(), pick(['quota', 'busy', 'previous-turn'])),
        failure(pick(CODES), below(2) === 0 ? turn() : undefined),
      ]);

    let rig = pureRig(version);
    let errors = 0;
    for (let sent = 0; sent < MESSAGES; sent += 1) {
      const before = rig.sent.length;
      rig.codec.receive(frame());
      if (below(3) === 0) rig.say(event());
      if (below(10) === 0) rig.audio(turn(), 2);
      if (below(50) === 0) rig.codec.tick!(sent * 1000);
      for (const each of rig.sent.slice(before)) {
        if (each.kind === 'audio') continue;
        const { type, code } = each.message;
        if (type === 'Error') errors += 1;
        if (code !== undefined && !DOCUMENTED.has(code)) expect.fail(JSON.stringify(each.message));
      }
      if (rig.closed.length > 0 || rig.sent.length > 20_000) rig = pureRig(version);
    }
    expect(errors).toBeGreaterThan(MESSAGES / 4);
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
