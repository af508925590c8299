// A certificate for localhost that lives as long as a test, signed by its own key and written by hand (X.509 in DER,
// RFC 5280 4.1), so that no program and no committed private key is needed.

import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type SelfSigned = {
  readonly certPath: string;
  readonly keyPath: string;
  readonly cert: string;
  readonly key: string;
  remove(): void;
};

/** Tag, length, content (X.690 8.1); lengths up to 65,535. */
function der(tag: number, ...parts: readonly (Uint8Array | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}
const [INTEGER, BIT_STRING, OCTET_STRING, OID, UTF8, TIME, SEQUENCE, SET] = [2, 3, 4, 6, 12, 23, 0x30, 0x31];
const oid = (...bytes: number[]) => der(OID!, Uint8Array.from(bytes));

const ECDSA_WITH_SHA256 = der(SEQUENCE!, oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2));
const LOCALHOST = der(SEQUENCE!, der(SET!, der(SEQUENCE!, oid(0x55, 4, 3), der(UTF8!, 'localhost'))));
const ALT_NAMES = der(SEQUENCE!, der(0x82, 'localhost'), der(0x87, Uint8Array.of(127, 0, 0, 1)));
const EXTENSIONS = der(SEQUENCE!, der(SEQUENCE!, oid(0x55, 0x1d, 0x11), der(OCTET_STRING!, ALT_NAMES)));

const pem = (label: string, bytes: Buffer) =>
  `-----BEGIN ${label}-----\n${bytes.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`;

export function createSelfSigned(): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const signed = der(
    SEQUENCE!,
    der(0xa0, der(INTEGER!, Uint8Array.of(2))), // version 3
    der(INTEGER!, Uint8Array.of(1)),
    ECDSA_WITH_SHA256,
    LOCALHOST,
    der(SEQUENCE!, der(TIME!, '200101000000Z'), der(TIME!, '491231235959Z')),
    LOCALHOST,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, EXTENSIONS),
  );
  const signature = der(BIT_STRING!, Uint8Array.of(0), sign('sha256', signed, privateKey));
  const cert = pem('CERTIFICATE', der(SEQUENCE!, signed, ECDSA_WITH_SHA256, signature));
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

  const folder = mkdtempSync(join(tmpdir(), 'voxgate-tls-'));
  const [certPath, keyPath] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(certPath, cert);
  writeFileSync(keyPath, key);
  return { certPath, keyPath, cert, key, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
