// A client of the native protocol that remembers everything in the order in which it came, with times, so that a test
// can ask for what has come or will come, and look at the order afterwards. Every message is held against its schema.

import { WebSocket } from 'ws';
import {
  type EventOf,
  type ServerEvent,
  type ServerEventType,
  serverEventSchemas,
} from '../../src/dialects/native-events.ts';

export type Arrival =
  | { readonly kind: 'event'; readonly atMs: number; readonly event: ServerEvent }
  | { readonly kind: 'audio'; readonly atMs: number; readonly bytes: Buffer };

export type SessionProbe = {
  readonly socket: WebSocket;
  readonly arrivals: readonly Arrival[];
  send(...messages: readonly object[]): void;
  /** The first message of `type` that fits, come already or still to come; rejects when the connection ends before. */
  event<T extends ServerEventType>(type: T, fits?: (event: EventOf<T>) => boolean): Promise<EventOf<T>>;
  /** `ended` of a turn. */
  ended(turn: string): Promise<EventOf<'ended'>>;
  /** Resolves at the next binary frame. */
  nextAudio(): Promise<void>;
  events<T extends ServerEventType>(type: T): EventOf<T>[];
  /** Audio between `started` and `ended` of `turn`. */
  audioOf(turn: string): Buffer;
  /** Speaks one turn to its end and answers with how it ended: shows that a session works. */
  speaks(turn: string): Promise<EventOf<'ended'>>;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  terminate(): void;
};

export type ProbeOptions = {
  readonly headers?: Readonly<Record<string, string>>;
  /** For a certificate of the test's own making. */
  readonly ca?: string;
};

type Waiter = { check(): boolean; fail(error: Error): void };

/** Resolves once `ready` has come; rejects with status and body of a refused upgrade. */
export async function openProbe(url: string, options: ProbeOptions = {}): Promise<SessionProbe> {
  const socket = new WebSocket(url, 'voxgate.v1', { ...options, perMessageDeflate: false });
  const arrivals: Arrival[] = [];
  let waiters: Waiter[] = [];
  const arrived = (arrival: Arrival) => {
    arrivals.push(arrival);
    waiters = waiters.filter((waiter) => !waiter.check());
  };
  const fail = (error: Error) => {
    for (const waiter of waiters.splice(0)) waiter.fail(error);
  };
  const until = <T>(find: () => T | undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      const waiter: Waiter = {
        check() {
          const found = find();
          if (found !== undefined) resolve(found);
          return found !== undefined;
        },
        fail: reject,
      };
      if (waiter.check()) return;
      if (socket.readyState > WebSocket.OPEN) return reject(new Error('the connection is closed'));
      waiters.push(waiter);
    });

  socket.on('message', (data, isBinary) => {
    const atMs = performance.now();
    if (isBinary) return arrived({ kind: 'audio', atMs, bytes: data as Buffer });
    const event = JSON.parse((data as Buffer).toString()) as ServerEvent;
    serverEventSchemas[event.type].parse(event);
    arrived({ kind: 'event', atMs, event });
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      resolve({ code, reason: reason.toString() });
      fail(new Error(`closed with ${code} ${reason.toString()}`));
    });
  });
  socket.on('unexpected-response', (_request, response) => {
    response.setEncoding('utf8');
    response.on('data', (body: string) => fail(new Error(`refused with ${response.statusCode} ${body}`)));
  });
  socket.on('error', fail);

  const events = <T extends ServerEventType>(type: T): EventOf<T>[] =>
    arrivals.flatMap((arrival) =>
      arrival.kind === 'event' && arrival.event.type === type ? [arrival.event as EventOf<T>] : [],
    );
  const probe: SessionProbe = {
    socket,
    arrivals,
    send(...messages) {
      for (const message of messages) socket.send(JSON.stringify(message));
    },
    event: (type, fits = () => true) => until(() => events(type).find(fits)),
    ended: (turn) => probe.event('ended', (event) => event.turn === turn),
    nextAudio() {
      const from = arrivals.length;
      return until(() =>
        arrivals.slice(from).some((arrival) => arrival.kind === 'audio') ? null : undefined,
      ).then(() => {});
    },
    events,
    audioOf(turn) {
      const isOf = (type: ServerEventType) => (arrival: Arrival) =>
        arrival.kind === 'event' &&
        arrival.event.type === type &&
        'turn' in arrival.event &&
        arrival.event.turn === turn;
      const [from, to] = [arrivals.findIndex(isOf('started')), arrivals.findIndex(isOf('ended'))];
      return Buffer.concat(
        arrivals.slice(from, to).flatMap((arrival) => (arrival.kind === 'audio' ? [arrival.bytes] : [])),
      );
    },
    speaks(turn) {
      probe.send({ type: 'speak', turn, text: 'Still here.', format: 'mulaw' });
      return probe.ended(turn);
    },
    closed,
    terminate: () => socket.terminate(),
  };
  await probe.event('ready');
  return probe;
}
