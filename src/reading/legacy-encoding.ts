// Which encoding a text has that is no Unicode and does not say: the East Asian ones by the characters that most of such a
// text consists of, those of a byte for each letter by the alphabets of languages. What is neither is not guessed at:
// the wrong letters would be spoken as if they were right.

import { type SingleByteEncoding, singleByteEncoding } from './plain/single-byte-encoding.ts';

export type LegacyEncoding = SingleByteEncoding | 'shift_jis' | 'euc-jp' | 'euc-kr' | 'gb18030' | 'big5';

/** Enough to tell; a longer text is looked at no further. */
const SAMPLE_BYTES = 64 * 1024;
/** Fewer characters than these, in a text that is mostly Latin, may be accented capitals beside each other. */
const MIN_PAIRS = 8;
const MIN_PAIR_SHARE = 0.3;
const KANA = /[\u3041-\u3096\u30a1-\u30fa]/gu;
const HANGUL = /[\uac00-\ud7a3]/gu;
const HAN = /\p{Script=Han}/gu;

const countOf = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;

/** Undefined: not valid in this encoding. An unfinished last character, where the sample was cut, is valid. */
function decoded(bytes: Uint8Array, label: string): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}

/** Bytes of pairs, and how many pairs are characters that running text has: by lead byte, as both standards sort them. */
type Pairs = { readonly pairs: number; readonly gb2312: number; readonly big5: number };

/**
 * Level 1 of GB 2312, 3,755 common characters, has leads B0 to D7 and trails from A1; level 1 of Big5, 5,401 common
 * ones, leads A4 to C6. Both have their punctuation at A1 to A3.
 */
function countPairs(bytes: Uint8Array): Pairs {
  let pairs = 0;
  let gb2312 = 0;
  let big5 = 0;
  for (let at = 0; at + 1 < bytes.length; at++) {
    const lead = bytes[at]!;
    if (lead < 0x80) continue;
    const trail = bytes[++at]!;
    pairs++;
    const isMark = lead >= 0xa1 && lead <= 0xa3;
    if (trail >= 0xa1 && (isMark || (lead >= 0xb0 && lead <= 0xd7))) gb2312++;
    if (trail >= 0x40 && (isMark || (lead >= 0xa4 && lead <= 0xc6))) big5++;
  }
  return { pairs, gb2312, big5 };
}

const isLetter = (byte: number): boolean => ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a) || byte >= 0xc0;

/** Undefined: it cannot be told. Linear; looks at the first 64 KiB. */
export function legacyEncoding(whole: Uint8Array): LegacyEncoding | undefined {
  const bytes = whole.subarray(0, SAMPLE_BYTES);
  let high = 0;
  let letters = 0;
  for (const byte of bytes) {
    if (byte >= 0x80) high++;
    if (isLetter(byte)) letters++;
  }
  const { pairs, gb2312, big5 } = countPairs(bytes);
  if (pairs >= MIN_PAIRS || (pairs > 1 && high >= letters * MIN_PAIR_SHARE)) {
    for (const label of ['shift_jis', 'euc-jp'] as const) {
      const text = decoded(bytes, label);
      // Chinese has none, and half of what is Japanese is kana. In halfwidth, which old telegrams have, it is not counted.
      if (text !== undefined && countOf(text, KANA) > countOf(text, /[^\0-\x7f]/gu) * 0.2) return label;
    }
    const korean = decoded(bytes, 'euc-kr');
    if (korean !== undefined) {
      const hangul = countOf(korean, HANGUL);
      if (hangul > 1 && hangul > (hangul + countOf(korean, HAN)) * 0.9 && hangul > pairs * 0.6)
        return 'euc-kr';
    }
    if (gb2312 > pairs * 0.88 && decoded(bytes, 'gb18030') !== undefined) return 'gb18030';
    if (big5 > pairs * 0.88 && decoded(bytes, 'big5') !== undefined) return 'big5';
  }
  return singleByteEncoding(bytes);
}
