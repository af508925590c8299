// What another instance needs to go on with a resumable session: its settings, what its client has said that is not over, the
// salt of its seeds, and how far its turns have come. No audio. Pure: additions make a state.

import type { EventOf, ServerEvent } from '../../dialects/native-events.ts';
import type { ClientCommand, Preset } from '../../dialects/native-messages.ts';
import type { HadOfTurn, HeardSoFar } from '../../session/session-runtime.ts';
import type { AgentProfile } from '../../speech/agent-profile.ts';

/** What a session was opened with. */
export type JournalOpening = {
  readonly userId: string;
  /** As in the resume token: the name of the key, or the id of the token, that let the client in. */
  readonly key?: string | undefined;
  readonly caller?: string | undefined;
  readonly dialect: string;
  readonly preset: Preset;
  readonly profile?: AgentProfile | undefined;
  /** Seeds of turns that name none follow from it and their ids. */
  readonly salt: string;
};

/** `n`: which message of the client it was; `told`: messages of the session before the write that it was in, answers included. */
export type JournaledCommand = {
  readonly n: number;
  readonly told: number;
  readonly command: ClientCommand;
};
export type Numbered<E> = readonly [n: number, event: E];

export type JournaledTurn = {
  readonly id: string;
  /** Numbers of what was said of it. */
  readonly startedN?: number | undefined;
  readonly ended?: Numbered<EventOf<'ended'>> | undefined;
  readonly heard?: Numbered<EventOf<'heard'>> | undefined;
  readonly marks: readonly Numbered<EventOf<'mark'>>[];
  /** Named behind `attach`: the call hears it, and its client does not. */
  readonly isForCall?: true | undefined;
  /** It has been spoken by more than one service, or from another place: it is not made again as it was. */
  readonly changed?: true | undefined;
  /** The place that was sought last, and the media position from which it is sent. */
  readonly sought?: HadOfTurn['sought'];
};

export type JournalState = {
  readonly opening: JournalOpening;
  /** Messages of the client that were taken, and of the session that were said. */
  readonly taken: number;
  readonly told: number;
  /** The number of the oldest resume token that holds. */
  readonly token: number;
  readonly commands: readonly JournaledCommand[];
  /** In the order in which they were named. */
  readonly turns: readonly JournaledTurn[];
  /** Ids that cannot be used again, the oldest first. */
  readonly over: readonly string[];
  /** How far the turn that is being heard has been heard, ms, at the last write. */
  readonly heard?: HeardSoFar | undefined;
  readonly leg?: EventOf<'attached'> | undefined;
  /** How the last call ended. */
  readonly detached?: Numbered<EventOf<'detached'>> | undefined;
};

export type JournalAddition = Pick<JournalState, 'taken' | 'told' | 'token' | 'heard'> & {
  /** `told`, of what is about calls: how many messages of the session it follows on. */
  readonly commands: readonly (readonly [n: number, command: ClientCommand, told?: number])[];
  readonly said: readonly Numbered<ServerEvent>[];
};

/** What one write adds: an addition, or all there is. */
export type JournalEntry = { readonly state: JournalState } | { readonly add: JournalAddition };

/** Ids of ended turns: a client can still have messages under way for as many. */
const MAX_OVER = 256;
const MAX_JOINED = 4000; // characters of appended text
/** Their answers are of the moment. */
const NOT_KEPT: ReadonlySet<string> = new Set(['ping', 'voices']);
/** What says how far a session is. */
const KEPT_EVENTS: ReadonlySet<string> = new Set([
  'started',
  'switched',
  'sought',
  'ended',
  'heard',
  'mark',
  'attached',
  'detached',
  'error',
]);

export const isKeptCommand = ({ type }: ClientCommand): boolean => !NOT_KEPT.has(type);
export const isKeptEvent = ({ type }: ServerEvent): boolean => KEPT_EVENTS.has(type);

export const turnOf = (command: ClientCommand): string | undefined => {
  if (command.type === 'hangup') return command.after;
  return 'turn' in command ? command.turn : undefined;
};

export const beginJournal = (opening: JournalOpening): JournalState => {
  return { opening, taken: 0, told: 0, token: 1, commands: [], turns: [], over: [] };
};

export function addToJournal(state: JournalState, addition: JournalAddition): JournalState {
  const { taken, told, token, heard } = addition;
  const commands = [...state.commands];
  const turns = new Map(state.turns.map((turn) => [turn.id, turn]));
  for (const [n, command] of addition.commands) {
    const id = turnOf(command);
    const opens = command.type === 'speak' || command.type === 'append';
    if (opens && id !== undefined && !turns.has(id) && !state.over.includes(id))
      turns.set(id, { id, marks: [], isForCall: isForCall(commands) });
    keep(commands, { n, told, command });
  }
  const followsOn = new Map(addition.commands.map(([n, , before = 0]) => [n, before]));
  let { leg, detached } = state;
  for (const [n, event] of addition.said) {
    if (event.type === 'attached') leg = event;
    const isRefusedLeg = event.type === 'error' && event.turn === undefined && event.code.startsWith('leg_');
    if (event.type === 'detached') [leg, detached] = [undefined, [n, event]];
    if (event.type === 'detached' || (isRefusedLeg && leg === undefined))
      dropLegs(commands, (command) => (followsOn.get(command) ?? 0) < n);
    const turn = 'turn' in event && event.turn !== undefined ? turns.get(event.turn) : undefined;
    if (turn !== undefined) turns.set(turn.id, withEvent(turn, n, event));
  }
  return { ...state, taken, told, token, heard, leg, detached, commands, turns: [...turns.values()] };
}

export function withEvent(turn: JournaledTurn, n: number, event: ServerEvent): JournaledTurn {
  const { type } = event;
  if (type === 'started') return { ...turn, startedN: n };
  if (type === 'switched') return { ...turn, changed: true };
  if (type === 'sought')
    return { ...turn, changed: true, sought: { paragraph: event.paragraph, atMs: event.atMs } };
  if (type === 'ended') return { ...turn, ended: [n, event] };
  if (type === 'heard') return { ...turn, heard: [n, event] };
  if (type === 'mark') return { ...turn, marks: [...turn.marks, [n, event]] };
  return turn;
}

/** What a later command makes needless goes. */
function keep(commands: JournaledCommand[], next: JournaledCommand): void {
  const { command } = next;
  const last = commands.at(-1);
  if (command.type === 'append' && last?.command.type === 'append') {
    const { type: _type, turn, text, speaker, ...fields } = command;
    const before = last.command;
    const isMore =
      turn === before.turn &&
      (speaker === undefined || speaker === before.speaker) &&
      Object.values(fields).every((value) => value === undefined) &&
      before.text.length + text.length <= MAX_JOINED;
    if (isMore) {
      commands[commands.length - 1] = { ...next, command: { ...before, text: before.text + text } };
      return;
    }
  }
  const replaced = REPLACES[command.type];
  if (replaced !== undefined)
    for (let at = commands.length - 1; at >= 0; at -= 1) {
      const each = commands[at]!.command;
      if (replaced.includes(each.type) && turnOf(each) === turnOf(command)) commands.splice(at, 1);
    }
  commands.push(next);
}
/** Of the same turn, or of none. */
const REPLACES: Readonly<Partial<Record<ClientCommand['type'], readonly string[]>>> = {
  played: ['played'],
  pause: ['pause', 'resume'],
  resume: ['pause', 'resume'],
  seek: ['seek'],
};
const LEG_COMMANDS: ReadonlySet<string> = new Set(['attach', 'detach', 'hangup']);
export const isAboutCalls = ({ type }: ClientCommand): boolean => LEG_COMMANDS.has(type);

const isForCall = (commands: readonly JournaledCommand[]): true | undefined =>
  commands.findLast(({ command }) => command.type === 'attach' || command.type === 'detach')?.command.type ===
  'attach'
    ? true
    : undefined;

/** A call has ended: what is about it goes; the client may have asked for another one by now. */
function dropLegs(commands: JournaledCommand[], isBefore: (n: number) => boolean): void {
  for (let at = commands.length - 1; at >= 0; at -= 1)
    if (isAboutCalls(commands[at]!.command) && isBefore(commands[at]!.n)) commands.splice(at, 1);
}

/** Forgets what the client has received the end of: messages up to `provenN`. */
export function pruneJournal(state: JournalState, provenN: number): JournalState {
  const isOver = ({ ended, heard, startedN }: JournaledTurn) => {
    if (heard !== undefined) return heard[0] <= provenN;
    // What was never begun is never heard.
    return ended !== undefined && startedN === undefined && ended[0] <= provenN;
  };
  const gone = new Set(state.turns.filter(isOver).map(({ id }) => id));
  const settings = joinSettings(state.commands, provenN);
  const detached = state.detached !== undefined && state.detached[0] > provenN ? state.detached : undefined;
  if (gone.size === 0 && settings === state.commands && detached === state.detached) return state;
  const turns = state.turns.filter(({ id }) => !gone.has(id));
  const commands = settings.filter(({ command, n }) => {
    const id = turnOf(command);
    if (id !== undefined) return !gone.has(id);
    // It was for all turns before it.
    return command.type !== 'cancel' || settings.some((each) => each.n < n && opensOneOf(each, turns));
  });
  return { ...state, detached, turns, commands, over: overWith(state, gone) };
}

export const overWith = ({ over }: JournalState, more: Iterable<string>): readonly string[] =>
  [...new Set([...over, ...more])].slice(-MAX_OVER);

export const opensOneOf = ({ command }: JournaledCommand, turns: readonly JournaledTurn[]): boolean =>
  turns.some(({ id }) => id === turnOf(command));

/** Settings that follow on each other, and whose answers have been received, become one. */
function joinSettings(commands: readonly JournaledCommand[], provenN: number): readonly JournaledCommand[] {
  const joined: JournaledCommand[] = [];
  for (const each of commands) {
    const last = joined.at(-1);
    const isJoined =
      each.command.type === 'configure' && last?.command.type === 'configure' && each.told <= provenN;
    if (isJoined) joined[joined.length - 1] = { ...each, command: { ...last.command, ...each.command } };
    else joined.push(each);
  }
  return joined.length === commands.length ? commands : joined;
}

/** The state that entries of one journal make, in their order; undefined where they do not begin with a whole one. */
export function readJournal(entries: readonly JournalEntry[]): JournalState | undefined {
  let state: JournalState | undefined;
  for (const entry of entries) {
    if ('state' in entry) state = entry.state;
    else if (state !== undefined) state = addToJournal(state, entry.add);
  }
  return state;
}
