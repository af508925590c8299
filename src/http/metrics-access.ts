// Who may look inside: this machine itself, or whoever has the admin key. A request that came through a proxy on
// this machine is not this machine.

import { createHash, timingSafeEqual } from 'node:crypto';
import { proxyHeader } from '../access/loopback-guard.ts';
import { AppError } from '../base/app-error.ts';

type Asker = {
  readonly ip: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
};

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Throws `forbidden` or, where a key would help, `unauthorized`. */
export function mayReadMetrics({ ip, headers }: Asker, adminKey: string | undefined): void {
  const given = /^Bearer +(\S+)\s*$/i.exec(headers.authorization?.toString() ?? '')?.[1];
  if (adminKey !== undefined && given !== undefined && timingSafeEqual(digest(given), digest(adminKey)))
    return;
  if (LOOPBACK.test(ip) && proxyHeader(headers) === undefined) return;
  if (adminKey === undefined)
    throw new AppError('forbidden', 'Only this machine may read this; VOXGATE_ADMIN_KEY opens it to others.');
  throw new AppError('unauthorized', 'Send "Authorization: Bearer" with the admin key.');
}
