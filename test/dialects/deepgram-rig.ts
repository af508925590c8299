// A codec of /v1/speak or /v2/speak under test: by itself, with every command written down, or joined to a real session
// on a fake clock. What it sends is kept as messages and lengths of audio; every command is held against its schema.
import { expect } from 'vitest';
import { deepgramDialects } from '../../src/dialects/deepgram/deepgram-dialects.ts';
import type { DialectCodec, DialectEntry, Upgrade } from '../../src/dialects/dialect.ts';
import type { EventOf, ServerEvent } from '../../src/dialects/native-events.ts';
import { type ClientCommand, clientMessageSchemas } from '../../src/dialects/native-messages.ts';
import { type LiveSession, type LiveSessionOptions, startSession } from '../support/live-session.ts';
import { ended, heard, READY, started } from '../support/session-events.ts';

export type Version = 'v1' | 'v2';
export type Message = { readonly type: string } & Readonly<Record<string, unknown>>;
export type Sent =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'audio'; readonly bytes: Uint8Array };

/** A session that takes few turns. */
const NARROW: EventOf<'ready'> = { ...READY, limits: { ...READY.limits, turnsInFlight: 4 } };

export function enter(version: Version, query = '', more: Partial<Upgrade> = {}): DialectEntry {
  const path = `/${version}/speak`;
  const upgrade = { path, query: new URLSearchParams(query), headers: {}, protocols: [], ...more };
  const entries = deepgramDialects.flatMap((dialect) => dialect.enter(upgrade) ?? []);
  expect(entries).toHaveLength(1);
  return entries[0]!;
}

export type Rig = {
  readonly codec: DialectCodec;
  readonly sent: readonly Sent[];
  readonly commands: readonly ClientCommand[];
  readonly closed: readonly number[];
  /** As a client: frames of the protocol. */
  send(...messages: readonly object[]): void;
  /** As the session. */
  say(...events: readonly ServerEvent[]): void;
  audio(turn: string, bytes: number): void;
  messages(type?: string): Message[];
  /** Types in order; runs of audio told once. */
  order(): string[];
};

type Wired = { readonly handle: (command: ClientCommand) => void };

function createRig(entry: DialectEntry, { handle }: Wired): Rig {
  const sent: Sent[] = [];
  const commands: ClientCommand[] = [];
  const closed: number[] = [];
  let ids = 0;
  const codec = entry.open({
    newId: () => `id-${ids++}`,
    carryOut(command) {
      const parsed = clientMessageSchemas[command.type].safeParse(command);
      if (!parsed.success) throw parsed.error;
      commands.push(command);
      handle(command);
    },
    send(message) {
      if (closed.length > 0) throw new Error('said after the end');
      if (typeof message !== 'string') sent.push({ kind: 'audio', bytes: Uint8Array.from(message) });
      else sent.push({ kind: 'message', message: JSON.parse(message) as Message });
    },
    close: (code) => void closed.push(code),
  });
  return {
    codec,
    sent,
    commands,
    closed,
    send(...messages) {
      for (const message of messages) codec.receive(JSON.stringify(message));
    },
    say(...events) {
      for (const event of events) codec.event(event);
    },
    audio: (turn, bytes) =>
      codec.audio({ turn, encoding: 'binary', seq: 0, atMs: 0, bytes: new Uint8Array(bytes) }),
    messages: (type) =>
      sent.flatMap((each) =>
        each.kind === 'message' && (type === undefined || each.message.type === type) ? [each.message] : [],
      ),
    order: () =>
      sent
        .map((each) => (each.kind === 'audio' ? 'audio' : each.message.type))
        .filter((name, at, all) => name !== 'audio' || all[at - 1] !== 'audio'),
  };
}

/** Without a session: nothing answers but what the test says. */
export function pureRig(version: Version, query = version === 'v2' ? 'model=anna' : ''): Rig {
  const rig = createRig(enter(version, query), { handle() {} });
  rig.say(NARROW);
  return rig;
}

/** On a real session with a fake clock and a speech service in memory. */
export function liveRig(version: Version, query: string, options: LiveSessionOptions = {}) {
  const entry = enter(version, query);
  let rig: Rig | undefined;
  const live: LiveSession = startSession({
    ...options,
    preset: entry.preset(),
    onEntry(each) {
      if ('audio' in each) rig!.codec.audio(each.audio);
      else rig!.codec.event(each.event);
    },
  });
  rig = createRig(entry, { handle: (command) => live.session.handle(command) });
  rig.say({ ...READY, limits: { ...READY.limits, pendingText: 100_000 } });
  return { ...rig, live };
}

export const queued = (turn: string, reason: EventOf<'queued'>['reason']): EventOf<'queued'> => ({
  type: 'queued',
  turn,
  reason,
  position: 3,
  etaMs: 2500,
});

export const speak = (text: string) => ({ type: 'Speak', text });
export const FLUSH = { type: 'Flush' };
export const CLEAR = { type: 'Clear' };
export const CLOSE = { type: 'Close' };
export const interruptAt = (value?: number) =>
  value === undefined
    ? { type: 'Interrupt' }
    : { type: 'Interrupt', playback_offset: { type: 'time_ms', value } };

/** What the session was asked for, in short: `append dg-1 One.` */
export const commandsOf = (rig: Rig) =>
  rig.commands.map((command) =>
    [command.type, 'turn' in command ? command.turn : undefined, 'text' in command ? command.text : undefined]
      .filter((part) => part !== undefined)
      .join(' '),
  );

/** Speaks `text` to its end: 1,000 ms of audio unless told otherwise. */
export const speakWhole = (rig: Rig, turn: string, text: string, sentMs = 1000) => {
  rig.send(speak(text), FLUSH);
  rig.say(started(turn));
  rig.audio(turn, 4);
  rig.say(ended(turn, sentMs), heard(turn, sentMs, text));
};
export const codes = (rig: Pick<Rig, 'messages'>) => rig.messages('Warning').map((message) => message.code);
