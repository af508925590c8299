// Where the service's own files are, as callers see it. A file's address is a capability: anyone with it may fetch the
// file, and nobody can guess it, so that players and browsers need no header.

import { createHmac, timingSafeEqual } from 'node:crypto';

export type ServiceAddress = {
  /** `https://…/v1/files/<work>/<signature>/<name>`. `origin`: as the caller reached us. */
  urlOf(origin: string, workId: string, name: string): string;
  isSigned(workId: string, name: string, signature: string): boolean;
};

/** 128 bits: what guessing has to beat. */
const SIGNATURE_BYTES = 16;

export function createServiceAddress(secret: Uint8Array): ServiceAddress {
  const sign = (workId: string, name: string) =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['file', workId, name]))
      .digest()
      .subarray(0, SIGNATURE_BYTES);
  return {
    urlOf: (origin, workId, name) =>
      `${origin}/v1/files/${workId}/${sign(workId, name).toString('base64url')}/${encodeURIComponent(name)}`,
    isSigned(workId, name, signature) {
      const given = Buffer.from(signature, 'base64url');
      return given.length === SIGNATURE_BYTES && timingSafeEqual(given, sign(workId, name));
    },
  };
}
