import { once } from 'node:events';
import { createServer } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as ws from 'ws';
import { frameHeaderBytes, serverFrame } from '../../../src/gateway/sockets/frame-writer.ts';

type FrameOptions = { fin: boolean; opcode: number; mask: boolean; rsv1: boolean; readOnly: boolean };
// The library's own framing, which its published types leave out.
const { Sender } = ws as unknown as {
  Sender: { frame(data: Buffer, options: FrameOptions): Buffer[] };
};

/** What the library would write. */
const framedByWs = (payload: string | Uint8Array): Buffer =>
  Buffer.concat(
    Sender.frame(Buffer.from(payload as string), {
      fin: true,
      opcode: typeof payload === 'string' ? 1 : 2,
      mask: false,
      rsv1: false,
      readOnly: true,
    }),
  );

/** Around the lengths at which the header grows (RFC 6455 5.2). */
const LENGTHS = [0, 1, 125, 126, 127, 160, 65_535, 65_536, 70_000];

describe('a server frame', () => {
  it.each(LENGTHS)('is, byte for byte, what ws writes for %i bytes', (length) => {
    const bytes = Uint8Array.from({ length }, (_, index) => index * 31);
    expect(serverFrame(bytes).equals(framedByWs(bytes))).toBe(true);
    const text = 'x'.repeat(length);
    expect(serverFrame(text).equals(framedByWs(text))).toBe(true);
    expect(frameHeaderBytes(length)).toBe(serverFrame(bytes).length - length);
  });

  it('is so for any text and any part of a buffer', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.uint8Array({ maxLength: 300 }),
        fc.nat(20),
        (text, bytes, from) => {
          expect(serverFrame(text).equals(framedByWs(text))).toBe(true);
          const part = bytes.subarray(from);
          expect(serverFrame(part).equals(framedByWs(part))).toBe(true);
        },
      ),
    );
  });

  it('holds a copy, so that what it was made from may change', () => {
    const bytes = Uint8Array.of(1, 2, 3);
    const frame = serverFrame(bytes);
    bytes.fill(0);
    expect([...frame.subarray(2)]).toEqual([1, 2, 3]);
  });

  it('is read by a client in order with what ws writes itself', async () => {
    const server = createServer();
    const sockets = new ws.WebSocketServer({ noServer: true, perMessageDeflate: false });
    server.on('upgrade', (request, wire, head) => {
      sockets.handleUpgrade(request, wire, head, (socket) => {
        for (const length of LENGTHS) {
          wire.write(serverFrame(new Uint8Array(length).fill(length)));
          socket.ping(`after ${length}`);
          wire.cork();
          socket.send(`ws ${length}`);
          wire.write(serverFrame(`ours — ${length}`));
          wire.uncork();
        }
        socket.close(1000);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const client = new ws.WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false });
    const got: string[] = [];
    client.on('message', (data: Buffer, isBinary: boolean) => {
      const isWhole = isBinary && data.equals(Buffer.alloc(data.length, data.length));
      got.push(isBinary ? `${isWhole ? 'whole' : 'broken'} ${data.length}` : data.toString());
    });
    client.on('ping', (data: Buffer) => got.push(data.toString()));
    const [code] = (await once(client, 'close')) as [number];
    server.close();
    expect(code).toBe(1000);
    expect(got).toEqual(
      LENGTHS.flatMap((length) => [`whole ${length}`, `after ${length}`, `ws ${length}`, `ours — ${length}`]),
    );
  });
});
