// The certificate and key of the public listener, read and tried before anything is started: a wrong file is told by
// its setting, not by the TLS library.

import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { type Config, toEnv } from '../settings/settings.ts';

export type Tls = { readonly cert: string; readonly key: string };

const reasonOf = (thrown: unknown) => {
  const { code, message } = thrown as NodeJS.ErrnoException;
  return code ?? message;
};

function readPem(name: 'tlsCert' | 'tlsKey', path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    throw new Error(
      `${toEnv(name)} names a file that cannot be read: ${JSON.stringify(path)} (${reasonOf(thrown)})`,
    );
  }
}

/** Undefined when TLS is not asked for. Throws an Error whose message names the setting. */
export function readTls({ tlsCert, tlsKey }: Pick<Config, 'tlsCert' | 'tlsKey'>): Tls | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const tls = { cert: readPem('tlsCert', tlsCert), key: readPem('tlsKey', tlsKey) };
  try {
    createSecureContext(tls);
  } catch (thrown) {
    const both = `${toEnv('tlsCert')} and ${toEnv('tlsKey')}`;
    throw new Error(`${both} must be a PEM certificate and its private key (${reasonOf(thrown)})`);
  }
  return tls;
}
