// A platform that dials the gateway: a simulated carrier on a real socket, in real time.

import { WebSocket } from 'ws';
import { type CarrierPlayout, createCarrierPlayout } from '../../src/simulate/carrier-playout.ts';
import type { CarrierSide } from '../../src/simulate/carrier-side.ts';

export type FakeCarrier = {
  readonly playout: CarrierPlayout;
  readonly faults: readonly string[];
  digit(digit: string): void;
  hangUp(): void;
  readonly closed: Promise<number>;
};

const SILENCE = new Uint8Array(160).fill(0xff);

export async function dial(
  url: string,
  side: CarrierSide,
  call: { callId: string; token?: string },
  rules = { bytesPerMs: 8, mostBufferedMs: 600_000, onClear: 'echo' } as const,
): Promise<FakeCarrier> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  const playout = createCarrierPlayout(rules);
  const faults: string[] = [];
  const send = (frames: readonly (string | Uint8Array)[]) => {
    for (const frame of frames) if (socket.readyState === WebSocket.OPEN) socket.send(frame);
  };
  socket.on('message', (data, isBinary) => {
    const order = side.read(isBinary ? (data as Buffer) : (data as Buffer).toString('utf8'));
    playout.advance(performance.now());
    if (order.kind === 'fault') faults.push(order.what);
    else if (order.kind === 'media') {
      const wrong = playout.media(order.bytes, performance.now());
      if (wrong !== undefined) faults.push(wrong);
    } else if (order.kind === 'mark') playout.mark(order.name);
    else if (order.kind === 'clear') playout.clear();
    else socket.close();
    tell();
  });
  const tell = () => {
    for (const { name, fate } of playout.takePassed()) send(side.mark(name, fate));
  };
  let index = 0;
  const timer = setInterval(() => {
    playout.advance(performance.now());
    tell();
    send([side.inbound(SILENCE, index++)]);
  }, 20);
  const closed = new Promise<number>((resolve) => {
    socket.once('close', (code) => {
      clearInterval(timer);
      resolve(code);
    });
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', reject);
  });
  send(side.open({ callId: call.callId, token: call.token }));
  return {
    playout,
    faults,
    digit: (digit) => send(side.digit(digit)),
    hangUp() {
      send(side.end());
    },
    closed,
  };
}
