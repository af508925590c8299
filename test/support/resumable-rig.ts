// A resumable session and its client on a simulated clock, with sockets in memory that a test cuts as it likes: in one
// direction or both, noticed or not, at once or in the middle of coming back. The client does what docs/protocol.md says.

import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import fc from 'fast-check';
import { WebSocket } from 'ws';
import { createResumeTokens } from '../../src/access/resume-tokens.ts';
import { silentLog } from '../../src/base/log.ts';
import type { ResumeClaim } from '../../src/dialects/dialect.ts';
import { nativeDialect } from '../../src/dialects/native-dialect.ts';
import type { Preset } from '../../src/dialects/native-messages.ts';
import { ClientConnection } from '../../src/gateway/sockets/client-connection.ts';
import { createSendBuffer } from '../../src/gateway/sockets/frame-writer.ts';
import { Resumption } from '../../src/gateway/sockets/resumption.ts';
import { createSweeper } from '../../src/gateway/sockets/sweeper.ts';
import { type SessionToTakeOver, UNBOUNDED } from '../../src/gateway/sockets/taking-over.ts';
import { createTimeShares } from '../../src/gateway/sockets/time-shares.ts';
import { NO_WORD_TIMER } from '../../src/pipeline/word-timing/word-timer.ts';
import { createPlayoutClock, type PlayoutClock } from '../../src/playout/playout-clock.ts';
import type { LegBroker } from '../../src/session/leg-broker.ts';
import { createTextWork } from '../../src/session/text-work.ts';
import { applySettings, defaultSettings } from '../../src/session/turn-settings.ts';
import { codecs } from './codecs.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { fixedRandom } from './fixed-random.ts';
import type { MemoryJournal } from './memory-journal.ts';
import { createMemoryUpstream, type MemoryRequest, type MemoryUpstream } from './memory-upstream.ts';
import { NO_LEG_DESK } from './no-legs.ts';
import { onlookerRuntime } from './onlookers.ts';
import { OPEN_ADMISSION } from './open-admission.ts';
import { accepted } from './settings.ts';
import { trustingRecovery } from './trusting-recovery.ts';

/** A client of the gateway's own protocol comes in. */
export const NATIVE_ENTRY = nativeDialect.enter({
  path: '/v1/session',
  query: new URLSearchParams(),
  headers: {},
  protocols: [],
})!;

/** The server's side of a connection; what it writes arrives at once, as long as it arrives. */
export class MemorySocket extends EventEmitter {
  readyState: number = WebSocket.OPEN;
  bufferedAmount = 0;
  /** Frames that still reach the client, and whether the client's still come. */
  downFrames = Number.POSITIVE_INFINITY;
  up: 'open' | 'dead' = 'open';
  /** Whether the client's WebSocket answers pings. */
  pongs: 'sent' | 'not-sent' = 'sent';
  closed: { readonly code: number; readonly by: 'server' | 'network' } | undefined;
  private readonly onFrame: (payload: Buffer, kind: 'text' | 'binary' | 'ping') => void;
  private readonly soon: (task: () => void) => void;

  constructor(onFrame: MemorySocket['onFrame'], soon: MemorySocket['soon']) {
    super();
    this.onFrame = onFrame;
    this.soon = soon;
  }
  readonly wire = {
    writableLength: 0,
    write: (bytes: Uint8Array) => {
      let rest = Buffer.from(bytes);
      while (rest.length > 0) {
        const short = rest[1]!;
        const head = short < 126 ? 2 : short === 126 ? 4 : 10;
        const length =
          short < 126 ? short : short === 126 ? rest.readUInt16BE(2) : Number(rest.readBigUInt64BE(2));
        this.deliver(rest.subarray(head, head + length), rest[0] === 0x81 ? 'text' : 'binary');
        rest = rest.subarray(head + length);
      }
      return true;
    },
  } as unknown as Duplex;

  ping(payload: string): void {
    this.deliver(Buffer.from(payload), 'ping');
  }
  close(code: number): void {
    this.lose(code, 'server');
  }
  terminate(): void {
    this.lose(1006, 'server');
  }
  pause(): void {}
  /** The server notices that the connection is gone. */
  lose(code = 1006, by: 'server' | 'network' = 'network'): void {
    if (this.closed !== undefined) return;
    this.closed = { code, by };
    this.readyState = WebSocket.CLOSED;
    this.emit('close', code);
  }
  /** A frame of the client. */
  fromClient(kind: 'message' | 'pong', data: string | Buffer): void {
    // As on a real socket, never from inside what the server is doing.
    this.soon(() => {
      if (this.up === 'dead' || this.closed !== undefined) return;
      if (kind === 'message') this.emit('message', Buffer.from(data), false);
      else if (this.pongs === 'sent') this.emit('pong', data);
    });
  }

  private deliver(payload: Buffer, kind: 'text' | 'binary' | 'ping'): void {
    if (this.closed !== undefined || this.downFrames <= 0) return;
    this.downFrames -= 1;
    this.onFrame(payload, kind);
  }
}

export type ServerMessage = Readonly<Record<string, unknown>> & { readonly type: string };

/** A client that counts what it sends and receives. */
export class CountingClient {
  readonly sent: string[] = [];
  readonly messages: ServerMessage[] = [];
  readonly audio = new Map<string, Buffer[]>();
  /** How much of its turn's audio had come before a message. */
  readonly behindBytes = new Map<ServerMessage, number>();
  readonly acks: number[] = [];
  readonly returns: ServerMessage[] = [];
  readonly faults: string[] = [];
  socket: MemorySocket | undefined;
  token: { readonly token: string; readonly forMs: number } | undefined;
  private after = 0;
  private playing: string | undefined;
  private readonly unended = new Set<string>();
  private awaits: 'nothing' | 'session_resumed' = 'nothing';

  private readonly soon: (task: () => void) => void;
  private readonly onAudio: (turn: string, bytes: number) => void;

  constructor(soon: CountingClient['soon'], onAudio: CountingClient['onAudio'] = () => {}) {
    this.soon = soon;
    this.onAudio = onAudio;
  }

  claim(): ResumeClaim {
    const [turn] = this.unended;
    const received = turn === undefined ? 0 : this.bytesOf(turn);
    return { after: this.after, turn, received };
  }
  bytesOf(turn: string): number {
    return (this.audio.get(turn) ?? []).reduce((sum, { length }) => sum + length, 0);
  }
  send(message: Readonly<Record<string, unknown>>): void {
    const text = JSON.stringify(message);
    this.sent.push(text);
    if (this.awaits === 'nothing') this.socket?.fromClient('message', text);
  }
  /** Its next socket. */
  open(first: 'ready' | 'session_resumed'): MemorySocket {
    const socket = new MemorySocket((payload, kind) => {
      if (this.socket === socket) this.take(socket, payload, kind);
    }, this.soon);
    this.socket = socket;
    this.awaits = first === 'ready' ? 'nothing' : first;
    return socket;
  }
  private take(socket: MemorySocket, payload: Buffer, kind: 'text' | 'binary' | 'ping'): void {
    if (kind === 'ping') return socket.fromClient('pong', Buffer.from(payload));
    if (kind === 'binary') {
      if (this.playing === undefined) this.faults.push('audio of no turn');
      else this.heard(this.playing, Buffer.from(payload));
      return;
    }
    const message = JSON.parse(payload.toString('utf8')) as ServerMessage;
    if (this.awaits === 'session_resumed' && message.type !== 'session_resumed')
      this.faults.push(`${message.type} before session_resumed`);
    if (message.type === 'session_resumed') return this.resumed(message);
    if (message.type === 'ack') return void this.acks.push(message['n'] as number);
    if (message['n'] !== this.after + 1) this.faults.push(`n ${String(message['n'])} behind ${this.after}`);
    this.after = message['n'] as number;
    this.messages.push(message);
    const turn = message['turn'] as string;
    this.behindBytes.set(message, this.bytesOf(turn));
    if (message.type === 'ready') this.token = message['resume'] as CountingClient['token'];
    if (message.type === 'started') {
      this.playing = turn;
      this.unended.add(turn);
    }
    if (message.type === 'audio') this.heard(turn, Buffer.from(message['data'] as string, 'base64'));
    if (message.type === 'ended') {
      this.unended.delete(turn);
      if (this.playing === turn) this.playing = undefined;
    }
  }
  private heard(turn: string, bytes: Buffer): void {
    this.audio.set(turn, [...(this.audio.get(turn) ?? []), bytes]);
    this.onAudio(turn, this.bytesOf(turn));
  }
  private resumed(message: ServerMessage): void {
    this.awaits = 'nothing';
    this.returns.push(message);
    this.token = message['resume'] as CountingClient['token'];
    for (const text of this.sent.slice(message['taken'] as number)) this.socket?.fromClient('message', text);
  }
}

export type ResumableRigOptions = {
  readonly preset: Preset;
  readonly auto: (request: MemoryRequest) => void;
  readonly forMs?: number;
  readonly maxBytes?: number;
  /** Calls that the session may attach to; where there are some, sound is looked at as often as in a gateway. */
  readonly legs?: (clock: FakeClock) => LegBroker;
  readonly onAudio?: (turn: string, bytes: number) => void;
  /** Where another instance may go on with it. */
  readonly journal?: MemoryJournal;
  /** This instance goes on with the session of that one, which is gone. */
  readonly takesOver?: { readonly from: ResumableRig; readonly session: SessionToTakeOver };
};

export type ResumableRig = {
  readonly clock: FakeClock;
  readonly playout: PlayoutClock;
  readonly client: CountingClient;
  readonly connection: ClientConnection;
  readonly resumption: Resumption;
  readonly upstream: MemoryUpstream;
  /** What left the session, by turn, and what the session was told. */
  readonly made: ReadonlyMap<string, Buffer[]>;
  readonly told: readonly string[];
  readonly underruns: readonly number[];
  readonly closes: readonly number[];
  /** The instance is gone: nothing more of it is heard or written. */
  kill(): void;
  /** The client is back; answers why it is not let in. */
  comeBack(downFrames?: number): string | undefined;
  stop(): void;
};

export function openResumableRig(options: ResumableRigOptions): ResumableRig {
  const { config } = accepted({});
  const { from, session: taken } = options.takesOver ?? {};
  const clock = from?.clock ?? createFakeClock();
  const client = from?.client ?? new CountingClient((task) => clock.soon(task), options.onAudio);
  const made = new Map<string, Buffer[]>();
  const told: string[] = [];
  const underruns: number[] = [];
  const closes: number[] = [];
  const upstream = createMemoryUpstream(options.auto);
  const limits = { ...config, messageBytes: 262_144, messagesPerSecond: 5000, bytesPerSecond: 2_000_000 };
  const playout = createPlayoutClock({
    clock,
    ...(options.legs === undefined && { tickMs: 20 }),
    onFault(_player, fault) {
      throw fault;
    },
  });
  const metrics = { journalWritten() {}, journalLeft() {} };
  const opening = { userId: 'anna', dialect: 'native', preset: options.preset, salt: 'salt' };
  const hold = taken?.hold ?? options.journal?.open('the-session');
  const begins = taken?.takenOver.plan.state ?? opening;
  const resumption = new Resumption({
    ...(hold === undefined ? {} : { journal: { hold, begins, metrics } }),
    takenOver: taken?.takenOver,
    session: 'the-session',
    userId: 'anna',
    key: undefined,
    caller: undefined,
    seen: {},
    tokens: createResumeTokens(['a secret of this test']),
    clock,
    log: silentLog,
    forMs: options.forMs ?? 120_000,
    maxBytes: options.maxBytes ?? config.spoolBytes,
    onDetached() {},
    onGone() {},
  });
  const socket = client.open(from === undefined ? 'ready' : 'session_resumed');
  const connection = new ClientConnection({
    id: 'the-session',
    userId: 'anna',
    seen: {},
    dialect: 'native',
    version: '0',
    socket: socket as unknown as WebSocket,
    wire: socket.wire,
    sendBuffer: createSendBuffer(),
    settings: applySettings(defaultSettings(200), options.preset),
    entry: {
      ...NATIVE_ENTRY,
      open(sink) {
        const codec = NATIVE_ENTRY.open(sink);
        return {
          ...codec,
          isUrgent: () => false,
          receive(frame) {
            told.push(frame);
            codec.receive(frame);
          },
          audio(audio) {
            made.set(audio.turn, [...(made.get(audio.turn) ?? []), Buffer.from(audio.bytes)]);
            codec.audio(audio);
          },
        };
      },
    },
    runtime: {
      upstream,
      recovery: trustingRecovery(),
      phrases: undefined,
      codecs,
      timer: NO_WORD_TIMER,
      legs: options.legs?.(clock) ?? NO_LEG_DESK,
      onlookers: onlookerRuntime(clock),
      clock,
      playout,
      textWork: createTextWork(clock),
      random: fixedRandom(0.25),
      log: silentLog,
      admission: OPEN_ADMISSION,
      limits: { ...config, ...(taken === undefined ? {} : UNBOUNDED), turnsInFlight: 8 },
      metrics: { firstAudio() {}, underrun: (gapMs) => underruns.push(gapMs), turnEnded() {} },
      defaultVoice: undefined,
      defaultVoice2: undefined,
    },
    limits,
    share: createTimeShares(limits)('anna'),
    intake: {
      intakeSpent() {},
      intakeSlowed() {},
      intakeRefused() {},
      legStarted() {},
      legOver() {},
      legEvicted() {},
    },
    resumption,
    onClosed: (code) => closes.push(code),
  });
  resumption.goOn();
  const sweeper = createSweeper(clock, (nowMs) => {
    connection.sweep(nowMs);
    return 'more';
  });
  sweeper.start();
  const tokens = createResumeTokens(['a secret of this test']);
  return {
    clock,
    playout,
    client,
    connection,
    resumption,
    upstream,
    made,
    told,
    underruns,
    closes,
    kill() {
      sweeper.stop();
      client.socket?.lose();
      client.socket = undefined;
      const { link } = connection as unknown as { link: { socket: MemorySocket } | undefined };
      if (link !== undefined) link.socket.downFrames = 0;
      // Without a word to its journal, as one that is killed.
      (resumption as unknown as { journal: unknown }).journal = undefined;
      connection.close('shutting_down');
    },
    comeBack(downFrames = Number.POSITIVE_INFINITY) {
      const claim = client.claim();
      const refused = resumption.refusal(connection, tokens.read(client.token!.token)!.number, claim);
      if (refused !== undefined) return refused.code;
      const next = client.open('session_resumed');
      next.downFrames = downFrames;
      resumption.comeBack(connection, { socket: next as unknown as WebSocket, wire: next.wire }, claim);
      return undefined;
    },
    stop() {
      sweeper.stop();
      connection.close('shutting_down');
    },
  };
}

/** How a connection ends. `noticedMs`: when the gateway notices, unless the client is back before. */
export type Drop = {
  readonly afterMs: number;
  readonly how: 'both' | 'down first' | 'up first' | 'while coming back';
  readonly otherMs: number;
  readonly noticedMs: number;
  readonly backMs: number;
  readonly frames: number;
};
export const dropOf: fc.Arbitrary<Drop> = fc.record({
  afterMs: fc.integer({ min: 0, max: 900 }),
  how: fc.constantFrom('both', 'down first', 'up first', 'while coming back'),
  otherMs: fc.integer({ min: 0, max: 600 }),
  noticedMs: fc.integer({ min: 0, max: 2000 }),
  backMs: fc.integer({ min: 1, max: 1500 }),
  frames: fc.integer({ min: 0, max: 6 }),
});

/** Drops the connection, and has the client come back; throws when it is not let in. `onAway`: nobody is connected now. */
export async function carryOut(rig: ResumableRig, drop: Drop, onAway = () => {}): Promise<void> {
  const { clock, client } = rig;
  const goBack = (frames?: number) => {
    const refused = rig.comeBack(frames);
    if (refused !== undefined) throw new Error(`refused: ${refused}`);
  };
  await clock.run(drop.afterMs);
  const socket = client.socket!;
  if (drop.how === 'up first') socket.up = 'dead';
  else socket.downFrames = 0;
  await clock.run(drop.how === 'both' ? 0 : drop.otherMs);
  socket.up = 'dead';
  socket.downFrames = 0;
  client.socket = undefined;
  clock.after(drop.noticedMs, () => socket.lose());
  onAway();
  await clock.run(drop.backMs);
  if (drop.how === 'while coming back') {
    goBack(drop.frames);
    const half = client.socket!;
    half.up = 'dead';
    await clock.run(drop.otherMs);
    clock.after(drop.noticedMs, () => half.lose());
  }
  goBack();
}
