// How a session goes on whose instance is gone: from its journal and from what its client says it has. Pure.

import type { ResumeClaim } from '../../dialects/dialect.ts';
import type { EventOf, ServerEvent } from '../../dialects/native-events.ts';
import type { ClientCommand } from '../../dialects/native-messages.ts';
import type { HadOfTurn } from '../../session/session-runtime.ts';
import { Paragraphs } from '../../text/paragraphs.ts';
import {
  type JournaledCommand,
  type JournaledTurn,
  type JournalState,
  type Numbered,
  opensOneOf,
  overWith,
  turnOf,
  withEvent,
} from './session-journal.ts';

export type ReturnPlan = {
  /** Ids that cannot be used again. */
  readonly over: readonly string[];
  /** What was said and not received, as it was. */
  readonly said: readonly ServerEvent[];
  /** To be carried out again, in order; `quiet`: the answer to it has been received. */
  readonly commands: readonly { readonly command: ClientCommand; readonly isQuiet: boolean }[];
  /** The turn that goes on, and what the client or the call has had of it. */
  readonly had: (HadOfTurn & { readonly turn: string }) | undefined;
  /** What follows is the very rest of what its client has received. */
  readonly isExact: boolean;
  /** The call that the session had. */
  readonly leg: EventOf<'attached'> | undefined;
  /** What the journal is from now on: numbers go on from those that the client has received. */
  readonly state: JournalState;
};

/** `service`: whether what speaks says the same again. */
export function planReturn(
  state: JournalState,
  claim: ResumeClaim,
  service: 'repeats' | 'varies',
): ReturnPlan {
  const { after } = claim;
  const claimedAt = state.turns.findIndex(({ id }) => id === claim.turn);
  const isOver = ({ id, startedN, ended, isForCall }: JournaledTurn, at: number) => {
    if (ended !== undefined && (ended[0] <= after || WAS_CUT.has(ended[1].outcome) || isForCall)) return true;
    if (id === claim.turn) return false;
    // The client names the first turn that it has begun to receive and not the end of.
    return at < claimedAt || (hasStarted({ startedN }, after) && state.leg === undefined);
  };
  const over = state.turns.filter(isOver);
  const live = state.turns.filter((turn) => !over.includes(turn));
  const written = [...over.flatMap(messagesOf), ...present(state.detached)]
    .filter(([n]) => n > after)
    .sort(([a], [b]) => a - b);
  const said = [...written.map(([, event]) => event), ...unwrittenOf(over, live, state, after)];
  /** They are the next messages, and kept until they are received: the next instance can be lost as well. */
  const told = said.map((event, at): Numbered<ServerEvent> => [after + 1 + at, event]);
  const overIds = overWith(
    state,
    over.map(({ id }) => id),
  );
  const liveIds = new Set(live.map(({ id }) => id));
  const commands = state.commands.filter(({ command, n }) => {
    const id = turnOf(command);
    if (id !== undefined) return liveIds.has(id);
    return command.type !== 'cancel' || state.commands.some((each) => each.n < n && opensOneOf(each, live));
  });
  const had = hadOf(state, claim, live, service);
  // It broke off, or a call has heard it to its end: it is not made again for a client that has not.
  const missesRest = ({ id, ended }: JournaledTurn) =>
    id === claim.turn &&
    claim.received > 0 &&
    ended !== undefined &&
    ended[0] > after &&
    ended[1].outcome !== 'cancelled';
  return {
    over: overIds,
    said,
    commands: commands.map(({ command, told }) => ({ command, isQuiet: told <= after })),
    had,
    isExact: (had === undefined || 'exactly' in had.from) && !over.some(missesRest),
    leg: state.leg,
    state: {
      ...state,
      told: after,
      heard: state.heard?.turn === had?.turn ? state.heard : undefined,
      commands: commands.map((each) => ({ ...each, told: each.told <= after ? after : after + 1 })),
      turns: [
        ...over.flatMap((turn) => toldAgain(turn, told, after)),
        ...live.map(({ id, startedN, changed, sought, isForCall }) => {
          const isStarted = (had?.turn === id && had.isStarted) || hasStarted({ startedN }, after);
          return { id, changed, sought, isForCall, startedN: isStarted ? after : undefined, marks: [] };
        }),
      ],
      over: overIds,
      detached: told.find(isDetached),
    },
  };
}

/** Its first message has been received. */
const hasStarted = ({ startedN }: Pick<JournaledTurn, 'startedN'>, after: number): boolean =>
  startedN !== undefined && startedN <= after;

/** A turn that is over as long as some of what is `told` is of it. */
function toldAgain(
  { id, startedN, ended, heard }: JournaledTurn,
  told: readonly Numbered<ServerEvent>[],
  after: number,
): JournaledTurn[] {
  const its = told.filter(([, event]) => 'turn' in event && event.turn === id);
  if (its.length === 0) return [];
  const begun: JournaledTurn = {
    id,
    startedN: startedN === undefined ? undefined : after,
    ended: ended !== undefined && ended[0] <= after ? ended : undefined,
    heard: heard !== undefined && heard[0] <= after ? heard : undefined,
    marks: [],
  };
  return [its.reduce((known, [n, event]) => withEvent(known, n, event), begun)];
}

const isDetached = (each: Numbered<ServerEvent>): each is Numbered<EventOf<'detached'>> =>
  each[1].type === 'detached';

/** No audio of them follows. */
const WAS_CUT: ReadonlySet<string> = new Set(['cancelled', 'failed', 'truncated']);

function hadOf(
  state: JournalState,
  { turn, received, after }: ResumeClaim,
  live: readonly JournaledTurn[],
  service: 'repeats' | 'varies',
): ReturnPlan['had'] {
  const { leg, heard } = state;
  if (leg !== undefined) {
    // Between two turns the one that is still being heard is over.
    const its = live.find(({ id }) => id === heard?.turn) ?? live.find((each) => hasStarted(each, after));
    if (its === undefined) return undefined;
    const { id, sought } = its;
    const heardMs = heard?.turn === id ? heard.ms : 0;
    const from = { wordAtMs: heardMs };
    return { turn: id, isStarted: hasStarted(its, after), heardMs, repeatedBytes: 0, sought, from };
  }
  if (turn === undefined) return undefined;
  const its = live.find(({ id }) => id === turn);
  const known = heard?.turn === turn ? heard : undefined;
  const repeatedBytes = known?.repeatedBytes ?? 0;
  const bytes = Math.max(0, received - repeatedBytes);
  const isSame = received === 0 || (service === 'repeats' && isMadeAlike(state, turn));
  return {
    turn,
    isStarted: received > 0 || (its !== undefined && hasStarted(its, after)),
    heardMs: known?.ms ?? 0,
    repeatedBytes,
    sought: its?.sought,
    from: isSame ? { exactly: bytes } : { wordAtBytes: bytes },
  };
}

/** A whole text is split by the text alone; what was appended also by time, and what was sought or spoken by two is another. */
function isMadeAlike({ turns, commands }: JournalState, id: string): boolean {
  if (turns.find((turn) => turn.id === id)?.changed === true) return false;
  return commands.find(({ command }) => turnOf(command) === id)?.command.type === 'speak';
}

const messagesOf = ({ ended, heard, marks }: JournaledTurn): readonly Numbered<ServerEvent>[] => [
  ...marks,
  ...present(ended),
  ...present(heard),
];
const present = <T>(each: T | undefined): readonly T[] => (each === undefined ? [] : [each]);

/** What follows on the end of turns that are over, and is not written. `live`: those that are not over. */
function unwrittenOf(
  over: readonly JournaledTurn[],
  live: readonly JournaledTurn[],
  state: JournalState,
  after: number,
): ServerEvent[] {
  const unwritten = over.flatMap((turn) => followingOf(turn, state.commands));
  // Where nothing else has been said since the last write, the client has received as many of them as messages.
  return unwritten.slice(saysMore(over, live, state) ? 0 : Math.max(0, after - state.told));
}

type Following = EventOf<'mark'> | EventOf<'heard'>;

/** The marks that are not answered, and `heard`. */
function followingOf(
  { ended, heard, marks, startedN, sought, id: turn }: JournaledTurn,
  all: readonly JournaledCommand[],
): Following[] {
  if (heard !== undefined || startedN === undefined || ended?.[1].outcome !== 'complete') return [];
  const commands = all.flatMap(({ command }) => (turnOf(command) === turn ? [command] : []));
  const names = commands.flatMap((command) => (command.type === 'mark' ? [command.name] : []));
  const spokenText = textFrom(sought?.paragraph ?? 0, commands);
  const { sentMs: playedMs } = ended[1];
  return [
    ...names.slice(marks.length).map((name) => ({ type: 'mark', turn, name, outcome: 'played' }) as const),
    { type: 'heard', turn, playedMs, playedBy: 'clock', spokenText, remainingText: '' },
  ];
}

/** What is said of a turn from one of its paragraphs on, or of its lines. */
function textFrom(paragraph: number, commands: readonly ClientCommand[]): string {
  const dialogue = commands.find((command) => command.type === 'speak')?.dialogue;
  if (dialogue !== undefined) return linesOf(dialogue.slice(paragraph));
  const text = commands.map(wordsOf).join('');
  if (paragraph === 0) return text;
  const paragraphs = new Paragraphs();
  paragraphs.read(text);
  return text.slice(paragraphs.at(paragraph).unit);
}

/** Whether messages of other turns, of a call, of words or of paragraphs may stand between those that follow on an end. */
function saysMore(
  over: readonly JournaledTurn[],
  live: readonly JournaledTurn[],
  { leg, opening, commands }: JournalState,
): boolean {
  if (live.length > 0 || leg !== undefined || opening.preset.wordList === 'final') return true;
  const unheard = over.flatMap(({ id, heard }) => (heard === undefined ? [id] : []));
  return commands.some(({ command }) => {
    if (command.type === 'configure') return command.wordList === 'final';
    return command.type === 'speak' && unheard.includes(command.turn) && /[\n\r]/.test(wordsOf(command));
  });
}

/**
 * What is said next where all turns are over and nothing but their marks and `heard` can follow, as long as the client says nothing:
 * another instance knows it, and whether it has been said, from `after`. Undefined: it has to be written.
 */
export function knownNext(state: JournalState): Following | undefined {
  const { turns, commands } = state;
  if (turns.every(({ ended, heard }) => ended === undefined || heard !== undefined)) return undefined;
  const live = turns.filter(({ ended }) => ended === undefined);
  if (saysMore(turns, live, state)) return undefined;
  return turns.flatMap((turn) => followingOf(turn, commands))[0];
}

const wordsOf = (command: ClientCommand): string => {
  if (command.type === 'append') return command.text;
  if (command.type !== 'speak') return '';
  return command.text ?? linesOf(command.dialogue ?? []);
};
const linesOf = (dialogue: readonly { readonly text: string }[]): string =>
  dialogue.map(({ text }) => text).join('\n');
