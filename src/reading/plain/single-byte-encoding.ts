// Which encoding a text has whose letters are a byte each: by the alphabets of the languages that are written in it. Only one
// language's letters stand in most texts, and read in a wrong encoding they are letters that no one language has together.

export type SingleByteEncoding =
  | 'windows-1252'
  | 'windows-1250'
  | 'iso-8859-2'
  | 'windows-1254'
  | 'windows-1251'
  | 'koi8-u';

/** Letters beyond a to z, in lower case; the marks ¿ and º are set in words like letters. */
const WESTERN = [
  'àâæçéèêëîïôœùûüÿ', // French
  'äöüß', // German
  'áéíóúñüïç¿¡ºª', // Spanish, Galician
  'áàâãçéêíóôõúüºª', // Portuguese
  'àèéìíòóùúîºª', // Italian
  'àçèéíïòóúü', // Catalan
  'æøåéäöü', // Danish, Norwegian
  'åäöéàüšž', // Swedish, Finnish
  'áàâäçéèêëíïîóòôöúùûü', // Dutch
  'áðéíóúýþæö', // Icelandic
];
const CENTRAL = [
  'ąćęłńóśźż', // Polish
  'áčďéěíňóřšťúůýž', // Czech
  'áäčďéíĺľňóôŕšťúýž', // Slovak
  'áéíóöőúüű', // Hungarian
  'čćđšž', // Croatian, Serbian, Slovene
  'ăâîşţ', // Romanian
  'çëáéíóú', // Albanian
];
const TURKISH = ['çğıöşüâîûi̇'];

/** In the order in which one is taken where several fit. */
const CANDIDATES = [
  ['windows-1252', WESTERN],
  ['windows-1250', CENTRAL],
  ['iso-8859-2', CENTRAL],
  ['windows-1254', TURKISH],
] as const;

/** Quotation marks, dashes, dots and spaces, the same in all of these encodings but for rare letters. */
const MARKS = new Set([
  0x80, 0x82, 0x84, 0x85, 0x8b, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x99, 0x9b, 0xa0, 0xab, 0xad, 0xb7,
  0xbb,
]);
/** ¡ and ¿, which stand beside each other. */
const OPENING = new Set([0xa1, 0xbf]);
/** Fewer letters than these may be a footnote's mark or a name. */
const MIN_LETTERS = 5;
const MIN_DIFFERENT = 3;
const MIN_FITTING = 0.94;
/** Names and words of other languages. */
const MIN_FITTING_WESTERN = 0.97;
/** In words of a script of its own each letter stands beside another one; accented ones hardly ever do. */
const MIN_BESIDE = 0.5;
const CYRILLIC = [
  ['windows-1251', /[оеаинтсрвл]/gu],
  ['koi8-u', /[оеаинтсрвл]/gu],
] as const;
/** In Russian, Ukrainian, Bulgarian and Serbian these ten letters are 55 to 68 % of all; other scripts, misread, come to 40. */
const MIN_COMMON = 0.5;
/** Text is in lower case; Windows-1251 read as KOI8, and the other way round, is not. */
const MIN_LOWER = 0.75;

const isAscii = (byte: number | undefined): boolean =>
  byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;

const decode = (bytes: Uint8Array, label: string): string =>
  new TextDecoder(label).decode(bytes, { stream: true });

const lettersSomewhere = new Map<number, boolean>();
function isLetterSomewhere(byte: number): boolean {
  const known =
    lettersSomewhere.get(byte) ??
    CANDIDATES.some(([label]) => /[\p{L}¿¡]/u.test(decode(Uint8Array.of(byte), label)));
  lettersSomewhere.set(byte, known);
  return known;
}

/** Bytes of words that are no ASCII, and how many of them stand beside another one. */
function lettersOf(bytes: Uint8Array): { readonly letters: Uint8Array; readonly beside: number } {
  const letters: number[] = [];
  let beside = 0;
  const isHigh = (byte: number | undefined) => byte !== undefined && byte >= 0x80 && !MARKS.has(byte);
  for (const [at, byte] of bytes.entries()) {
    if (!isHigh(byte)) continue;
    const isBeside =
      !OPENING.has(byte) &&
      [bytes[at - 1], bytes[at + 1]].some((next) => isHigh(next) && !OPENING.has(next!));
    if (!isBeside && !isAscii(bytes[at - 1]) && !isAscii(bytes[at + 1])) continue;
    letters.push(byte);
    if (isBeside) beside++;
  }
  return { letters: Uint8Array.from(letters), beside };
}

function cyrillic(bytes: Uint8Array): SingleByteEncoding | undefined {
  for (const [label, common] of CYRILLIC) {
    const letters = decode(bytes, label).match(/\p{Script=Cyrillic}/gu) ?? [];
    const text = letters.join('');
    const lower = text.match(/\p{Ll}/gu)?.length ?? 0;
    const often = text.toLowerCase().match(common)?.length ?? 0;
    const isText = letters.length >= MIN_LETTERS && lower >= letters.length * MIN_LOWER;
    if (isText && often >= letters.length * MIN_COMMON) return label;
  }
  return undefined;
}

/** Share of `letters` that one alphabet has, of the alphabet that has most of them; and how many different ones. */
function bestFit(
  letters: string,
  alphabets: readonly string[],
): { readonly share: number; readonly different: number } {
  let best = { share: 0, different: 0 };
  for (const alphabet of alphabets) {
    const own = [...letters].filter((letter) => alphabet.includes(letter));
    const share = own.length / letters.length;
    if (share > best.share) best = { share, different: new Set(own).size };
  }
  return best;
}

/** Undefined: it cannot be told. Linear; `bytes` are those of a text without pairs of bytes for a letter. */
export function singleByteEncoding(bytes: Uint8Array): SingleByteEncoding | undefined {
  const { letters, beside } = lettersOf(bytes);
  if (letters.length >= MIN_LETTERS && beside > letters.length * MIN_BESIDE) return cyrillic(bytes);
  // What is a letter in no encoding tells nothing of any ("m²").
  const telling = letters.filter((byte) => isLetterSomewhere(byte));
  if (telling.length < MIN_LETTERS) return 'windows-1252';
  let best: { label: SingleByteEncoding; share: number } | undefined;
  for (const [label, alphabets] of CANDIDATES) {
    const { share, different } = bestFit(decode(telling, label).toLowerCase(), alphabets);
    const isEnough = label === 'windows-1252' || different >= MIN_DIFFERENT;
    if (isEnough && share >= MIN_FITTING && share > (best?.share ?? 0)) best = { label, share };
  }
  if (best !== undefined) return best.label;
  return bestFit(decode(telling, 'windows-1252').toLowerCase(), [WESTERN.join('')]).share >=
    MIN_FITTING_WESTERN
    ? 'windows-1252'
    : undefined;
}
