// Why a listener could not be opened, in the words of its settings: the system names neither, nor who has the port.

import { portHolder } from './port-holder.ts';

export type ListenAt = {
  readonly host: string;
  readonly port: number;
  /** How the two are set, such as `VOXGATE_PORT`; undefined for a host that is fixed. */
  readonly portSetting: string;
  readonly hostSetting: string | undefined;
};

const PRIVILEGED = 1024;

function inUse({ port, portSetting }: ListenAt): string {
  const holder = portHolder(port);
  const who = holder === undefined ? 'another program' : holder;
  return `${portSetting} is ${port}, and ${who} listens there already (EADDRINUSE): stop that program, or set ${portSetting} to another port; 0 is any free one`;
}

const forbidden = ({ port, portSetting }: ListenAt): string =>
  port < PRIVILEGED
    ? `${portSetting} is ${port}, which the user that Voxgate runs as may not open (EACCES): set it to a port from ${PRIVILEGED} on, or allow it (setcap cap_net_bind_service=+ep, or the system's socket units)`
    : `${portSetting} is ${port}, which this system does not let anybody open (EACCES): set it to another port`;

const noSuchHost = ({ host, hostSetting }: ListenAt, code: string): string =>
  hostSetting === undefined
    ? `the address ${host} cannot be listened on (${code})`
    : `${hostSetting} is ${host}, which is no address of this machine (${code}): set it to one, such as 127.0.0.1 or 0.0.0.0`;

const FAULTS: Readonly<Record<string, (at: ListenAt, code: string) => string>> = {
  EADDRINUSE: inUse,
  EACCES: forbidden,
  EADDRNOTAVAIL: noSuchHost,
  ENOTFOUND: noSuchHost,
  EAI_AGAIN: noSuchHost,
};

/** Of an error that has come from another thread or process only its words are left: `listen EADDRINUSE: …`. */
function codeOf(thrown: unknown): string | undefined {
  const { code, message } = (thrown ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string' && Object.hasOwn(FAULTS, code)) return code;
  return typeof message === 'string'
    ? /^(?:listen|bind|getaddrinfo) (E[A-Z_]+)/.exec(message)?.[1]
    : undefined;
}

/** `thrown` by a listener that was to be opened `at`; anything else than a fault of that address as it is. */
export function listenFault(thrown: unknown, at: ListenAt): unknown {
  const code = codeOf(thrown);
  const told = code === undefined ? undefined : FAULTS[code];
  return told === undefined || code === undefined
    ? thrown
    : new Error(`${told(at, code)}.`, { cause: thrown });
}

/** Waits for a listener to be open; rejects in those words. */
export async function listening<T>(opening: Promise<T>, at: ListenAt): Promise<T> {
  try {
    return await opening;
  } catch (thrown) {
    throw listenFault(thrown, at);
  }
}
