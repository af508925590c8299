// Bytes to text: by byte order mark, then by what is declared, then UTF-8 if it is valid, else windows-1252, which is
// what old Western files are and which has a character for every byte. UTF-16 without a mark is told by its zeros.

import { Buffer } from 'node:buffer';

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

/** The text without its byte order mark. */
export function decodeText(bytes: Uint8Array, declared?: string): string {
  const certain = marked(bytes) ?? unmarkedUtf16(bytes);
  if (certain !== undefined) return new TextDecoder(certain).decode(bytes);
  try {
    // What is valid UTF-8 is nothing else, whatever it is declared to be.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const label = known(declared);
    const single = label === undefined || label.startsWith('utf-') ? 'windows-1252' : label;
    // In one go Node 20 takes windows-1252 for Latin-1, which has no quotation marks; as a stream it does not.
    return new TextDecoder(single).decode(bytes, { stream: true });
  }
}
