// The speeches of one client in order. Its protocol has no ids: text belongs to the speech that is open, a Flush ends
// it, and further speeches queue behind. A speech is one native turn, or several when the session ends a turn whose text
// paused too long. No more turns are named than the session takes; text beyond them waits here, bounded.

import type { DialectSink } from '../dialect.ts';
import type { EventOf } from '../native-events.ts';
import type { ClientCommand } from '../native-messages.ts';

// Commands to a session that answers while it is being asked: what comes back for the same turn before it returns is why
// it refused, and not the failure of a speech.

type Refusal = EventOf<'error'>;

type SessionInquiry = {
  /** Answers with the refusal, which `onRefused` is told in the order of what else comes meanwhile. */
  readonly ask: (command: ClientCommand, onRefused?: (refusal: Refusal) => void) => Refusal | undefined;
  /** False while the session is being asked: nothing else should be, before it has answered. */
  isIdle(): boolean;
  /** Takes a failure that answers the command under way. */
  readonly takes: (event: Refusal) => boolean;
};

function createSessionInquiry(carryOut: DialectSink['carryOut']): SessionInquiry {
  type Asking = {
    readonly turn: string | undefined;
    readonly onRefused: ((refusal: Refusal) => void) | undefined;
    refusal: Refusal | undefined;
  };
  let asking: Asking | undefined;
  return {
    ask(command, onRefused) {
      const mine: Asking = {
        turn: 'turn' in command ? command.turn : undefined,
        onRefused,
        refusal: undefined,
      };
      asking = mine;
      carryOut(command);
      asking = undefined;
      return mine.refusal;
    },
    isIdle: () => asking === undefined,
    takes(event) {
      if (asking === undefined || asking.turn !== event.turn || asking.refusal !== undefined) return false;
      asking.refusal = event;
      asking.onRefused?.(event);
      return true;
    },
  };
}

/** Room comes when some of what waits has been spoken, or when the client ends the speech. */
export type TextRefusal = 'no-room' | 'too-long-a-speech';

/** `Own` is what a codec keeps with a speech. */
type SpeechLine<Own> = {
  /** How much may be named and kept, as the session tells it; nothing is taken before. */
  setLimits(limits: Pick<EventOf<'ready'>['limits'], 'turnsInFlight' | 'pendingText'>): void;
  /** Adds to the open speech, or opens one. */
  add(text: string): 'added' | TextRefusal;
  first(): Own | undefined;
  last(): Own | undefined;
  isOpen(): boolean;
  /** The open speech gets no more text. */
  end(): void;
  /** Takes the first speech out of the line: its turns that have not ended, and the text that no turn has. */
  takeFirst(): { readonly turns: readonly string[]; readonly waiting: string };
  /** Takes all speeches out, and answers with their turns that have not ended. */
  takeAll(): readonly string[];
  /** Gives the session commands; answers with what it refused the last of them for. */
  command(...commands: readonly ClientCommand[]): EventOf<'error'> | undefined;
  /** The speech that `turn` speaks and is not yet over. */
  of(turn: string): Own | undefined;
  /** True while the first speech waits for audio or has some left. */
  isSpeaking(): boolean;
  /** A turn that the client did not ask for, such as a greeting, begins. */
  adopt(turn: string): void;
  isOurs(turn: string): boolean;
  /** True when the failure was the answer to a command, or is told in its place. */
  failed(event: EventOf<'error'>): boolean;
  ended(turn: string): void;
};

type SpeechLineOptions<Own> = {
  readonly carryOut: DialectSink['carryOut'];
  begin(): Own;
  /** The session has taken `text` for `turn`. */
  onGiven?(own: Own, turn: string, text: string): void;
  /** In the order of the speeches; the last ones while the speech is first in line. */
  readonly onFailed: (event: EventOf<'error'>) => void;
  onOver(own: Own): void;
};

type Speech<Own> = {
  readonly own: Own;
  input: 'open' | 'ended';
  /** Not given to the session. */
  waiting: string[];
  characters: number;
  /** The turn that takes its text. */
  piece: { readonly turn: string; state: 'new' | 'open' | 'ending' } | undefined;
  /** Its turns that have not ended. */
  readonly turns: Set<string>;
  readonly failures: EventOf<'error'>[];
};

/** As long as the session lets one turn grow. */
const MAX_SPEECH_CHARACTERS = 1_000_000;
const MAX_SPEECHES = 1000;
/** What a text costs that waits, beside its characters. */
const WAITING_COST = 16;
/** A turn that the gateway opens by itself, a greeting, has its place among them. */
const FOREIGN_TURNS = 1;
const TURN_PREFIX = 'dg-';

export function createSpeechLine<Own>(options: SpeechLineOptions<Own>): SpeechLine<Own> {
  const speeches: Speech<Own>[] = [];
  const speakers = new Map<string, Speech<Own>>();
  let mostNamed = 0;
  let mostWaiting = 0;
  let waitingCost = 0;
  let turnsMade = 0;
  const session = createSessionInquiry(options.carryOut);

  const release = (turn: string) => {
    const speech = speakers.get(turn);
    speakers.delete(turn);
    speech?.turns.delete(turn);
    if (speech?.piece?.turn === turn) speech.piece = undefined;
  };
  const isOver = ({ input, waiting, turns }: Speech<Own>) =>
    input === 'ended' && waiting.length === 0 && turns.size === 0;
  const advance = () => {
    for (let first = speeches[0]; first !== undefined; first = speeches[0]) {
      first.failures.splice(0).forEach(options.onFailed);
      if (!isOver(first)) return;
      speeches.shift();
      options.onOver(first.own);
    }
  };

  const name = (speech: Speech<Own>) => {
    turnsMade += 1;
    const turn = `${TURN_PREFIX}${turnsMade}`;
    speech.piece = { turn, state: 'new' };
    speech.turns.add(turn);
    speakers.set(turn, speech);
    return speech.piece;
  };
  const give = (speech: Speech<Own>, text: string) => {
    const piece = speech.piece ?? name(speech);
    const { turn, state } = piece;
    // A turn that was ended for its caller after a long pause takes no more: the rest is spoken in another one.
    const isPast = (refusal: EventOf<'error'>) => refusal.code === 'turn_ended' && state !== 'new';
    const refusal = session.ask({ type: 'append', turn, text }, (event) => {
      if (!isPast(event)) options.onFailed(event);
    });
    if (refusal === undefined) {
      if (piece.state === 'new') piece.state = 'open';
      options.onGiven?.(speech.own, turn, text);
    } else if (isPast(refusal)) {
      speech.piece = undefined;
      give(speech, text);
    } else if (state === 'new') release(turn); // what is refused opens no turn
  };
  const endPiece = ({ piece }: Speech<Own>) => {
    if (piece?.state !== 'open') return;
    piece.state = 'ending';
    session.ask({ type: 'end', turn: piece.turn });
  };
  const hasRoom = (speech: Speech<Own>) =>
    speech.piece !== undefined || speakers.size < mostNamed || speech === speeches[0];
  /** Answers whether all of it has been given. */
  const feedOne = (speech: Speech<Own>): boolean => {
    while (speech.waiting.length > 0) {
      if (!hasRoom(speech)) return false;
      const text = speech.waiting.shift()!;
      waitingCost -= text.length + WAITING_COST;
      give(speech, text);
    }
    if (speech.input === 'ended') endPiece(speech);
    return true;
  };
  /** Gives the session what it takes now; not from within a command, which has to be answered first. */
  const feed = () => {
    if (!session.isIdle()) return;
    [...speeches].every(feedOne);
    advance();
  };

  const begin = (input: Speech<Own>['input']): Speech<Own> => ({
    own: options.begin(),
    input,
    waiting: [],
    characters: 0,
    piece: undefined,
    turns: new Set(),
    failures: [],
  });
  const openOne = () => {
    const last = speeches.at(-1);
    return last?.input === 'open' ? last : undefined;
  };
  const forget = (speech: Speech<Own>) => {
    const turns = [...speech.turns];
    const texts = speech.waiting.splice(0);
    for (const text of texts) waitingCost -= text.length + WAITING_COST;
    turns.forEach(release);
    return { turns, waiting: texts.join('') };
  };

  return {
    setLimits({ turnsInFlight, pendingText }) {
      mostNamed = Math.max(1, turnsInFlight - FOREIGN_TURNS);
      mostWaiting = pendingText;
    },
    add(text) {
      const cost = text.length + WAITING_COST;
      const known = openOne();
      if ((known?.characters ?? 0) + text.length > MAX_SPEECH_CHARACTERS) return 'too-long-a-speech';
      if (waitingCost + cost > mostWaiting + WAITING_COST) return 'no-room';
      if (known === undefined && speeches.length >= MAX_SPEECHES) return 'no-room';
      const speech = known ?? begin('open');
      if (known === undefined) speeches.push(speech);
      speech.characters += text.length;
      speech.waiting.push(text);
      waitingCost += cost;
      feed();
      return 'added';
    },
    first: () => speeches[0]?.own,
    last: () => speeches.at(-1)?.own,
    isOpen: () => openOne() !== undefined,
    end() {
      const speech = openOne();
      if (speech === undefined) return;
      speech.input = 'ended';
      feed();
    },
    takeFirst() {
      const first = speeches.shift();
      return first === undefined ? { turns: [], waiting: '' } : forget(first);
    },
    takeAll: () => speeches.splice(0).flatMap((speech) => forget(speech).turns),
    command(...commands) {
      const refusals = commands.map((given) => session.ask(given));
      feed();
      return refusals.at(-1);
    },
    of: (turn) => speakers.get(turn)?.own,
    isSpeaking: () => (speeches[0]?.turns.size ?? 0) > 0,
    adopt(turn) {
      const speech = begin('ended');
      speech.turns.add(turn);
      speakers.set(turn, speech);
      speeches.unshift(speech);
    },
    isOurs: (turn) => turn.startsWith(TURN_PREFIX),
    failed(event) {
      if (session.takes(event)) return true;
      const speech = event.turn === undefined ? undefined : speakers.get(event.turn);
      if (speech === undefined) return false;
      speech.failures.push(event);
      advance();
      return true;
    },
    ended(turn) {
      if (!speakers.has(turn)) return; // taken out before
      release(turn);
      advance();
      feed();
    },
  };
}
