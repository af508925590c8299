// XML of an archive's member as text, after making sure that it holds nothing that a parser would expand.

import { declaredCharset, decodeText } from './decode-text.ts';
import { invalidSource } from './invalid-source.ts';

/**
 * `doctype` says whether a document type may be named (old XHTML does); entities of one's own may never be declared.
 * Throws `invalid_source`.
 */
export function xmlPart(bytes: Uint8Array, doctype: 'allowed' | 'refused'): string {
  const text = decodeText(bytes, declaredCharset(bytes));
  const isUnsafe = /<!ENTITY/i.test(text) || /<!DOCTYPE[^>]{0,2000}\[/i.test(text);
  if (isUnsafe || (doctype === 'refused' && /<!DOCTYPE/i.test(text)))
    throw invalidSource(
      'The file declares entities of its own, which no office program does; save it again.',
    );
  return text;
}
