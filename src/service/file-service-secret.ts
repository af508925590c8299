// What is signed with: secrets that all instances are told, or one that is made at the first start and kept beside the
// records. With it gone, addresses that were given out would lead nowhere; so one that a data folder has stays good.

import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keysFor, type SigningKeys } from '../access/signing-keys.ts';

const FILE = 'service-secret';
const BYTES = 32;

const read = (path: string): Buffer => {
  const secret = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64url');
  if (secret.length !== BYTES)
    throw new Error(`${path} is damaged; put its backup back, or delete it: addresses of files change then`);
  return secret;
};

const readIfThere = (path: string): Buffer | undefined => {
  try {
    return read(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/**
 * 32 bytes; `make` answers those of a folder that has none. Whole or not at all, and never replaced: two programs that start
 * at once agree.
 */
export function openServiceSecret(dataDir: string, make = () => randomBytes(BYTES)): Buffer {
  const path = join(dataDir, FILE);
  const found = readIfThere(path);
  if (found !== undefined) return found;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  writeFileSync(draft, `${make().toString('base64url')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return read(path);
}

/**
 * Before records are carried between this folder and instances that sign with `told` (newest first, base64url): what either side
 * has signed has to hold at the other. An `Error` for the operator where it would not.
 */
export function checkSecretTold(told: readonly string[], dataDir: string): void {
  const path = join(dataDir, FILE);
  const own = readIfThere(path)?.toString('base64url');
  if (own !== undefined && !told.includes(own))
    throw new Error(
      `VOXGATE_SECRET does not hold the secret in ${path}, which has signed what this data folder has given out (addresses of files, tokens, webhooks): set it to what that file holds, alone or behind a comma after a new one, at all instances (nothing was changed)`,
    );
}

/** Gives a folder that has none the newest of `told` that a folder can keep; `kept` when that is all that was told. */
export function keepSecret(told: readonly string[], dataDir: string): 'kept' | 'partly' {
  const fitting = told.map((text) => Buffer.from(text, 'base64url')).find(({ length }) => length === BYTES);
  const own =
    fitting === undefined ? readIfThere(join(dataDir, FILE)) : openServiceSecret(dataDir, () => fitting);
  return told.length === 1 && own?.toString('base64url') === told[0] ? 'kept' : 'partly';
}

export type Secrets = {
  /** Of addresses of files. */
  readonly files: SigningKeys;
  /** Of attach tokens. */
  readonly legs: readonly string[];
  /** Of callers' and resume tokens. */
  readonly tokens: readonly string[];
  /** What the secrets of webhooks follow from; more than one is in force while they are exchanged. */
  readonly webhooks: readonly string[];
};

/**
 * `told`: in base64url, newest first; empty: the one of the data folder signs. `dataDir` undefined: nothing is kept, and a
 * secret that is not told is as good as the process lives.
 */
export function openSecrets(told: readonly string[], dataDir: string | undefined): Secrets {
  const shared = told.map((text) => Buffer.from(text, 'base64url'));
  const kept = () => {
    if (dataDir === undefined) return shared.length === 0 ? randomBytes(BYTES) : undefined;
    return shared.length === 0 ? openServiceSecret(dataDir) : readIfThere(join(dataDir, FILE));
  };
  const own = kept();
  const all = own === undefined || shared.some((secret) => secret.equals(own)) ? shared : [...shared, own];
  return {
    files: all,
    legs: keysFor(all, 'legs'),
    tokens: keysFor(all, 'tokens'),
    webhooks: all.map((secret) => secret.toString('base64url')),
  };
}
