// Where the service's own files are, as callers see it. A file's address is a capability: anyone with it may fetch the
// file, and nobody can guess it, so that players and browsers need no header.

import { createHmac } from 'node:crypto';
import { isSignedByAny, type SigningKeys, signNew } from '../access/signing-keys.ts';

export type ServiceAddress = {
  /** `https://…/v1/files/<work>/<signature>/<name>`. `origin`: as the caller reached us. */
  urlOf(origin: string, workId: string, name: string): string;
  isSigned(workId: string, name: string, signature: string): boolean;
};

/** 128 bits: what guessing has to beat. */
const SIGNATURE_BYTES = 16;

export function createServiceAddress(keys: SigningKeys): ServiceAddress {
  const digestOf = (workId: string, name: string) => (key: string | Uint8Array) =>
    createHmac('sha256', key)
      .update(JSON.stringify(['file', workId, name]))
      .digest()
      .subarray(0, SIGNATURE_BYTES);
  return {
    urlOf(origin, workId, name) {
      const signature = signNew(keys, digestOf(workId, name)).toString('base64url');
      return `${origin}/v1/files/${workId}/${signature}/${encodeURIComponent(name)}`;
    },
    isSigned: (workId, name, signature) =>
      isSignedByAny(keys, digestOf(workId, name), Buffer.from(signature, 'base64url')),
  };
}
