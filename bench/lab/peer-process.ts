// The gateway that people would write themselves, around one of the usual ways: a WebSocket server that asks the service, pipes
// what comes through a transcoder made for the utterance, and sends frames by one common clock. It speaks as much of our protocol
// as the bench's clients need, so that they are the same for all.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { Agent, request } from 'undici';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Actor } from './actor.ts';
import { FRAME_MS, LEAD_MS } from './frame-schedule.ts';
import { monotonicMs } from './monotonic.ts';
import { PEER_WAYS, type PeerName } from './peer-ways.ts';
import { CHILDREN_SYSTEM_TICKS, CHILDREN_USER_TICKS, fieldsOf } from './proc-files.ts';
import { type ProcessCost, processCost } from './process-cost.ts';
import { childrenOf, TICK_MS } from './process-tree.ts';

export type PeerPlan = { readonly way: PeerName; readonly upstreamUrl: string };
export type PeerReady = { readonly sessionUrl: string };
/** `childrenMs`: of the programs that it has started, those that have ended included. */
export type PeerCost = ProcessCost & { readonly childrenMs: number; readonly failed: number };

const FRAME_BYTES = FRAME_MS * 8;
const LEAD_FRAMES = LEAD_MS / FRAME_MS;

type Utterance = {
  /** What has come and was not sent. */
  frames: Buffer[];
  sent: number;
  startedMs: number;
  isComplete: boolean;
};

/** Processor time of all programs that were started, as Linux counts them, live or gone. */
function childrenMs(): number {
  const fields = fieldsOf(readFileSync('/proc/self/stat', 'utf8'));
  const gone = (Number(fields[CHILDREN_USER_TICKS]) + Number(fields[CHILDREN_SYSTEM_TICKS])) * TICK_MS;
  return (childrenOf(process.pid) ?? []).reduce((sum, { cpuMs }) => sum + cpuMs, gone);
}

export async function startPeerProcess({ way, upstreamUrl }: PeerPlan): Promise<Actor> {
  const agent = new Agent({ connections: 1000, pipelining: 1, keepAliveTimeout: 30_000 });
  const playing = new Map<WebSocket, Utterance & { readonly turn: string }>();
  let failed = 0;

  const finish = (socket: WebSocket, turn: string, sentMs: number) => {
    playing.delete(socket);
    socket.send(JSON.stringify({ type: 'ended', turn, sentMs, audioMs: sentMs, outcome: 'complete' }));
    socket.send(JSON.stringify({ type: 'heard', turn, playedMs: sentMs }));
  };
  const sendDue = (socket: WebSocket, utterance: Utterance & { readonly turn: string }, nowMs: number) => {
    const due = Math.floor((nowMs - utterance.startedMs) / FRAME_MS) + LEAD_FRAMES;
    const batch = utterance.frames.splice(0, Math.max(0, due - utterance.sent));
    for (const frame of batch) socket.send(frame);
    utterance.sent += batch.length;
    const heardMs = nowMs - utterance.startedMs;
    if (utterance.isComplete && utterance.frames.length === 0 && heardMs >= utterance.sent * FRAME_MS)
      finish(socket, utterance.turn, utterance.sent * FRAME_MS);
  };

  async function speak(socket: WebSocket, turn: string, text: string, seed: number): Promise<void> {
    const { body } = await request(`${upstreamUrl}/api/v1/tts/stream`, {
      method: 'POST',
      dispatcher: agent,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text, seed }),
    });
    const utterance: Utterance & { readonly turn: string } = {
      turn,
      frames: [],
      sent: 0,
      startedMs: 0,
      isComplete: false,
    };
    let rest: Buffer = Buffer.alloc(0);
    const onBytes = (mulaw: Uint8Array) => {
      rest = Buffer.concat([rest, mulaw]);
      let at = 0;
      for (; at + FRAME_BYTES <= rest.length; at += FRAME_BYTES)
        utterance.frames.push(rest.subarray(at, at + FRAME_BYTES));
      rest = rest.subarray(at);
      if (utterance.startedMs === 0 && utterance.frames.length > 0) {
        utterance.startedMs = monotonicMs();
        playing.set(socket, utterance);
        socket.send(JSON.stringify({ type: 'started', turn, timings: {} }));
        sendDue(socket, utterance, utterance.startedMs);
      }
    };
    const complete = () => {
      if (utterance.isComplete) return;
      utterance.isComplete = true;
      socket.off('close', transcoder.close);
      transcoder.close();
      if (utterance.startedMs === 0) finish(socket, turn, 0);
    };
    const fail = () => {
      if (!utterance.isComplete) failed += 1;
      complete();
    };
    const transcoder = PEER_WAYS[way]({ onBytes, onEnd: complete, onError: fail });
    socket.once('close', transcoder.close);
    body.on('data', (chunk: Buffer) => transcoder.push(chunk));
    body.once('end', transcoder.end);
    body.once('error', fail);
  }

  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  server.on('connection', (socket) => {
    socket.send(JSON.stringify({ type: 'ready', limits: {} }));
    socket.on('error', () => {});
    socket.on('close', () => playing.delete(socket));
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString('utf8')) as { turn: string; text: string; seed: number };
      speak(socket, message.turn, message.text, message.seed).catch(() => {
        failed += 1;
      });
    });
  });
  await once(server, 'listening');

  let dueMs = monotonicMs();
  let timer: NodeJS.Timeout;
  const tick = () => {
    const nowMs = monotonicMs();
    for (const [socket, utterance] of playing) sendDue(socket, utterance, nowMs);
    // By the clock and not by the last tick: an interval of Node's own drifts.
    dueMs = Math.max(dueMs + FRAME_MS, nowMs);
    timer = setTimeout(tick, dueMs - nowMs);
  };
  timer = setTimeout(tick, FRAME_MS);

  return {
    ready: {
      sessionUrl: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/session`,
    } satisfies PeerReady,
    report: (): PeerCost => ({ ...processCost(), childrenMs: childrenMs(), failed }),
    async close() {
      clearTimeout(timer);
      for (const socket of server.clients) socket.terminate();
      server.close();
      await agent.destroy();
    },
  };
}
