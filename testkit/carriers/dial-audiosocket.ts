// The TCP connection that Asterisk dials an AudioSocket server with: `tcp://host:port`. Messages are handed on whole.

import { connect } from 'node:net';
import { audioSocketMessage, createAudioSocketReader } from '../../src/legs/audiosocket-leg.ts';
import type { CallTransport } from './call-transport.ts';

/** As a WebSocket's: there is no code here, and this is a close in order. */
const CLOSED = 1000;
const GONE = 1006;

export const dialAudioSocket: CallTransport = (url, events) =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const read = createAudioSocketReader((kind, payload) =>
      events.onFrame(audioSocketMessage(kind, payload)),
    );
    let code = GONE;
    socket.on('data', read);
    socket.once('end', () => {
      code = CLOSED;
    });
    socket.once('connect', () =>
      resolve({
        send(frame) {
          if (socket.writable) socket.write(frame);
        },
        close: () => socket.end(),
      }),
    );
    socket.on('error', reject);
    socket.once('close', () => events.onClosed(code));
  });
