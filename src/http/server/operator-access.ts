// Who may see what runs, and who may end what others run. An address proves nothing once a gateway is offered to others: behind
// a proxy on this machine everybody's peer is this machine, and the Host is what the stranger has sent. So there both take the
// admin key; metrics alone are read by what looks like this machine.
// A gateway that serves this machine alone shows itself to every program on it; without any keys such a program may
// end sessions, too, for all are this machine's own.

import { digestKey, isKey, readBearer } from '../../access/bearer-key.ts';
import { headerLines } from '../../access/header-lines.ts';
import { strangerTrace } from '../../access/loopback-guard.ts';
import { AppError } from '../../base/app-error.ts';

export type Asker = {
  /** The address of the socket's other end. */
  readonly ip: string;
  readonly protocol: 'http' | 'https';
  readonly raw: { readonly rawHeaders: readonly string[] };
};

export type OperatorAccess = {
  readonly adminKey: string | undefined;
  /** The setting by which callers from elsewhere are served; undefined: none, a caller without a trace is of this machine. */
  readonly offeredBy: string | undefined;
};

const keysOf = ({ raw }: Asker): readonly string[] =>
  headerLines(raw.rawHeaders).authorization?.flatMap((line) => readBearer(line) ?? []) ?? [];

function hasAdminKey(asker: Asker, adminKey: string | undefined): boolean {
  if (adminKey === undefined) return false;
  const digest = digestKey(adminKey);
  return keysOf(asker).some((key) => isKey(key, digest));
}

/** What a caller is told who sent no key, or a wrong one. */
const sendAdminKey = (asker: Asker): string =>
  keysOf(asker).length === 0
    ? 'Send "Authorization: Bearer" with the admin key'
    : 'The key that was sent is not the admin key (VOXGATE_ADMIN_KEY); send "Authorization: Bearer" with that one';

/** The pool, the operator's view. Throws `forbidden` or, where the admin key would help, `unauthorized`. */
export function maySeeWhatRuns(asker: Asker, access: OperatorAccess): void {
  const { adminKey, offeredBy } = access;
  if (hasAdminKey(asker, adminKey)) return;
  if (offeredBy !== undefined) {
    const why = `This gateway is offered to others (${offeredBy} is set), and behind a proxy they look like this machine`;
    if (adminKey !== undefined) throw new AppError('unauthorized', `${why}. ${sendAdminKey(asker)}.`);
    throw new AppError(
      'forbidden',
      `${why}; set VOXGATE_ADMIN_KEY and send it, or set VOXGATE_ADMIN_PORT, a listener for this machine alone.`,
    );
  }
  mayReadMetrics(asker, access);
}

/**
 * Metrics name no user, session or text, so this machine reads them without a key. Throws `forbidden` or, where the admin key
 * would help, `unauthorized`.
 */
export function mayReadMetrics(asker: Asker, { adminKey }: Pick<OperatorAccess, 'adminKey'>): void {
  if (hasAdminKey(asker, adminKey)) return;
  const { ip, protocol, raw } = asker;
  const trace = strangerTrace(headerLines(raw.rawHeaders), protocol, ip);
  if (trace === undefined) return;
  if (adminKey === undefined)
    throw new AppError(
      'forbidden',
      `${trace} Only callers on this machine may read this; VOXGATE_ADMIN_KEY opens it to others.`,
    );
  throw new AppError('unauthorized', `${trace} ${sendAdminKey(asker)}.`);
}

/** Throws `forbidden` or, where the admin key would help, `unauthorized`. */
export function mayEndSessions(asker: Asker, access: OperatorAccess): void {
  const { adminKey, offeredBy } = access;
  if (adminKey === undefined) {
    if (offeredBy === undefined) return maySeeWhatRuns(asker, access);
    throw new AppError(
      'forbidden',
      'Sessions are ended with the admin key, and this gateway has none; set VOXGATE_ADMIN_KEY.',
    );
  }
  if (hasAdminKey(asker, adminKey)) return;
  throw new AppError('unauthorized', `${sendAdminKey(asker)} to end a session.`);
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
