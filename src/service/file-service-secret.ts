// The secret behind file addresses and webhook signatures, made at the first start and kept beside the records: with it
// gone, addresses that were given out would lead nowhere.

import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'service-secret';
const BYTES = 32;

const read = (path: string): Buffer => {
  const secret = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64url');
  if (secret.length !== BYTES)
    throw new Error(`${path} is damaged; put its backup back, or delete it: addresses of files change then`);
  return secret;
};

/** 32 bytes. Whole or not at all, and never replaced: two programs that start at once agree. */
export function openServiceSecret(dataDir: string): Buffer {
  const path = join(dataDir, FILE);
  try {
    return read(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  writeFileSync(draft, `${randomBytes(BYTES).toString('base64url')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return read(path);
}
