// XML of an archive's member as text, after making sure that it holds nothing that a parser would expand.

import { declaredCharset, decodeText } from '../decode-text.ts';
import { invalidSource } from '../invalid-source.ts';

/**
 * `doctype` says whether a document type may be named (old XHTML does); entities of one's own may never be declared.
 * Throws `invalid_source`.
 */
export function xmlPart(bytes: Uint8Array, doctype: 'allowed' | 'refused'): string {
  const text = decodeText(bytes, declaredCharset(bytes));
  const isUnsafe = /<!ENTITY/i.test(text) || declaresInside(text);
  if (isUnsafe || (doctype === 'refused' && /<!DOCTYPE/i.test(text)))
    throw invalidSource(
      'The file declares entities of its own, which no office program does; save it again.',
    );
  return text;
}

/** Whether a document type has an internal subset, `<!DOCTYPE name [ … ]>`. */
function declaresInside(text: string): boolean {
  const start = /<!DOCTYPE/gi;
  while (start.exec(text) !== null) {
    const end = text.indexOf('>', start.lastIndex);
    if (text.slice(start.lastIndex, end === -1 ? undefined : end).includes('[')) return true;
    if (end === -1) return false;
    start.lastIndex = end;
  }
  return false;
}
