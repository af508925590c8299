import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { connectFault } from '../../packages/client/src/connect-fault.ts';
import { createRestCall } from '../../packages/client/src/rest-call.ts';
import { connectSession } from '../../src/client/voxgate-client.ts';

/** One on which nothing listens any more. */
const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

describe('a gateway that cannot be reached', () => {
  it('is told by its address, with what to do and without what else stands in the address', async () => {
    const port = await freePort();
    const words = (scheme: string) =>
      `${scheme}://127.0.0.1:${port} cannot be reached (ECONNREFUSED); nothing listens there: start one there with "voxgate serve", or correct the address.`;
    await expect(connectSession({ url: `ws://127.0.0.1:${port}/v1/session?token=secret` })).rejects.toThrow(
      words('ws'),
    );
    const call = createRestCall({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'k', userId: 'u' });
    await expect(call('/api/v1/voices', {}, () => undefined)).rejects.toThrow(words('http'));
  });

  it.each([
    ['ENOTFOUND', /there is no such host: check the name/],
    ['UND_ERR_SOCKET', /it hung up/],
    ['HPE_INVALID_CONSTANT', /speaks no HTTP/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /for another name/],
    ['EPROTO', /speaks no TLS: use ws:\/\/ or http:\/\//],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /NODE_EXTRA_CA_CERTS/],
  ])('for %s is told what helps', (code, words) => {
    const fetched = new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) });
    expect(connectFault(fetched, 'https://voxgate.example.com/x').message).toMatch(words);
  });

  it('for a reason that is not known is told as that, or at least by its address', () => {
    const other = new Error('Invalid Sec-WebSocket-Accept header of ws://u:secret@a/b');
    expect(connectFault(other, 'ws://u:secret@a/b').message).toBe(
      'ws://a cannot be reached: Invalid Sec-WebSocket-Accept header of ws://a/….',
    );
    expect(connectFault(new TypeError('fetch failed'), 'http://a:1/b').message).toBe(
      'http://a:1 cannot be reached.',
    );
  });
});
