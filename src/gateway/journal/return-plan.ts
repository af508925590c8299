// How a session goes on whose instance is gone: from its journal and from what its client says it has. Pure.

import type { ResumeClaim } from '../../dialects/dialect.ts';
import type { EventOf, ServerEvent } from '../../dialects/native-events.ts';
import type { ClientCommand } from '../../dialects/native-messages.ts';
import type { HadOfTurn } from '../../session/session-runtime.ts';
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
  const isOver = ({ id, startedN, ended }: JournaledTurn, at: number) => {
    if (ended !== undefined && (ended[0] <= after || WAS_CUT.has(ended[1].outcome) || isOfCall(id, state)))
      return true;
    if (id === claim.turn) return false;
    // The client names the first turn that it has begun to receive and not the end of.
    return at < claimedAt || (startedN !== undefined && startedN <= after && state.leg === undefined);
  };
  const over = state.turns.filter(isOver);
  const live = state.turns.filter((turn) => !over.includes(turn));
  const written = over.flatMap((turn) => missedOf(turn, after)).sort(([a], [b]) => a - b);
  const said = [...written.map(([, event]) => event), ...unwrittenOf(over, live, state, after)];
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
  return {
    over: overIds,
    said,
    commands: commands.map(({ command, told }) => ({ command, isQuiet: told <= after })),
    had,
    leg: state.leg,
    state: {
      ...state,
      told: after,
      commands: commands.map((each) => ({ ...each, told: each.told <= after ? after : after + 1 })),
      turns: [
        ...over.flatMap((turn) => toldAgain(turn, said, after)),
        ...live.map(({ id, startedN, changed }) => {
          const isStarted = (had?.turn === id && had.isStarted) || (startedN ?? after + 1) <= after;
          return { id, changed, startedN: isStarted ? after : undefined, marks: [] };
        }),
      ],
      over: overIds,
    },
  };
}

/** A turn that was named behind `attach` is heard by the call alone, whatever the client has received. */
function isOfCall(id: string, { leg, commands }: JournalState): boolean {
  if (leg === undefined) return false;
  const attachedN = commands.findLast(({ command }) => command.type === 'attach')?.n ?? 0;
  return (commands.find(({ command }) => turnOf(command) === id)?.n ?? 0) > attachedN;
}

/** What is `said` of a turn that is over is kept until it is received: the next instance can be lost as well. */
function toldAgain(turn: JournaledTurn, said: readonly ServerEvent[], after: number): JournaledTurn[] {
  const { id, ended } = turn;
  const its = said.flatMap((event, at) =>
    'turn' in event && event.turn === id ? [[after + 1 + at, event] as const] : [],
  );
  if (its.length === 0) return [];
  const begun: JournaledTurn = {
    id,
    startedN: turn.startedN === undefined ? undefined : after,
    ended: ended !== undefined && ended[0] <= after ? ended : undefined,
    marks: [],
  };
  return [its.reduce((known, [n, event]) => withEvent(known, n, event), begun)];
}

/** No audio of them follows. */
const WAS_CUT: ReadonlySet<string> = new Set(['cancelled', 'failed', 'truncated']);

function hadOf(
  state: JournalState,
  { turn, received, after }: ResumeClaim,
  live: readonly JournaledTurn[],
  service: 'repeats' | 'varies',
): ReturnPlan['had'] {
  const { leg, heard } = state;
  const startedN = (id: string) => live.find((each) => each.id === id)?.startedN ?? Number.POSITIVE_INFINITY;
  if (leg !== undefined) {
    if (heard === undefined || live.every(({ id }) => id !== heard.turn)) return undefined;
    const isStarted = startedN(heard.turn) <= after;
    return { turn: heard.turn, isStarted, from: { wordAtMs: heard.ms } };
  }
  if (turn === undefined) return undefined;
  const isStarted = received > 0 || startedN(turn) <= after;
  const isSame = received === 0 || (service === 'repeats' && isMadeAlike(state, turn));
  return { turn, isStarted, from: isSame ? { exactly: received } : { wordAtBytes: received } };
}

/** A whole text is split by the text alone; what was appended also by time, and what was sought or spoken by two is another. */
function isMadeAlike({ turns, commands }: JournalState, id: string): boolean {
  if (turns.find((turn) => turn.id === id)?.changed === true) return false;
  return commands.find(({ command }) => turnOf(command) === id)?.command.type === 'speak';
}

/** What was written of a turn that is over, and the client has not received. */
const missedOf = ({ ended, heard, marks }: JournaledTurn, after: number): Numbered<ServerEvent>[] =>
  [...marks, ended, heard].filter((each) => each !== undefined && each[0] > after) as Numbered<ServerEvent>[];

/** What follows on the end of turns that are over, and is not written. `live`: those that are not over. */
function unwrittenOf(
  over: readonly JournaledTurn[],
  live: readonly JournaledTurn[],
  state: JournalState,
  after: number,
): ServerEvent[] {
  const unwritten = over.flatMap((turn) => followingOf(turn, state.commands));
  // Where nothing else has been said since the last write, the client has received as many of them as messages.
  return unwritten.slice(saysMore(live, state) ? 0 : Math.max(0, after - state.told));
}

/** The marks that are not answered, and `heard`. */
function followingOf(
  { ended, heard, marks, startedN, id: turn }: JournaledTurn,
  all: readonly JournaledCommand[],
): ServerEvent[] {
  if (heard !== undefined || startedN === undefined || ended?.[1].outcome !== 'complete') return [];
  const commands = all.flatMap(({ command }) => (turnOf(command) === turn ? [command] : []));
  const names = commands.flatMap((command) => (command.type === 'mark' ? [command.name] : []));
  const spokenText = commands.map(wordsOf).join('');
  const { sentMs: playedMs } = ended[1];
  return [
    ...names.slice(marks.length).map((name) => ({ type: 'mark', turn, name, outcome: 'played' }) as const),
    { type: 'heard', turn, playedMs, playedBy: 'clock', spokenText, remainingText: '' },
  ];
}

/** Whether messages of other turns, of a call, of paragraphs or of words may stand between those that follow on an end. */
const saysMore = (live: readonly JournaledTurn[], { leg, opening, commands }: JournalState): boolean =>
  live.length > 0 ||
  leg !== undefined ||
  opening.preset.wordList === 'final' ||
  commands.some(({ command }) =>
    command.type === 'configure' ? command.wordList === 'final' : /[\n\r]/.test(wordsOf(command)),
  );

/**
 * Turns whose `heard` another instance knows to say, and whether it is to be said, without its being written. They are complete, and
 * nothing but their marks and `heard` can follow until the client says more: who writes a journal writes at once whatever else does.
 */
export function heardByThemselves(state: JournalState): readonly string[] {
  const { turns } = state;
  const live = turns.filter(({ ended }) => ended === undefined);
  if (saysMore(live, state)) return [];
  return turns.flatMap((turn) => (followingOf(turn, state.commands).length > 0 ? [turn.id] : []));
}

const wordsOf = (command: ClientCommand): string => {
  if (command.type === 'append') return command.text;
  if (command.type !== 'speak') return '';
  return command.text ?? command.dialogue?.map(({ text }) => text).join('\n') ?? '';
};
