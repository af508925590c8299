// Deepgram's own client, unmodified, on a gateway of the test's: what it sends is the test's, what it gets is kept in
// order. Both end with the test.

import { DeepgramClient } from '@deepgram/sdk';
import { afterEach, expect } from 'vitest';
import {
  type RunningGateway,
  type RunningGatewayOptions,
  speaking,
  startRunningGateway,
} from '../support/running-gateway.ts';
import type { Script } from '../support/scripted-upstream.ts';

type Message = { readonly type: string } & Readonly<Record<string, unknown>>;
/** What both sockets of the SDK have in common. */
type SpeakSocket = {
  on(event: 'message', callback: (message: never) => void): void;
  on(event: 'close', callback: (event: never) => void): void;
  on(event: 'error', callback: (error: Error) => void): void;
  connect(): unknown;
  close(): void;
  waitForOpen(): Promise<unknown>;
};
type Arrival = Message | number;

export const TEXT =
  'The quick brown fox jumps over the lazy dog, and then it rests for a while in the shade of a tree.';

/** The one that `start` has started last. */
let gateway: RunningGateway | undefined;
const sockets: SpeakSocket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close();
  await gateway?.close();
  gateway = undefined;
});

export const start = async (options: RunningGatewayOptions = {}) => {
  gateway = await startRunningGateway({ script: speaking, ...options });
  return gateway;
};

/** Numbers are lengths of audio; everything else is a message. */
function watch<S extends SpeakSocket>(socket: S) {
  const arrivals: Arrival[] = [];
  const closes: number[] = [];
  const errors: Error[] = [];
  socket.on('message', (message: Blob | Message) => {
    arrivals.push(message instanceof Blob ? message.size : message);
  });
  socket.on('close', (event: { code: number }) => void closes.push(event.code));
  socket.on('error', (error) => void errors.push(error));
  sockets.push(socket);
  const messages = (type: string) =>
    arrivals.filter((each): each is Message => typeof each !== 'number' && each.type === type);
  return {
    socket,
    arrivals,
    closes,
    errors,
    messages,
    /** Without those that may come in the midst of audio. */
    order: (...without: string[]) =>
      arrivals
        .map((each) => (typeof each === 'number' ? 'audio' : each.type))
        .filter((name) => !without.includes(name))
        .filter((name, at, all) => name !== all[at - 1] || name !== 'audio'),
    bytes: (from = 0) =>
      arrivals.slice(from).reduce<number>((sum, each) => sum + (typeof each === 'number' ? each : 0), 0),
    until: (type: string, times = 1) =>
      expect.poll(() => messages(type).length, { timeout: 15_000 }).toBeGreaterThanOrEqual(times),
    audioBegins: (from = 0) =>
      expect
        .poll(() => arrivals.slice(from).some((each) => typeof each === 'number'), { timeout: 15_000 })
        .toBe(true),
    closed: () => expect.poll(() => closes.length, { timeout: 15_000 }).toBeGreaterThan(0),
  };
}

const clientOf = (apiKey = 'any') =>
  new DeepgramClient({ apiKey, baseUrl: gateway!.url.replace(/^http/, 'ws') });

export const v1 = async (args: Record<string, unknown> = {}, apiKey?: string) => {
  const socket = await clientOf(apiKey).speak.v1.connect({ model: 'anna', ...args });
  const watched = watch(socket);
  socket.connect();
  return watched;
};
export const v2 = async (args: Record<string, unknown> = {}, apiKey?: string) => {
  const socket = await clientOf(apiKey).speak.v2.connect({ model: 'anna', ...args });
  const watched = watch(socket);
  socket.connect();
  return watched;
};

/** Holds its answer back until the gate opens, then speaks. */
export const heldBack =
  (gate: { readonly opened: Promise<void> }): Script =>
  async (reply) => {
    await gate.opened;
    await speaking(reply);
  };
/** As fast as it is made: what is not about pace need not wait for it. */
export const BURST = { queryParams: { voxgate_pace: 'burst' } };
