// The hostile caller of a bench, in a process of its own: it sends as much as is allowed of one kind, comes again when it is
// closed, and counts how it was answered.

import { connect } from 'node:net';
import { WebSocket } from 'ws';
import { workInSpareTime } from '../../src/base/processes/yield-to-playback.ts';
import type { Actor } from './actor.ts';
import { type Frame, HOSTILE_KINDS, type HostileKind } from './hostile-kinds.ts';

export type HostilePlan = {
  readonly kind: string;
  /** `ws://host:port`. */
  readonly gatewayUrl: string;
  readonly audiosocketPort: number;
  readonly key: string;
  readonly token: string;
};

export type HostileReport = {
  readonly messages: number;
  readonly bytes: number;
  readonly connections: number;
  /** By close code, by HTTP status of a refused upgrade, or by the code of an `error`. */
  readonly answers: Readonly<Record<string, number>>;
};

/** As docs/protocol.md has it; a part below, so that only what the messages cost is measured and not that they are too many. */
const MESSAGES_PER_SECOND = 4800;
const BYTES_PER_SECOND = 2_000_000;
const EVERY_MS = 10;
const COMES_AGAIN_MS = 50;
/** Waits for the gateway to read, as it does not wait for anybody else. */
const MAX_UNSENT_BYTES = 4_000_000;

const frameBytes = (frame: Frame) => (typeof frame === 'string' ? Buffer.byteLength(frame) : frame.length);

type Line = { send(frame: Frame): void; unsentBytes(): number; close(): void };
type LineEvents = { onOpen(): void; onAnswer(code: string): void; onClosed(code: string): void };

function openSocket({ gatewayUrl, key, token }: HostilePlan, kind: HostileKind, events: LineEvents): Line {
  const headers = {
    bearer: { Authorization: `Bearer ${key}` },
    'xi-api-key': { 'xi-api-key': key },
    token: { Authorization: `Token ${key}` },
    'x-api-key': { 'X-API-Key': key },
    stranger: {},
  }[kind.credentials];
  const socket = new WebSocket(`${gatewayUrl}${kind.at.replace('{token}', token)}`, {
    headers,
    perMessageDeflate: false,
  });
  socket.on('open', () => events.onOpen());
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary || data.length > 4096) return;
    const [, code] = /"type":"error","code":"(\w+)"/.exec(data.toString()) ?? [];
    if (code !== undefined) events.onAnswer(code);
  });
  socket.on('unexpected-response', (request, { statusCode }) => {
    events.onAnswer(`HTTP ${statusCode}`);
    request.destroy();
  });
  socket.on('error', () => {});
  socket.once('close', (code) => events.onClosed(String(code)));
  return {
    send(frame) {
      if (socket.readyState === WebSocket.OPEN) socket.send(frame);
    },
    unsentBytes: () => socket.bufferedAmount,
    close: () => socket.terminate(),
  };
}

function openTcp({ audiosocketPort }: HostilePlan, events: LineEvents): Line {
  const socket = connect({ port: audiosocketPort, host: '127.0.0.1' });
  socket.on('connect', () => events.onOpen());
  socket.on('error', () => {});
  socket.once('close', () => events.onClosed('cut off'));
  socket.resume();
  return {
    send: (frame) => void socket.write(frame),
    unsentBytes: () => socket.writableLength,
    close: () => void socket.destroy(),
  };
}

export async function startHostileProcess(plan: HostilePlan): Promise<Actor> {
  // It is elsewhere in truth: here it has only what those whom it attacks leave of the cores.
  workInSpareTime();
  const kind = HOSTILE_KINDS[plan.kind];
  if (kind === undefined) throw new Error(`there is no hostile kind ${plan.kind}`);
  const lines = new Map<Line, 'opening' | 'open'>();
  const answers: Record<string, number> = {};
  let phase: 'on' | 'over' = 'on';
  let [messages, bytes, connections, n] = [0, 0, 0, 0];
  const answered = (code: string) => {
    answers[code] = (answers[code] ?? 0) + 1;
  };

  const come = () => {
    if (phase === 'over') return;
    const events: LineEvents = {
      onOpen() {
        connections += 1;
        lines.set(line, 'open');
        for (const frame of kind.opening?.() ?? []) line.send(frame);
        if (kind.style === 'renews') setTimeout(() => line.close(), COMES_AGAIN_MS);
      },
      onAnswer: answered,
      onClosed(code) {
        if (phase === 'on') answered(code);
        lines.delete(line);
        setTimeout(come, COMES_AGAIN_MS);
      },
    };
    const line = kind.at === 'audiosocket' ? openTcp(plan, events) : openSocket(plan, kind, events);
    lines.set(line, 'opening');
  };
  for (let line = 0; line < (kind.connections ?? 1); line += 1) come();

  const credit = { messages: 0, bytes: 0 };
  const timer = setInterval(() => {
    if (kind.style === 'renews') return;
    credit.messages = Math.min(
      MESSAGES_PER_SECOND,
      credit.messages + (MESSAGES_PER_SECOND * EVERY_MS) / 1000,
    );
    credit.bytes = Math.min(BYTES_PER_SECOND, credit.bytes + (BYTES_PER_SECOND * EVERY_MS) / 1000);
    while (credit.messages >= 1 && credit.bytes > 0) {
      const frame = kind.message(n++);
      credit.messages -= 1;
      credit.bytes -= frameBytes(frame);
      for (const [line, state] of lines) {
        if (state !== 'open' || line.unsentBytes() > MAX_UNSENT_BYTES) continue;
        line.send(frame);
        messages += 1;
        bytes += frameBytes(frame);
      }
    }
  }, EVERY_MS);

  return {
    ready: {},
    report: (): HostileReport => ({ messages, bytes, connections, answers }),
    async close() {
      phase = 'over';
      clearInterval(timer);
      for (const line of lines.keys()) line.close();
    },
  };
}
