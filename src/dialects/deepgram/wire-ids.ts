// Ids in the shapes that clients of this protocol parse, each made from what the gateway has: the same id always gives
// the same one, so that a header, a message and a line of the log speak of one session.

import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

const UUID_HEX = 32;
const SPEECH_HEX = 12;

const uuidOf = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');

/** The bytes of a session's id as a UUID: each can be found from the other. */
export const requestIdOf = (session: string): string =>
  uuidOf(Buffer.from(session, 'base64url').toString('hex').padEnd(UUID_HEX, '0').slice(0, UUID_HEX));

/** Clients ask for one; a voice has none of its own. */
export const modelUuidOf = (model: string): string =>
  uuidOf(createHash('sha256').update(model).digest('hex').slice(0, UUID_HEX));

/** `dg_sp_` and twelve hexadecimal digits. */
export const speechIdOf = (id: string): string =>
  `dg_sp_${createHash('sha256').update(id).digest('hex').slice(0, SPEECH_HEX)}`;
