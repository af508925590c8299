// A client of Cartesia's protocol under test: the codec alone, with the session's part played by the test, or before a
// real session on a fake clock. Every message is held against the fields that the strictest client insists on, and every
// command against the schema of the native protocol.

import { z } from 'zod';
import { cartesiaDialect } from '../../src/dialects/cartesia/cartesia-dialect.ts';
import type { DialectCodec, DialectEntry, Upgrade } from '../../src/dialects/dialect.ts';
import type { ServerEvent } from '../../src/dialects/native-events.ts';
import { type ClientCommand, clientMessageSchemas } from '../../src/dialects/native-messages.ts';
import { speechMp3 } from '../support/codecs.ts';
import { type LiveSession, type LiveSessionOptions, startSession } from '../support/live-session.ts';
import { atOnce } from '../support/memory-upstream.ts';
import { READY } from '../support/session-events.ts';

const common = { context_id: z.string(), done: z.boolean(), status_code: z.number() };
const wordTimes = z.object({
  words: z.array(z.string()),
  start: z.array(z.number()),
  end: z.array(z.number()),
});
export const messageSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('chunk'), data: z.base64(), step_time: z.number(), ...common }),
  z.looseObject({ type: z.literal('timestamps'), word_timestamps: wordTimes, ...common }),
  z.looseObject({ type: z.literal('flush_done'), flush_done: z.boolean(), flush_id: z.number(), ...common }),
  z.looseObject({ type: z.literal('done'), ...common }),
  z.looseObject({
    type: z.literal('error'),
    error: z.string(),
    title: z.string(),
    message: z.string(),
    error_code: z.string(),
    request_id: z.string(),
    ...common,
  }),
]);
export type CartesiaMessage = z.infer<typeof messageSchema>;

export const readMessage = (frame: string | Uint8Array): CartesiaMessage => {
  if (typeof frame !== 'string') throw new Error('a binary frame, which this protocol does not have');
  return messageSchema.parse(JSON.parse(frame));
};

/** What tells a client that nothing more comes of a context. */
export const isTerminal = ({ type, done }: CartesiaMessage): boolean =>
  type === 'done' || (type === 'error' && done);
/** A message that only keeps timers from running out. */
export const isKeepAlive = (message: CartesiaMessage): boolean =>
  message.type === 'flush_done' && !message.flush_done;

/** Types of messages in order, runs of chunks folded, keep-alives left out: `chunk a`, `timestamps a`, `done a`. */
export function orderOf(messages: readonly CartesiaMessage[]): string[] {
  const names: string[] = [];
  for (const message of messages) {
    if (isKeepAlive(message)) continue;
    const name = `${message.type} ${message.context_id}`;
    if (message.type !== 'chunk' || names.at(-1) !== name) names.push(name);
  }
  return names;
}

export const soundOf = (messages: readonly CartesiaMessage[], contextId: string): Buffer =>
  Buffer.concat(
    messages.flatMap((message) =>
      message.type === 'chunk' && message.context_id === contextId
        ? [Buffer.from(message.data, 'base64')]
        : [],
    ),
  );

export const FORMAT = { container: 'raw', encoding: 'pcm_s16le', sample_rate: 16_000 };
/** A message of a context as clients send it, every field repeated. */
export const say = (contextId: string, transcript: string, more: object = {}) => ({
  model_id: 'sonic-3',
  voice: { mode: 'id', id: 'anna' },
  language: 'en',
  output_format: FORMAT,
  context_id: contextId,
  transcript,
  continue: true,
  ...more,
});
export const end = (contextId: string, more: object = {}) => say(contextId, '', { continue: false, ...more });

export const upgradeTo = (
  query = '',
  headers: Upgrade['headers'] = {},
  path = '/tts/websocket',
): Upgrade => ({
  path,
  query: new URLSearchParams(query),
  headers,
  protocols: [],
});
export function enter(query?: string): DialectEntry {
  const entry = cartesiaDialect.enter(upgradeTo(query));
  if (entry === undefined) throw new Error('not taken');
  return entry;
}

export type LoneCodec = {
  readonly codec: DialectCodec;
  readonly commands: ClientCommand[];
  readonly messages: CartesiaMessage[];
  readonly send: (...messages: readonly object[]) => void;
  /** Native ids of the turns that were opened, in order. */
  readonly turns: readonly string[];
  readonly event: (event: ServerEvent) => void;
  readonly sound: (turn: string, ...bytes: readonly number[]) => void;
};

/** `answer` plays the session: it is told each command, and its events come before the command is done. */
export function openCodec(answer: (command: ClientCommand) => readonly ServerEvent[] = () => []): LoneCodec {
  const commands: ClientCommand[] = [];
  const messages: CartesiaMessage[] = [];
  const turns: string[] = [];
  let ids = 0;
  const codec = enter().open({
    newId: () => `turn-${++ids}`,
    carryOut(command) {
      commands.push(clientMessageSchemas[command.type].parse(command) as ClientCommand);
      if (command.type === 'append' && !turns.includes(command.turn)) turns.push(command.turn);
      for (const event of answer(command)) codec.event(event);
    },
    send: (frame) => messages.push(readMessage(frame)),
    close() {
      throw new Error('closed');
    },
  });
  codec.event(READY);
  return {
    codec,
    commands,
    messages,
    send(...sent) {
      for (const message of sent) codec.receive(JSON.stringify(message));
    },
    turns,
    event: (event) => codec.event(event),
    sound: (turn, ...bytes) =>
      codec.audio({ turn, encoding: 'binary', seq: 0, atMs: 0, bytes: Uint8Array.from(bytes) }),
  };
}

export type LiveClient = {
  readonly live: LiveSession;
  readonly messages: readonly CartesiaMessage[];
  readonly times: readonly number[];
  send(...messages: readonly object[]): void;
  receive(frame: string): void;
  /** Time passes, and the codec is told of it once a second. */
  run(ms: number): Promise<void>;
};

/** The codec before the real session core. */
export function startLiveClient(options: LiveSessionOptions = {}, query?: string): LiveClient {
  const entry = enter(query);
  const messages: CartesiaMessage[] = [];
  const times: number[] = [];
  let ids = 0;
  const live = startSession({
    ...options,
    preset: { ...entry.preset(), ...options.preset },
    playoutOrder: entry.playout,
    onEntry(entry) {
      if ('event' in entry) codec.event(entry.event);
      else codec.audio(entry.audio);
    },
  });
  const codec = entry.open({
    newId: () => `turn-${++ids}`,
    carryOut(command, queue) {
      const parsed = clientMessageSchemas[command.type].parse(command) as ClientCommand;
      live.session.handle(parsed, queue);
    },
    send(frame) {
      messages.push(readMessage(frame));
      times.push(live.clock.now());
    },
    close() {},
  });
  const turnsInFlight = options.limits?.turnsInFlight ?? READY.limits.turnsInFlight;
  codec.event({ ...READY, limits: { ...READY.limits, turnsInFlight } });
  let toTickMs = 1000;
  return {
    live,
    messages,
    times,
    send(...sent) {
      for (const message of sent) codec.receive(JSON.stringify(message));
    },
    receive: (frame) => codec.receive(frame),
    async run(ms) {
      for (let left = ms; left > 0; ) {
        const step = Math.min(left, toTickMs);
        await live.run(step);
        left -= step;
        toTickMs -= step;
        if (toTickMs > 0) continue;
        toTickMs = 1000;
        codec.tick?.(live.clock.now());
      }
    },
  };
}

/** A speech service that answers everything with so much sound. */
export const speaks = (ms: number) => ({ auto: atOnce(() => speechMp3(ms)) });
/** 16 kHz, two bytes a sample. */
export const msOf = (client: LiveClient, contextId: string) =>
  soundOf(client.messages, contextId).length / 32;
export const terminalsOf = (client: LiveClient, contextId: string) =>
  client.messages.filter((message) => message.context_id === contextId && isTerminal(message));
