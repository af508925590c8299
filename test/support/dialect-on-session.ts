// A dialect's codec on a real session with a fake clock: what a client says goes in as frames, all that it would get is
// kept in order, with the turn that each piece of audio is of, which no frame tells. Every command is held against the
// schemas of the native protocol.

import type { Dialect, DialectCodec } from '../../src/dialects/dialect.ts';
import { type ClientCommand, clientMessageSchemas } from '../../src/dialects/native-messages.ts';
import { type LiveSession, type LiveSessionOptions, startSession } from './live-session.ts';

type DialectFrame =
  | { readonly kind: 'text'; readonly atMs: number; readonly text: string }
  | { readonly kind: 'audio'; readonly atMs: number; readonly bytes: Uint8Array; readonly turn: string };

export type DialectOnSession = {
  readonly live: LiveSession;
  readonly frames: readonly DialectFrame[];
  readonly commands: readonly ClientCommand[];
  readonly closed: { readonly code: number; readonly reason: string } | undefined;
  /** A text frame of the client; what is no string is sent as JSON. */
  receive(message: unknown): void;
};

type DialectOnSessionOptions = Omit<LiveSessionOptions, 'onEntry' | 'preset'> & {
  readonly path: string;
  /** Without the question mark. */
  readonly query?: string;
};

export function startDialectOnSession(
  dialect: Dialect,
  { path, query = '', ...options }: DialectOnSessionOptions,
): DialectOnSession {
  const entry = dialect.enter({ path, query: new URLSearchParams(query), headers: {}, protocols: [] });
  if (entry === undefined) throw new Error(`${path} is no path of ${dialect.name}`);
  const frames: DialectFrame[] = [];
  const commands: ClientCommand[] = [];
  let closed: DialectOnSession['closed'];
  let audioOf = '';
  let codec: DialectCodec;
  const live = startSession({
    ...options,
    preset: entry.preset(),
    playoutOrder: entry.playout,
    onEntry(said) {
      if (!('audio' in said)) return codec.event(said.event);
      audioOf = said.audio.turn;
      codec.audio(said.audio);
    },
  });
  let ids = 0;
  codec = entry.open({
    newId() {
      ids += 1;
      return String(ids).padStart(22, '0');
    },
    carryOut(command, queue) {
      clientMessageSchemas[command.type].parse(command);
      commands.push(command);
      live.session.handle(command, queue);
    },
    send(message) {
      const atMs = live.clock.now();
      if (typeof message === 'string') frames.push({ kind: 'text', atMs, text: message });
      else frames.push({ kind: 'audio', atMs, bytes: Uint8Array.from(message), turn: audioOf });
    },
    close(code, reason) {
      closed ??= { code, reason };
      live.session.close();
    },
  });
  codec.event({
    type: 'ready',
    session: 'test',
    version: '0.0.0-test',
    attachToken: 'token',
    limits: {
      text: 100_000,
      pendingText: 100_000,
      turnsInFlight: options.limits?.turnsInFlight ?? 8,
      messageBytes: 262_144,
      messagesPerSecond: 5000,
      idleTimeoutMs: 900_000,
    },
  });
  return {
    live,
    frames,
    commands,
    get closed() {
      return closed;
    },
    receive: (message) => codec.receive(typeof message === 'string' ? message : JSON.stringify(message)),
  };
}
