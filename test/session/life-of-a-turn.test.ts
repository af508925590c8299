// The life of a turn id under every order of messages: a client, an upstream and time, each doing what it likes.
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { AppError } from '../../src/base/app-error.ts';
import { speechMp3 } from '../support/codecs.ts';
import { type LiveSession, startSession } from '../support/live-session.ts';
import { type TurnLife, watchTurns } from '../support/turn-life.ts';

const TURNS_IN_FLIGHT = 3;
const PENDING = 300;

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
const text = fc.constantFrom(
  'Hello there, my dear friend. ',
  'One two three. Four five six. ',
  'and then',
  ' ',
  '\n',
  '😀 ',
  '…',
  '**Bold** words & more; ',
  'naïve café — ünd 你好，世界。',
  '3.14 is \ud83d',
  '\ude00 a pie. ',
  'x'.repeat(150),
  'word '.repeat(70),
);

type Act =
  | { readonly do: 'send'; readonly message: Record<string, unknown> & { readonly type: string } }
  | { readonly do: 'run'; readonly ms: number }
  | {
      readonly do: 'upstream';
      readonly act: 'send' | 'end' | 'fail' | 'queued';
      readonly pick: number;
      readonly ms: number;
      /** Whether it is over before the next act, or falls into the same moment. */
      readonly settles: boolean;
    }
  | { readonly do: 'socket'; readonly state: 'congested' | 'clear' };

const message = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('speak'), turn: id, text }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('speak'),
      turn: id,
      dialogue: fc.array(fc.record({ speaker: fc.constantFrom(1, 2), text }), { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 8, arbitrary: fc.record({ type: fc.constant('append'), turn: id, text }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('append'), turn: id, text, speaker: fc.constantFrom(1, 2) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('append'), turn: id, text, seed: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('flush'), turn: id }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('end'), turn: id }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('cancel') }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('cancel'), turn: id }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('cancel'), turn: id, playedMs: fc.nat(2000) }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('mark'), turn: id, name: fc.constantFrom('m', 'n') }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('played'), turn: id, ms: fc.nat(3000) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('configure'),
      pace: fc.constantFrom('realtime', 'burst'),
      flow: fc.constantFrom('clock', 'credit'),
      audio: fc.constantFrom('binary', 'base64'),
      leadMs: fc.constantFrom(40, 200, 1000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('speak'), turn: id, text, format: fc.constant('opus') }),
  },
);

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('send' as const), message }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('run' as const),
      ms: fc.constantFrom(0, 10, 35, 200, 600, 1500, 5000),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('upstream' as const),
      act: fc.constantFrom('send', 'send', 'send', 'end', 'end', 'end', 'fail', 'queued'),
      pick: fc.nat(3),
      ms: fc.constantFrom(100, 700, 1500),
      settles: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('socket' as const),
      state: fc.constantFrom('congested', 'clear'),
    }),
  },
);

/** What the client knows of the ids that it has named. */
type Model = {
  readonly textEnded: Set<string>;
  readonly toldEnded: Set<string>;
  readonly lastTextMs: Map<string, number>;
};

type Message = {
  type: string;
  turn: string;
  text?: string;
  dialogue?: { text: string }[];
  name: string;
  format?: string;
  seed?: number;
};

/** Sends `raw` and holds the answer against what the state of the turn asks for. */
function sendChecked(live: LiveSession, life: TurnLife, model: Model, raw: Record<string, unknown>): void {
  const sent = raw as Message;
  const known = life.turns.get(sent.turn);
  const isEnded = known?.ended !== undefined;
  const before = live.log.length;
  /** Of this turn: an earlier one may go on and fail in the same breath. */
  const errors = () =>
    live.log
      .slice(before)
      .flatMap((entry) => ('event' in entry && entry.event.type === 'error' ? [entry.event] : []))
      .filter((error) => error.turn === undefined || error.turn === sent.turn);
  const expectCodes = (...codes: string[]) => {
    const got = errors().map((error) => error.code);
    if (got.join() !== codes.join())
      throw new Error(`${sent.type}: ${got.join() || 'no error'}, not ${codes.join() || 'none'}`);
    if (sent.turn !== undefined && errors().some((error) => error.turn === undefined))
      throw new Error('an error without its turn');
  };
  const nothingElse = (allowed: number) => {
    if (live.log.length - before !== allowed)
      throw new Error(`${sent.type} said ${live.log.length - before} things, not ${allowed}`);
  };
  const opens = (lines: string[]) => {
    const inFlight = life.unended.length;
    life.name(sent.turn, lines);
    live.send(raw);
    if (inFlight < TURNS_IN_FLIGHT) {
      expectCodes();
      if ((life.turns.get(sent.turn)!.queuedBehind === 1) !== inFlight > 0)
        throw new Error('queued when it should not, or not');
    } else {
      expectCodes('busy');
      if (life.turns.get(sent.turn)!.ended?.outcome !== 'failed') throw new Error('busy without ended');
      nothingElse(2);
    }
  };
  const late = () => {
    live.send(raw);
    expectCodes(...(model.toldEnded.has(sent.turn) ? [] : ['turn_ended']));
    model.toldEnded.add(sent.turn);
  };

  switch (sent.type) {
    case 'speak': {
      if (sent.format !== undefined) {
        live.send(raw);
        expectCodes('invalid_request');
        return nothingElse(1);
      }
      if (known === undefined) {
        opens(sent.text === undefined ? sent.dialogue!.map((line) => line.text) : [sent.text]);
        model.textEnded.add(sent.turn);
        return;
      }
      live.send(raw);
      expectCodes(isEnded ? 'turn_ended' : 'turn_open');
      return nothingElse(1);
    }
    case 'append': {
      if (known === undefined) {
        if (sent.text!.length > PENDING) {
          live.send(raw);
          expectCodes('text_full');
          return nothingElse(1);
        }
        model.lastTextMs.set(sent.turn, live.clock.now());
        return opens([sent.text!]);
      }
      if (isEnded) return late();
      if (model.textEnded.has(sent.turn) && sent.seed === undefined) return late();
      const text = known.lines[0]!;
      known.lines[0] = text + sent.text!;
      live.send(raw);
      const codes = errors().map((error) => error.code);
      const idle = live.clock.now() - (model.lastTextMs.get(sent.turn) ?? 0) >= 20_000;
      if (sent.seed !== undefined) expectCodes('turn_open');
      else if (idle && codes.join() === 'turn_ended') {
        model.textEnded.add(sent.turn);
        model.toldEnded.add(sent.turn);
      } else if (codes.join() !== '' && codes.join() !== 'text_full')
        throw new Error(`append: ${codes.join()}`);
      // Refused whole: not a character of it counts.
      if (codes.length > 0) known.lines[0] = text;
      // A client that is told to try again is not silent.
      if (sent.seed === undefined && sent.text !== '') model.lastTextMs.set(sent.turn, live.clock.now());
      return;
    }
    case 'flush':
    case 'end': {
      if (isEnded) return late();
      if (known !== undefined && sent.type === 'flush') known.flushesOwed += 1;
      live.send(raw);
      expectCodes(...(known === undefined ? ['unknown_turn'] : []));
      if (known !== undefined && sent.type === 'end') model.textEnded.add(sent.turn);
      return;
    }
    case 'mark': {
      known?.marksOwed.push(sent.name);
      live.send(raw);
      expectCodes(...(known === undefined ? ['unknown_turn'] : []));
      return;
    }
    case 'cancel': {
      const unended = life.unended.filter((turn) => sent.turn === undefined || turn.id === sent.turn);
      live.send(raw);
      expectCodes(...(known === undefined && sent.turn !== undefined ? ['unknown_turn'] : []));
      for (const turn of unended) {
        if (turn.ended?.outcome !== 'cancelled') throw new Error('not cancelled at once');
        if (turn.nextSeq > 0 && turn.phase !== 'heard') throw new Error('heard not told at once');
        if (turn.marksOwed.length > 0) throw new Error('marks not cleared at once');
      }
      return;
    }
    default:
      live.send(raw);
      expectCodes(...(sent.type === 'played' && known === undefined ? ['unknown_turn'] : []));
  }
}

async function play(acts: readonly Act[], preset: Record<string, unknown>): Promise<void> {
  const life = watchTurns(8);
  const model: Model = { textEnded: new Set(), toldEnded: new Set(), lastTextMs: new Map() };
  let fault: Error | undefined;
  const live = startSession({
    preset: preset as never,
    limits: { turnsInFlight: TURNS_IN_FLIGHT, pendingTextChars: PENDING, textChars: 2000 },
    onEntry(entry) {
      try {
        life.see(entry);
      } catch (thrown) {
        fault ??= thrown as Error; // thrown where it was found it would look like a fault of the session
      }
    },
  });
  const check = () => {
    if (fault !== undefined) throw fault;
    if (live.faults.length > 0) throw new Error(live.faults[0]);
  };
  for (const step of acts) {
    check();
    if (step.do === 'send') sendChecked(live, life, model, step.message);
    else if (step.do === 'run') await live.run(step.ms);
    else if (step.do === 'socket') live.congest(step.state);
    else {
      const { live: requests } = live.upstream;
      const request = requests[step.pick % Math.max(1, requests.length)];
      if (step.act === 'send') request?.send(speechMp3(step.ms));
      else if (step.act === 'end') {
        if (request?.state === 'asked') request.send(speechMp3(step.ms));
        request?.end();
      } else if (step.act === 'fail') request?.fail(new AppError('upstream_broken', 'The connection broke.'));
      else request?.queued({ reason: 'quota', position: 1, etaMs: 100 });
      if (step.settles) await live.run(0);
    }
  }
  live.congest('clear');
  for (const turn of life.turns.keys()) live.send({ type: 'end', turn });
  for (let round = 0; round < 15 && live.session.turnsUnheard > 0; round += 1) {
    for (const request of live.upstream.live) {
      if (request.state === 'asked') request.send(speechMp3(100));
      request.end();
    }
    for (const turn of life.turns.keys()) live.send({ type: 'played', turn, ms: 86_000_000 });
    await live.run(2000);
  }
  // What is left hears itself through a narrow credit, and would take long.
  live.send({ type: 'cancel' });
  check();
  life.finish();
  if (live.session.turnsUnheard > 0) throw new Error('turns are left');
  if (live.session.bufferedBytes > 0) throw new Error('bytes are left');
  await live.run(20);
  if (live.clock.timers > 0) throw new Error('a timer is left');
}

describe('life of a turn id', () => {
  const preset = fc.record({
    captions: fc.constantFrom('off', 'words'),
    pace: fc.constantFrom('realtime', 'realtime', 'burst'),
    flow: fc.constantFrom('clock', 'clock', 'credit'),
  });
  it('holds for every order of messages, answers and ticks', async () => {
    await fc.assert(fc.asyncProperty(fc.array(act, { maxLength: 40, size: 'max' }), preset, play), {
      numRuns: Number(process.env.FC_RUNS ?? 100), // more in a long run by hand
    });
  });
});
