// Notes between instances: signed with a key that is derived from the secret that all of them have, which never travels. A
// signature is for one request (method, path, body) to one instance, within MAX_SKEW_MS of its time, and for one use.

import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Random } from '../../base/random.ts';
import { hostsIn, type NotedRequest, type NoteReader, type NoteStamp, schemeIn } from '../peer-note.ts';

/** Clocks of instances that are kept by NTP are apart by much less. */
export const MAX_SKEW_MS = 30_000;
/** Only instances of ours can add one: so many in a minute are not sent. */
const MAX_NONCES = 500_000;
const NONCE_BYTES = 12;
const KEY_BYTES = 32;
const VERSION = '1';

export type SignedNotesOptions = {
  /** One or two, the newest first: it signs, each of them is accepted. */
  readonly secrets: readonly string[];
  /** Of this instance. */
  readonly id: string;
  /** The time of day, ms: instances have no other clock in common. */
  readonly unixMs: () => number;
  readonly random: Random;
};

export type SignedNotes = NoteReader & {
  /** For requests to this instance. */
  to(instance: string): NoteStamp;
  /** Signs what is told of an instance in a place that others can write to, and checks it. */
  signEntry(entry: string): string;
  isEntry(entry: string, signature: string): boolean;
};

const derivedKey = (secret: string) =>
  Buffer.from(hkdfSync('sha256', secret, '', 'voxgate requests between instances', KEY_BYTES));
const digestOf = (body: Uint8Array) => createHash('sha256').update(body).digest('base64url');
const NO_BODY = digestOf(new Uint8Array());
/** Each part has one form in JSON, so no two requests have one text. */
const textOf = ({ method, path }: NotedRequest, to: string, told: string) =>
  JSON.stringify(['request', method, path, to, told]);

export function createSignedNotes({ secrets, id, unixMs, random }: SignedNotesOptions): SignedNotes {
  const keys = secrets.map(derivedKey);
  const macOf = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const sign = (text: string) => macOf(keys[0]!, text).toString('base64url');
  const isSigned = (text: string, signature: string) => {
    const given = Buffer.from(signature, 'base64url');
    return keys.some((key) => {
      const mac = macOf(key, text);
      return given.length === mac.length && timingSafeEqual(given, mac);
    });
  };
  /** Those that were used, and when each is too old anyway; in this order. */
  const used = new Map<string, number>();
  const use = (nonce: string, nowMs: number): 'first' | 'again' => {
    for (const [old, untilMs] of used) {
      if (untilMs > nowMs) break;
      used.delete(old);
    }
    if (used.has(nonce) || used.size >= MAX_NONCES) return 'again';
    used.set(nonce, nowMs + 2 * MAX_SKEW_MS);
    return 'first';
  };

  return {
    to: (instance) => ({
      stamp({ scheme, hosts, address }, request, body) {
        const told = [
          VERSION,
          unixMs(),
          random.id(NONCE_BYTES),
          body === undefined ? NO_BODY : digestOf(body),
          scheme,
          hosts,
          Buffer.from(address).toString('base64url'),
        ].join('.');
        return `${told}.${sign(textOf(request, instance, told))}`;
      },
    }),
    read(header, request) {
      const end = header.lastIndexOf('.');
      const told = header.slice(0, Math.max(0, end));
      const [version, sentMs, nonce = '', bodyDigest, scheme, hosts, address = ''] = told.split('.');
      const nowMs = unixMs();
      if (version !== VERSION || !(Math.abs(nowMs - Number(sentMs)) <= MAX_SKEW_MS)) return undefined;
      if (!isSigned(textOf(request, id, told), header.slice(end + 1)) || use(nonce, nowMs) === 'again')
        return undefined;
      return {
        address: Buffer.from(address, 'base64url').toString('utf8'),
        scheme: schemeIn(scheme),
        hosts: hostsIn(hosts),
        isBody: (bytes) => digestOf(bytes) === bodyDigest,
      };
    },
    signEntry: (entry) => sign(JSON.stringify(['entry', entry])),
    isEntry: (entry, signature) => isSigned(JSON.stringify(['entry', entry]), signature),
  };
}
