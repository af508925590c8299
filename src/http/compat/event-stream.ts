// One message of a server-sent event stream (HTML Living Standard 9.2.5): JSON has no line break to part it.

import { Buffer } from 'node:buffer';

/** As Node streams text: `charset` is no parameter of this type. */
export const EVENT_STREAM = 'text/event-stream';

export const eventOf = (data: object, name?: string): Buffer =>
  Buffer.from(`${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`);

export const base64Of = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
