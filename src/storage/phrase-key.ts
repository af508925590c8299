// The name of a phrase's sound: who asked, and the whole request with its seed. Two requests have one name only when
// the service would answer both with the same bytes, and no tenant can find out what another had spoken.

import { hash } from 'node:crypto';
import type { OutgoingRequest } from '../speech/speech-request.ts';

/** 64 hexadecimal digits; the order of the request's fields does not matter. */
export function phraseKey(tenant: string, request: OutgoingRequest): string {
  const fields = Object.entries(request)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return hash('sha256', JSON.stringify([tenant, fields]), 'hex');
}
