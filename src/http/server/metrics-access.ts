// Which callers may read metrics: a program on this machine, or a caller with the admin key. A request that came through
// a proxy on this machine, or from a web page in a browser here, is not this machine.

import { digestKey, isKey, readBearer } from '../../access/bearer-key.ts';
import { headerLines } from '../../access/header-lines.ts';
import { strangerTrace } from '../../access/loopback-guard.ts';
import { AppError } from '../../base/app-error.ts';

export type Asker = {
  readonly ip: string;
  readonly protocol: 'http' | 'https';
  readonly raw: { readonly rawHeaders: readonly string[] };
};

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

/** Throws `forbidden` or, where a key would help, `unauthorized`. */
export function mayReadMetrics({ ip, protocol, raw }: Asker, adminKey: string | undefined): void {
  const headers = headerLines(raw.rawHeaders);
  const given = headers.authorization?.map(readBearer) ?? [];
  if (adminKey !== undefined && given.some((key) => key !== undefined && isKey(key, digestKey(adminKey))))
    return;
  if (LOOPBACK.test(ip) && strangerTrace(headers, protocol) === undefined) return;
  if (adminKey === undefined)
    throw new AppError(
      'forbidden',
      'Only callers on this machine may read this; VOXGATE_ADMIN_KEY opens it to others.',
    );
  throw new AppError('unauthorized', 'Send "Authorization: Bearer" with the admin key.');
}
