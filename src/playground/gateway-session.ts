// One WebSocket of the native protocol, in the order in which things come: an event, or a frame of audio.

import type { ServerEvent } from '../dialects/native-events.ts';
import type { ClientCommand } from '../dialects/native-messages.ts';

export type GatewaySession = {
  /** As the operator's view and the log call it. */
  readonly id: string;
  send(command: ClientCommand): void;
  close(): void;
};

export type SessionOptions = {
  readonly query: URLSearchParams;
  readonly protocols: readonly string[];
  readonly onEvent: (event: ServerEvent) => void;
  readonly onAudio: (frame: ArrayBuffer) => void;
  /** Once, after the session was open. */
  readonly onClosed: (reason: string) => void;
};

const CONNECT_MS = 10_000;
const REASONS: Readonly<Record<number, string>> = {
  1012: 'the gateway is restarting',
  4408: 'nothing was said for a long time',
  4410: 'an operator of the gateway has ended it',
  4429: 'too many messages',
  4508: 'this page stopped reading',
};

/** Resolves at `ready`; rejects when the gateway refuses, which a browser is not told the reason of. */
export function openSession(options: SessionOptions): Promise<GatewaySession> {
  const { query, protocols, onEvent, onAudio, onClosed } = options;
  const address = new URL(`/v1/session?${query}`, location.href.replace(/^http/, 'ws'));
  const socket = new WebSocket(address, [...protocols]);
  socket.binaryType = 'arraybuffer';
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(() => socket.close(), CONNECT_MS);
    let phase: 'opening' | 'open' = 'opening';
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (typeof data !== 'string') return onAudio(data);
      const event = JSON.parse(data) as ServerEvent;
      if (event.type === 'ready') {
        phase = 'open';
        clearTimeout(deadline);
        resolve({
          id: event.session,
          send: (command) => socket.send(JSON.stringify(command)),
          close: () => socket.close(1000),
        });
      }
      onEvent(event);
    };
    socket.onclose = ({ code }) => {
      clearTimeout(deadline);
      if (phase === 'open') onClosed(REASONS[code] ?? `code ${code}`);
      else reject(new Error('The gateway did not take the session.'));
    };
  });
}
