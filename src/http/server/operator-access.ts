// Who may end what others run. To read the figures of this machine it is enough to be a program on it; to close the session
// of another user is more, so there it takes the admin key. A gateway without any keys serves this machine alone, for which
// all sessions are its own.

import { digestKey, isKey, readBearer } from '../../access/bearer-key.ts';
import { headerLines } from '../../access/header-lines.ts';
import { AppError } from '../../base/app-error.ts';
import { type Asker, mayReadMetrics } from './metrics-access.ts';

export type OperatorAccess = {
  readonly adminKey: string | undefined;
  /** Callers need an API key. */
  readonly areKeysRequired: boolean;
};

/** Throws `forbidden` or, where the admin key would help, `unauthorized`. */
export function mayEndSessions(asker: Asker, { adminKey, areKeysRequired }: OperatorAccess): void {
  if (adminKey === undefined) {
    if (!areKeysRequired) return mayReadMetrics(asker, undefined);
    throw new AppError(
      'forbidden',
      'Sessions are ended with the admin key, and this gateway has none; set VOXGATE_ADMIN_KEY.',
    );
  }
  const digest = digestKey(adminKey);
  const given = headerLines(asker.raw.rawHeaders).authorization?.map(readBearer) ?? [];
  if (given.some((key) => key !== undefined && isKey(key, digest))) return;
  throw new AppError('unauthorized', 'Send "Authorization: Bearer" with the admin key to end a session.');
}

/** What the caller of `asker` would need to end a session: nothing more, the admin key, or a setting of the gateway. */
export function whatEndingTakes(asker: Asker, access: OperatorAccess): 'nothing' | 'admin-key' | 'setting' {
  try {
    mayEndSessions(asker, access);
    return 'nothing';
  } catch {
    return access.adminKey === undefined ? 'setting' : 'admin-key';
  }
}
