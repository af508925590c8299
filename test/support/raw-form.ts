// Multipart bodies as no well-behaved client would write them, sent byte by byte as a test wants.

import { request } from 'node:http';
import { credentialsOf } from './running-service.ts';

const BOUNDARY = '----form';

/** One part with exactly these header lines. */
export const rawPart = (headers: readonly string[], body: string | Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\n${headers.join('\r\n')}\r\n\r\n`),
    Buffer.from(body),
    Buffer.from('\r\n'),
  ]);
export const fieldPart = (name: string, value: string): Buffer =>
  rawPart([`Content-Disposition: form-data; name="${name}"`], value);
export const filePart = (name: string, disposition: string, body: string | Buffer): Buffer =>
  rawPart(
    [`Content-Disposition: form-data; name="${name}"; ${disposition}`, 'Content-Type: text/plain'],
    body,
  );
export const END = Buffer.from(`--${BOUNDARY}--\r\n`);

export type RawForm = {
  /** Sent one after the other, each when the one before has gone. */
  readonly chunks: readonly Uint8Array[];
  readonly contentType?: string;
  /** More than is sent, so that the server waits for the rest. */
  readonly contentLength?: number;
  /** After the last chunk. */
  readonly ending?: 'whole' | 'cut';
  readonly user?: string;
};

/** The answer; undefined when the connection ended without one. */
export const postRawForm = (
  url: string,
  { chunks, contentType, contentLength, ending = 'whole', user = 'ann' }: RawForm,
): Promise<{ readonly status: number; readonly text: string } | undefined> =>
  new Promise((resolve) => {
    const asked = request(url, {
      method: 'POST',
      headers: {
        ...credentialsOf(user),
        'content-type': contentType ?? `multipart/form-data; boundary=${BOUNDARY}`,
        ...(contentLength === undefined ? {} : { 'content-length': contentLength }),
      },
    });
    asked.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('close', () => resolve({ status: response.statusCode!, text }));
      response.on('error', () => {});
    });
    asked.on('error', () => resolve(undefined));
    const send = (index: number) => {
      const chunk = chunks[index];
      if (chunk !== undefined) asked.write(chunk, () => setImmediate(() => send(index + 1)));
      else if (ending === 'cut') asked.destroy();
      else asked.end();
    };
    send(0);
  });
