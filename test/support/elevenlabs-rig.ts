// ElevenLabs' codec under test, alone or before a real session: what a client sends goes in as frames, what it would get is
// kept as messages with their times. `alone` answers nothing by itself; the test says what the session says.

import type { DialectCodec, DialectEntry } from '../../src/dialects/dialect.ts';
import { elevenLabsDialect } from '../../src/dialects/elevenlabs/elevenlabs-dialect.ts';
import type { ServerEvent } from '../../src/dialects/native-events.ts';
import { type ClientCommand, clientMessageSchemas, type Preset } from '../../src/dialects/native-messages.ts';
import { checkPreset } from '../../src/dialects/session-preset.ts';
import { type LiveSession, type LiveSessionOptions, startSession } from './live-session.ts';

export type VendorMessage = Readonly<Record<string, unknown>>;
export type Got = { readonly atMs: number; readonly message: VendorMessage };

export const MULTI = '/v1/text-to-speech/anna/multi-stream-input';
export const SINGLE = '/v1/text-to-speech/anna/stream-input';
export const DIALOGUE = '/v1/text-to-dialogue/multi-stream-input';

export type UpgradeParts = {
  readonly path?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, readonly string[]>>;
};

export function enter({
  path = MULTI,
  query = '',
  headers = {},
}: UpgradeParts = {}): DialectEntry | undefined {
  return elevenLabsDialect.enter({ path, query: new URLSearchParams(query), headers, protocols: [] });
}

/** The context that a message speaks of, whatever its door calls it. */
export function contextOf(message: VendorMessage): string | undefined {
  const context = message.contextId ?? message.context_id;
  return typeof context === 'string' ? context : undefined;
}
export const isFinal = (message: VendorMessage): boolean =>
  message.isFinal === true || message.is_final === true;
export const audioBytes = ({ audio }: VendorMessage): Buffer =>
  Buffer.from(typeof audio === 'string' ? audio : '', 'base64');

type Client = {
  readonly codec: DialectCodec;
  readonly got: readonly Got[];
  readonly closed: { readonly code: number; readonly reason: string } | undefined;
  send(...messages: readonly unknown[]): void;
  /** Messages of a context; audio left out unless it is asked for. */
  of(context: string): VendorMessage[];
  /** What came, in short: `audio c` (runs folded), `final c`, `error c code`, `quiet c`, `flushed c`. */
  order(): string[];
  audioOf(context: string): Buffer;
};

const nameOf = (message: VendorMessage): string => {
  const context = contextOf(message);
  const of = (what: string) => (context === undefined ? what : `${what} ${context}`);
  if (message.error !== undefined) return of(`error ${message.error as string}`);
  if (isFinal(message)) return of('final');
  if (message.is_final_audio_for_turn === true) return of('flushed');
  return of(audioBytes(message).length > 0 ? 'audio' : 'quiet');
};

function createClient(
  entry: DialectEntry,
  carryOut: (command: ClientCommand, queue?: string) => void,
  now: () => number,
): Client {
  const got: Got[] = [];
  let closed: Client['closed'];
  let ids = 0;
  const codec = entry.open({
    newId: () => `turn-${ids++}`,
    carryOut,
    send: (message) =>
      void got.push({ atMs: now(), message: JSON.parse(message as string) as VendorMessage }),
    close(code, reason) {
      closed = { code, reason };
    },
  });
  const of = (context: string) =>
    got.map(({ message }) => message).filter((message) => (contextOf(message) ?? 'default') === context);
  return {
    codec,
    got,
    get closed() {
      return closed;
    },
    send(...messages) {
      for (const message of messages)
        codec.receive(typeof message === 'string' ? message : JSON.stringify(message));
    },
    of,
    order() {
      const names = got.map(({ message }) => nameOf(message));
      return names.filter((name, index) => !name.startsWith('audio') || name !== names[index - 1]);
    },
    audioOf: (context) => Buffer.concat(of(context).map(audioBytes)),
  };
}

export type CodecAlone = Client & {
  readonly commands: ClientCommand[];
  /** The playout queue that each of them was given for. */
  readonly queues: (string | undefined)[];
  /** The session says something of the `turn`th turn. */
  say(event: ServerEvent): void;
  /** `ms` of audio of a turn that is raw at 8000 Hz, 40 ms at a time, from media position `atMs`. */
  sound(turn: string, ms: number, atMs?: number): void;
  start(turn: string): void;
  end(turn: string, outcome?: 'complete' | 'cancelled' | 'truncated' | 'failed', sentMs?: number): void;
};

export function codecAlone(parts: UpgradeParts = {}): CodecAlone {
  const commands: ClientCommand[] = [];
  const queues: (string | undefined)[] = [];
  const entry = enter(parts)!;
  const client = createClient(
    entry,
    (command, queue) => {
      clientMessageSchemas[command.type].parse(command);
      queues.push(queue);
      commands.push(command);
    },
    () => 0,
  );
  const say = (event: ServerEvent) => client.codec.event(event);
  const rig = {
    commands,
    queues,
    say,
    sound(turn: string, ms: number, atMs = 0) {
      for (let at = 0; at < ms; at += 40)
        client.codec.audio({ turn, encoding: 'binary', seq: 0, atMs: atMs + at, bytes: new Uint8Array(640) });
    },
    start(turn: string) {
      const timings = { queueMs: 0, upstreamTtfbMs: 0, firstAudioMs: 0 };
      say({ type: 'started', turn, format: 'raw', sampleRate: 8000, seed: 1, timings });
    },
    end(turn: string, outcome: 'complete' | 'cancelled' | 'truncated' | 'failed' = 'complete', sentMs = 400) {
      say({ type: 'ended', turn, outcome, audioMs: sentMs, sentMs, requests: 1, resumes: 0, cached: false });
    },
  };
  return Object.defineProperties(rig, Object.getOwnPropertyDescriptors(client)) as CodecAlone;
}

export type ElevenLabsSession = Client & {
  readonly live: LiveSession;
  readonly preset: Preset;
  /** Lets time pass, with the gateway's sweep once a second. */
  run(ms: number): Promise<void>;
};

/** The codec before the real session core, on a fake clock. */
export function elevenLabsSession(
  parts: UpgradeParts,
  auto: LiveSessionOptions['auto'],
  options: LiveSessionOptions = {},
): ElevenLabsSession {
  const entry = enter(parts)!;
  const preset = checkPreset(entry.preset());
  const live = startSession({
    ...options,
    preset,
    playoutOrder: entry.playout,
    ...(auto !== undefined && { auto }),
    onEntry(said) {
      if ('event' in said) client.codec.event(said.event);
      else client.codec.audio(said.audio);
    },
  });
  const client = createClient(
    entry,
    (command, queue) => {
      clientMessageSchemas[command.type].parse(command);
      live.session.handle(command, queue);
    },
    () => live.clock.now(),
  );
  let sinceTickMs = 0;
  const rig = {
    live,
    preset,
    async run(ms: number) {
      for (let left = ms; left > 0; ) {
        const step = Math.min(left, 1000 - sinceTickMs);
        await live.run(step);
        left -= step;
        sinceTickMs += step;
        if (sinceTickMs < 1000) continue;
        sinceTickMs = 0;
        client.codec.tick?.(live.clock.now());
      }
    },
  };
  return Object.defineProperties(rig, Object.getOwnPropertyDescriptors(client)) as ElevenLabsSession;
}

/** What clients of multi-stream-input send. */
export const say = (context: string, text: string, flush?: true) => ({
  text,
  context_id: context,
  ...(flush !== undefined && { flush }),
});
export const close = (context: string) => ({ context_id: context, close_context: true });
export const speak = (context: string) => [
  say(context, ' '),
  say(context, 'Hello. '),
  { context_id: context, flush: true },
];
