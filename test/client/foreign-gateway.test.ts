// What answers as a WebSocket and is no gateway, or one of another version: told in words, never an exception out of nowhere.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { connectSession } from '../../src/client/voxgate-client.ts';

let server: WebSocketServer | undefined;
afterEach(() => {
  for (const socket of server?.clients ?? []) socket.terminate();
  server?.close();
});

async function listen(protocol: string, onSocket: (socket: WebSocket) => void): Promise<string> {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => protocol });
  server.on('connection', onSocket);
  await once(server, 'listening');
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/session?token=secret`;
}

describe('what is no gateway of this version', () => {
  it.each([
    ['words', 'hello'],
    ['a list', '[]'],
    ['a message without a type', '{"kind":"ready"}'],
    ['a ready without limits', '{"type":"ready","session":"s"}'],
  ])('says %s', async (_name, said) => {
    const url = await listen('voxgate.v1', (socket) => socket.send(said));
    await expect(connectSession({ url })).rejects.toThrow(
      'What came is no message of the protocol voxgate.v1; check the address, and the versions at both ends.',
    );
  });

  it('speaks another protocol', async () => {
    const url = await listen('voxgate.v2', () => {});
    await expect(connectSession({ url })).rejects.toThrow(
      /^ws:\/\/127\.0\.0\.1:\d+ cannot be reached; what answers there does not speak voxgate\.v1/,
    );
  });
});
