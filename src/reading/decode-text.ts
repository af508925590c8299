// Bytes to text: by byte order mark, then UTF-8 if it is valid, then by what is declared, then by what the bytes look like.
// UTF-16 without a mark is told by its zeros.

import { Buffer } from 'node:buffer';
import type { AppError } from '../base/app-error.ts';
import { invalidSource } from './invalid-source.ts';
import { legacyEncoding } from './legacy-encoding.ts';

/** An encoding that TextDecoder knows, or undefined. */
function known(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function marked(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}

/** Of the first bytes of Western or mixed text in UTF-16 every second one is often zero; in other text none is. */
function unmarkedUtf16(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, 1024 & ~1);
  let even = 0;
  let odd = 0;
  for (const [i, byte] of head.entries()) {
    if (byte !== 0) continue;
    if (i % 2 === 0) even++;
    else odd++;
  }
  if (odd > head.length / 10 && even === 0) return 'utf-16le';
  if (even > head.length / 10 && odd === 0) return 'utf-16be';
  return undefined;
}

/** The charset of a Content-Type, such as `text/html; charset=iso-8859-1`. */
export const charsetOf = (contentType: string | undefined): string | undefined =>
  /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType ?? '')?.[1];

/** The charset that a page declares in its first kilobyte (HTML 13.2.3.2), or an XML declaration its encoding. */
export function declaredCharset(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  return (/<meta[^>]{0,200}?charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(head) ??
    /^\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w.:-]{1,40})/i.exec(head))?.[1];
}

/**
 * UTF-8 in which a few characters are damaged, without those; undefined where that is not what it is. Text of another
 * encoding has hardly a sequence that is valid.
 */
function damagedUtf8(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder('utf-8').decode(bytes);
  const broken = text.match(/\ufffd/g)?.length ?? 0;
  const whole = text.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0;
  const isDamaged = broken <= whole * 0.05 || (broken === 1 && whole >= 3);
  return isDamaged ? text.replaceAll('\ufffd', '') : undefined;
}

/** Undefined where the encoding cannot be told. */
function decoded(bytes: Uint8Array, declared: string | undefined): string | undefined {
  const certain = marked(bytes) ?? unmarkedUtf16(bytes);
  if (certain !== undefined) return new TextDecoder(certain).decode(bytes);
  try {
    // What is valid UTF-8 is nothing else, whatever it is declared to be.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const label = known(declared);
    const isDeclared = label !== undefined && !label.startsWith('utf-');
    const whole = isDeclared ? undefined : damagedUtf8(bytes);
    if (whole !== undefined) return whole;
    const single = isDeclared ? label : legacyEncoding(bytes);
    // In one go Node 20 takes windows-1252 for Latin-1, which has no quotation marks; as a stream it does not.
    return single === undefined ? undefined : new TextDecoder(single).decode(bytes, { stream: true });
  }
}

/** The text without its byte order mark; as Western text where the encoding cannot be told. */
export const decodeText = (bytes: Uint8Array, declared?: string): string =>
  decoded(bytes, declared) ?? new TextDecoder('windows-1252').decode(bytes, { stream: true });

/** As `decodeText`; throws `invalid_source` where the encoding cannot be told. */
export function decodeDocument(bytes: Uint8Array, declared?: string): string {
  const text = decoded(bytes, declared);
  if (text === undefined)
    throw (
      damageOf(bytes) ??
      invalidSource('The encoding of the text is not stated and cannot be told; save it as UTF-8.')
    );
  return text;
}

/** So many bytes of a text that is else UTF-8 are a slip; more are another encoding. */
const MAX_DAMAGED = 10;

/** Which line is to be mended, where all but a few bytes are UTF-8 and some letters beyond ASCII show that they are. */
function damageOf(bytes: Uint8Array): AppError | undefined {
  const text = new TextDecoder('utf-8').decode(bytes);
  const damaged = text.split('\ufffd').length - 1;
  const letters = text.match(/(?![\ufffd])[\u0080-\u{10ffff}]/gu)?.length ?? 0;
  if (damaged === 0 || damaged > MAX_DAMAGED || letters < damaged) return undefined;
  const line = text.slice(0, text.indexOf('\ufffd')).split('\n').length;
  return invalidSource(
    `Line ${line} has bytes that are no UTF-8, though the rest of the text is; mend that line (there are ${damaged} such places) and save it as UTF-8.`,
  );
}
