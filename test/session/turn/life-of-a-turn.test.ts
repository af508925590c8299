// The life of a turn id under every order of messages: a client, an upstream and time, each doing what it likes.
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { speechMp3 } from '../../support/codecs.ts';
import { type LiveSession, startSession } from '../../support/live-session.ts';
import { type Act, acts, doToUpstream } from '../../support/turn-acts.ts';
import { type TurnLife, watchTurns } from '../../support/turn-life.ts';

const TURNS_IN_FLIGHT = 3;
const PENDING = 300;

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

async function play(steps: readonly Act[], preset: Record<string, unknown>): Promise<void> {
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
  for (const step of steps) {
    check();
    if (step.do === 'send') sendChecked(live, life, model, step.message);
    else if (step.do === 'run') await live.run(step.ms);
    else if (step.do === 'socket') live.congest(step.state);
    else {
      doToUpstream(live.upstream, step);
      if (step.settles) await live.run(0);
    }
  }
  live.congest('clear');
  for (const turn of life.turns.keys()) live.send({ type: 'end', turn });
  for (let round = 0; round < 15 && live.session.turnsUnheard() > 0; round += 1) {
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
  if (live.session.turnsUnheard() > 0) throw new Error('turns are left');
  if (live.session.bufferedBytes() > 0) throw new Error('bytes are left');
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
    await fc.assert(fc.asyncProperty(acts, preset, play), {
      numRuns: Number(process.env.FC_RUNS ?? 100), // more in a long run by hand
    });
  });
});
