// A leg's token in the headers of its upgrade, for platforms that can set one there: `Authorization` as Bearer (SignalWire,
// jambonz) or as the password of Basic (Exotel, whose user may have any name), and Telnyx's own header.

import { readBearer } from './bearer-key.ts';
import type { HeaderLines } from './header-lines.ts';

const TELNYX_HEADER = 'x-telnyx-streaming-auth-token';

function readBasicPassword(line: string): string | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})\s*$/i.exec(line)?.[1];
  if (encoded === undefined) return undefined;
  const credentials = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = credentials.indexOf(':');
  return colon < 0 ? undefined : credentials.slice(colon + 1);
}

/**
 * Undefined when there is none. What cannot be read, and more than one, is an unknown token: a caller that shows credentials
 * is not let in without them.
 */
export function carriedToken(headers: HeaderLines): string | undefined {
  const carried = [
    ...(headers[TELNYX_HEADER] ?? []),
    ...(headers.authorization ?? []).map((line) => readBearer(line) ?? readBasicPassword(line) ?? ''),
  ];
  return carried.length > 1 ? '' : carried[0];
}
