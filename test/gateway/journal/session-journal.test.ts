// Whatever was written before an instance died: nothing that was acknowledged is lost, and what the client has the end of is not
// said again.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServerEvent } from '../../../src/dialects/native-events.ts';
import type { ClientCommand } from '../../../src/dialects/native-messages.ts';
import { planReturn } from '../../../src/gateway/journal/return-plan.ts';
import {
  addToJournal,
  beginJournal,
  type JournalAddition,
  type JournalEntry,
  type JournalState,
  pruneJournal,
  readJournal,
  turnOf,
} from '../../../src/gateway/journal/session-journal.ts';

const OPENING = { userId: 'anna', dialect: 'native', preset: {}, salt: 's' };

type Happening =
  | { readonly is: 'command'; readonly command: ClientCommand }
  | { readonly is: 'next event' }
  | { readonly is: 'write'; readonly anew: boolean }
  | { readonly is: 'receive'; readonly messages: number };
const turnId = fc.constantFrom('a', 'b', 'c', 'd');
const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({
    is: fc.constant('command' as const),
    command: fc.oneof(
      fc.record({ type: fc.constant('append' as const), turn: turnId, text: fc.constantFrom('x', 'y', 'z') }),
      fc.record({ type: fc.constant('end' as const), turn: turnId }),
      fc.constant({ type: 'ping' as const }),
      fc.record({ type: fc.constant('configure' as const), leadMs: fc.integer({ min: 40, max: 400 }) }),
    ),
  }),
  fc.constant({ is: 'next event' as const }),
  fc.record({ is: fc.constant('write' as const), anew: fc.boolean() }),
  fc.record({ is: fc.constant('receive' as const), messages: fc.integer({ min: 1, max: 4 }) }),
);

/** A session of turns that are heard one after another, as far as its journal sees it. */
function live(happenings: readonly Happening[]) {
  const named: string[] = [];
  const texts = new Map<string, string>();
  const events: ServerEvent[] = [];
  const entries: JournalEntry[] = [];
  let state: JournalState = beginJournal(OPENING);
  let [commands, said]: [JournalAddition['commands'][number][], JournalAddition['said'][number][]] = [[], []];
  let [taken, received, playing, step] = [0, 0, 0, 0];
  const acknowledged = { taken: 0, texts: new Map<string, string>() };
  const written = { told: 0 };
  for (const each of happenings) {
    if (each.is === 'command') {
      taken += 1;
      const { command } = each;
      if (command.type === 'append') {
        // A turn that is over takes nothing more.
        if (named.indexOf(command.turn) !== -1 && named.indexOf(command.turn) < playing) continue;
        if (!named.includes(command.turn)) named.push(command.turn);
        texts.set(command.turn, (texts.get(command.turn) ?? '') + command.text);
      }
      commands.push([taken, command]);
    } else if (each.is === 'next event') {
      const turn = named[playing];
      if (turn === undefined) continue;
      const event = [
        { type: 'started', turn },
        { type: 'ended', turn, outcome: 'complete', sentMs: 100 },
        { type: 'heard', turn },
      ][step] as unknown as ServerEvent;
      step = (step + 1) % 3;
      if (step === 0) playing += 1;
      events.push(event);
      said.push([events.length, event]);
    } else if (each.is === 'receive') received = Math.min(events.length, received + each.messages);
    else {
      const addition = { taken, told: events.length, token: 1, heard: undefined, commands, said };
      [commands, said] = [[], []];
      state = addToJournal(state, addition);
      if (each.anew || entries.length === 0) {
        // What is proven was received before.
        state = pruneJournal(state, Math.max(0, received - 2));
        entries.push({ state });
      } else entries.push({ add: addition });
      acknowledged.taken = taken;
      acknowledged.texts = new Map(texts);
      written.told = events.length;
    }
  }
  return { entries, acknowledged, events, received, written };
}

it('nothing acknowledged is lost, and nothing that was heard to its end comes again', () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 60 }), (happenings) => {
      const { entries, acknowledged, events, received, written } = live(happenings);
      const state = readJournal(entries);
      if (state === undefined) return;
      expect(state.taken).toBe(acknowledged.taken);
      const got = events.slice(0, received);
      const has = (type: string, turn: string, of = got) =>
        of.some((event) => event.type === type && 'turn' in event && event.turn === turn);
      const started = got.flatMap((event) => (event.type === 'started' ? [event.turn] : []));
      const turn = started.find((id) => !has('ended', id));
      const plan = planReturn(
        state,
        { after: received, turn, received: turn === undefined ? 0 : 10 },
        'repeats',
      );
      const spoken = (id: string) =>
        plan.commands
          .map(({ command }) => (command.type === 'append' && turnOf(command) === id ? command.text : ''))
          .join('');
      for (const [id, text] of acknowledged.texts) {
        if (!has('ended', id)) expect(spoken(id)).toBe(text);
        // What began and ended behind the last write, and nothing tells of, may be said again.
        const isKnown = has('started', id, events.slice(0, written.told)) || turn !== undefined;
        if (has('ended', id) && isKnown) expect(spoken(id)).toBe('');
        const isSaid = plan.said.some((event) => event.type === 'heard' && event.turn === id);
        if (has('ended', id, events.slice(0, written.told)) && has('ended', id) && !has('heard', id))
          expect(isSaid).toBe(true);
        // With nothing behind it, it is not said again either.
        if (has('heard', id) && plan.commands.length === 0) expect(isSaid).toBe(false);
      }
      expect(plan.had?.turn).toBe(turn);
      // The instance after this one can be lost as well.
      const again = planReturn(plan.state, { after: received, turn, received: 10 }, 'repeats');
      expect(again).toMatchObject({ commands: plan.commands, said: plan.said, over: plan.over });
      const allSaid = planReturn(
        plan.state,
        { after: received + plan.said.length, turn, received: 10 },
        'repeats',
      );
      expect(allSaid.said).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

it('goes on at a word where the same is not made again', () => {
  const state = addToJournal(beginJournal(OPENING), {
    taken: 2,
    told: 3,
    token: 1,
    heard: undefined,
    commands: [
      [1, { type: 'speak', turn: 'a', text: 'Whole.' }],
      [2, { type: 'append', turn: 'b', text: 'In parts.' }],
    ],
    said: [],
  });
  const from = (turn: string, service: 'repeats' | 'varies') =>
    planReturn(state, { after: 1, turn, received: 800 }, service).had?.from;
  expect(from('a', 'repeats')).toEqual({ exactly: 800 });
  expect(from('a', 'varies')).toEqual({ wordAtBytes: 800 });
  expect(from('b', 'repeats')).toEqual({ wordAtBytes: 800 });
});

it('knows of a turn that its client had received some of that it had begun, so that the instance after this one says `heard`', () => {
  const begun = addToJournal(beginJournal(OPENING), {
    taken: 1,
    told: 1,
    token: 1,
    heard: undefined,
    commands: [[1, { type: 'speak', turn: 'a', text: 'Whole.' }]],
    said: [],
  });
  const { state } = planReturn(begun, { after: 2, turn: 'a', received: 800 }, 'repeats');
  const ended = { type: 'ended', turn: 'a', outcome: 'complete', sentMs: 100 } as unknown as ServerEvent;
  const over = addToJournal(state, {
    taken: 1,
    told: 3,
    token: 1,
    heard: undefined,
    commands: [],
    said: [[3, ended]],
  });
  const said = planReturn(over, { after: 3, turn: undefined, received: 0 }, 'repeats').said;
  expect(said.map(({ type }) => type)).toEqual(['heard']);
});

it('a turn of a call that has ended is not said to its callee again, though its client was away', () => {
  const leg = { type: 'attached', leg: 'l', kind: 'twilio', format: 'mulaw', sampleRate: 8000 } as const;
  const ended = { type: 'ended', turn: 'b', outcome: 'complete', sentMs: 100 } as unknown as ServerEvent;
  const mine = { ...ended, turn: 'a' } as unknown as ServerEvent;
  const state = addToJournal(beginJournal(OPENING), {
    taken: 3,
    told: 6,
    token: 1,
    heard: undefined,
    commands: [
      [1, { type: 'speak', turn: 'a', text: 'To its client.' }],
      [2, { type: 'attach', leg: { callSid: 'c' } }],
      [3, { type: 'speak', turn: 'b', text: 'To the call.' }],
    ],
    said: [
      [3, mine],
      [4, leg],
      [5, ended],
    ],
  });
  const plan = planReturn(state, { after: 2, turn: 'a', received: 80 }, 'repeats');
  expect(plan.over).toEqual(['b']);
  expect(plan.said).toEqual([ended]);
  // Nor to its client, when the call is over and another one is asked for.
  const detached = { type: 'detached', leg: 'l', kind: 'twilio', reason: 'hung up' } as const;
  const gone = addToJournal(state, {
    taken: 5,
    told: 7,
    token: 1,
    heard: undefined,
    commands: [
      [4, { type: 'attach', leg: { callSid: 'd' } }, 6],
      [5, { type: 'speak', turn: 'c', text: 'To the next call.' }],
    ],
    said: [[6, detached]],
  });
  const next = planReturn(gone, { after: 2, turn: 'a', received: 80 }, 'repeats');
  expect(next.over).toEqual(['b']);
  expect(next.said).toEqual([ended, detached]);
  expect(next.commands.map(({ command }) => command.type)).toEqual(['speak', 'attach', 'speak']);
  // The next instance can be lost as well.
  expect(planReturn(next.state, { after: 2, turn: 'a', received: 80 }, 'repeats').said).toEqual(next.said);
  expect(pruneJournal(next.state, 4)).toMatchObject({ detached: undefined, over: ['b'] });
});

describe('what follows on an end that is written', () => {
  const started = { type: 'started', turn: 'a' } as unknown as ServerEvent;
  const ended = { type: 'ended', turn: 'a', outcome: 'complete', sentMs: 100 } as unknown as ServerEvent;
  const heard = { type: 'heard', turn: 'a', playedMs: 100, playedBy: 'clock' };
  const spoken: readonly ClientCommand[] = [
    { type: 'append', turn: 'a', text: 'One ' },
    { type: 'mark', turn: 'a', name: 'first' },
    { type: 'append', turn: 'a', text: 'whole text.' },
    { type: 'mark', turn: 'a', name: 'last' },
  ];
  const first = { type: 'mark', turn: 'a', name: 'first', outcome: 'played' } as const;
  const last = { type: 'mark', turn: 'a', name: 'last', outcome: 'played' };
  const whole = { ...heard, spokenText: 'One whole text.', remainingText: '' };
  const saidTo = (received: number, commands = spoken, preset = {}) => {
    const state = addToJournal(beginJournal({ ...OPENING, preset }), {
      taken: commands.length,
      told: 4,
      token: 1,
      heard: undefined,
      commands: commands.map((command, at) => [at + 1, command] as const),
      said: [
        [2, started],
        [3, first],
        [4, ended],
      ],
    });
    const plan = planReturn(state, { after: received, turn: undefined, received: 0 }, 'repeats');
    expect(plan.over).toEqual(['a']);
    return plan.said;
  };

  it('is said where the client has not received it, and not again', () => {
    expect(saidTo(4)).toEqual([last, whole]);
    expect(saidTo(5)).toEqual([whole]);
    expect(saidTo(6)).toEqual([]);
  });
  it('is rather said again than left out, where other messages may stand between', () => {
    expect(saidTo(6, [...spoken, { type: 'speak', turn: 'b', text: 'Behind it.' }])).toEqual([last, whole]);
    expect(saidTo(6, spoken, { wordList: 'final' })).toEqual([last, whole]);
    expect(saidTo(6, [{ type: 'configure', wordList: 'final' }, ...spoken])).toEqual([last, whole]);
    const paragraphs: ClientCommand = { type: 'speak', turn: 'a', text: 'One.\n\nAnother paragraph.' };
    expect(saidTo(6, [paragraphs]).map(({ type }) => type)).toEqual(['heard']);
  });
});

it('knows that a call is gone, and where one was that goes on', () => {
  const attached = {
    type: 'attached',
    leg: 'l',
    kind: 'twilio',
    callSid: 'c',
    format: 'mulaw',
    sampleRate: 8000,
  } as const;
  const add = (state: JournalState, addition: Partial<JournalAddition>) =>
    addToJournal(state, {
      taken: 2,
      told: 3,
      token: 1,
      heard: undefined,
      commands: [],
      said: [],
      ...addition,
    });
  const inCall = add(beginJournal(OPENING), {
    commands: [
      [1, { type: 'attach', leg: { callSid: 'c' } }],
      [2, { type: 'speak', turn: 'a', text: 'To the call.' }],
    ],
    said: [[2, attached]],
    heard: { turn: 'a', ms: 1234 },
  });
  const plan = planReturn(inCall, { after: 2, turn: undefined, received: 0 }, 'repeats');
  expect(plan.leg).toEqual(attached);
  expect(plan.had).toEqual({
    turn: 'a',
    isStarted: false,
    heardMs: 1234,
    repeatedBytes: 0,
    from: { wordAtMs: 1234 },
  });
  expect(plan.commands.map(({ command }) => command.type)).toEqual(['attach', 'speak']);
  const complete = {
    type: 'ended',
    turn: 'a',
    outcome: 'complete',
    audioMs: 3000,
    sentMs: 3000,
    requests: 1,
    resumes: 0,
    cached: false,
  } as const;
  const over = add(inCall, { said: [[3, complete]] });
  const started = { type: 'started', turn: 'a' } as unknown as ServerEvent;
  const sought = { type: 'sought', turn: 'a', paragraph: 1, atMs: 700 } as const;
  const told = add(
    add(beginJournal(OPENING), {
      commands: [
        [1, { type: 'attach', leg: { callSid: 'c' } }],
        [2, { type: 'speak', turn: 'a', text: 'One.\n\nTwo.\n\nThree.' }],
      ],
      said: [
        [1, attached],
        [2, started],
      ],
    }),
    {
      said: [
        [3, sought],
        [4, complete],
      ],
    },
  );
  expect(planReturn(told, { after: 4, turn: undefined, received: 0 }, 'repeats').said).toMatchObject([
    { type: 'heard', spokenText: 'Two.\n\nThree.', remainingText: '' },
  ]);
  const exactFor = (claim: { after: number; turn: string | undefined; received: number }) =>
    planReturn(over, claim, 'repeats').isExact;
  expect(exactFor({ after: 2, turn: 'a', received: 8000 })).toBe(false);
  // It does not listen along; it has had it all.
  expect(exactFor({ after: 2, turn: 'a', received: 0 })).toBe(true);
  expect(exactFor({ after: 3, turn: undefined, received: 0 })).toBe(true);
  for (const [outcome, isExact] of [
    ['truncated', false],
    ['cancelled', true],
  ] as const) {
    const cut = add(beginJournal(OPENING), {
      commands: [[1, { type: 'speak', turn: 'a', text: 'To its client.' }]],
      said: [[2, { ...complete, outcome }]],
    });
    expect(planReturn(cut, { after: 1, turn: 'a', received: 800 }, 'repeats')).toMatchObject({ isExact });
  }
  const gone = add(inCall, {
    said: [[4, { type: 'detached', leg: 'l', kind: 'twilio', reason: 'hung up' }]],
  });
  expect(planReturn(gone, { after: 4, turn: undefined, received: 0 }, 'repeats')).toMatchObject({
    leg: undefined,
    commands: [{ command: { type: 'speak' } }],
  });
});
