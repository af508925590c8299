// The webhook of a simulated call of Twilio's: its signature, and what it takes for TwiML.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { askTwilioWebhook, readTwiml, webhookSignature } from '../../../testkit/callers/twilio-webhook.ts';

const servers: Server[] = [];
afterAll(() => servers.forEach((server) => void server.close()));
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/voice`;
}

const stream = (attributes: string, inside = '') =>
  `<Response><Connect><Stream ${attributes}>${inside}</Stream></Connect></Response>`;
const WSS = 'url="wss://voice.example.com/v1/legs/twilio"';

describe('the webhook', () => {
  it('is signed as the tests of Twilio’s own library have it', () => {
    const fields = {
      To: '+18005551212',
      CallSid: 'CA1234567890ABCDE',
      Caller: '+14158675309',
      Digits: '1234',
      From: '+14158675309',
    };
    expect(webhookSignature('12345', 'https://mycompany.com/myapp.php?foo=1&bar=2', fields)).toBe(
      'RSOYDt4T1cUTdK1PDd93/VVr8B8=',
    );
  });

  it('tells where to stream to, with parameters', () => {
    const { url, parameters } = readTwiml(
      `<?xml version="1.0" encoding="UTF-8"?>\n${stream(WSS, '<Parameter name="token" value="a&amp;b"/>')}`,
    );
    expect(url.pathname).toBe('/v1/legs/twilio');
    expect(parameters).toEqual({ token: 'a&b' });
  });

  it.each([
    ['no XML', 'hello', /not well-formed \(12100\)/],
    ['a tag that is not closed', `<Response><Connect><Stream ${WSS}></Connect></Response>`, /12100/],
    ['a bare ampersand', stream('url="wss://voice.example.com/?a&b"'), /12100/],
    ['two documents', '<Response/><Response/>', /12100/],
    ['another document', '<html></html>', /no <Response>/],
    ['another verb', '<Response><Say>Hello</Say></Response>', /not <Connect>/],
    ['a stream of one way', `<Response><Start><Stream ${WSS}/></Start></Response>`, /not <Connect>/],
    ['an address without TLS', stream('url="ws://voice.example.com/"'), /wss:\/\/ only/],
    ['no address', stream('name="x"'), /wss:\/\/ only/],
    ['a query', stream('url="wss://voice.example.com/x?token=1"'), /query/],
    ['a parameter without a value', stream(WSS, '<Parameter name="token"/>'), /<Parameter/],
  ])('refuses %s', (_what, twiml, words) => {
    expect(() => readTwiml(twiml)).toThrow(words);
  });

  it('asks with a signed form, as for an incoming call', async () => {
    let body = '';
    let signature: unknown;
    const address = await serve((request, response) => {
      signature = request.headers['x-twilio-signature'];
      request.on('data', (part: Buffer) => {
        body += part.toString();
      });
      request.on('end', () => response.setHeader('content-type', 'text/xml').end(stream(WSS)));
    });
    await askTwilioWebhook(address, { callSid: 'CA1', authToken: 'secret' });
    const fields = Object.fromEntries(new URLSearchParams(body));
    expect(fields).toMatchObject({ CallSid: 'CA1', CallStatus: 'ringing', Direction: 'inbound' });
    expect(signature).toBe(webhookSignature('secret', address, fields));
    await askTwilioWebhook(address, { callSid: 'CA1', authToken: undefined });
    expect(signature).toBeUndefined();
  });

  it('says what was wrong with the answer', async () => {
    const ask = async (listener: RequestListener) =>
      askTwilioWebhook(await serve(listener), { callSid: 'CA1', authToken: undefined });
    await expect(ask((_request, response) => response.writeHead(403).end())).rejects.toThrow(
      /answered 403\. The request (?:was signed with the auth token for exactly http|had no signature)/,
    );
    await expect(
      ask((_request, response) => response.setHeader('content-type', 'application/json').end('{}')),
    ).rejects.toThrow(/"application\/json" in place of text\/xml/);
    const nobody = askTwilioWebhook('http://127.0.0.1:9/voice', { callSid: 'CA1', authToken: undefined });
    await expect(nobody).rejects.toThrow(/did not answer/);
  });

  it('says for which address a refused request was signed, without what may be a secret of it', async () => {
    const { port } = new URL(await serve((_request, response) => response.writeHead(403).end()));
    const address = `http://ann:mark-1@127.0.0.1:${port}/voice?token=mark-2`;
    const refused = await askTwilioWebhook(address, { callSid: 'CA1', authToken: 'mark-3' }).catch(String);
    expect(refused).toContain(`signed with the auth token for exactly http://127.0.0.1:${port}/voice?…:`);
    expect(refused).not.toMatch(/mark-\d|ann/);
  });
});
