// Texts that are hard on whoever reads them: repetitions of what opens a mark, of what may end a sentence, of scripts that
// are read otherwise. A scanner that looks ahead again and again, or goes back, is slow on one of them.

const BITS: Readonly<Record<string, string>> = {
  prose: 'The harbour lies behind the market square. Her old neighbour remembers every winter. ',
  'one long word': 'abcdefghij',
  'short words': 'a ',
  spaces: ' ',
  'hard spaces': '\u00a0',
  'line breaks': '\n',
  'blank lines': 'a\n\n',
  'links begun': '[](',
  'square brackets': '[',
  'nested brackets': '[[]',
  'links in links': '[a](((',
  links: '[a](b) ',
  'images begun': '![',
  emphasis: '*a ',
  underscores: '_a',
  backticks: '`a',
  fences: '\n```\n~~~\n',
  'tags begun': '<a b="',
  'angle brackets': '<',
  comments: '<!--',
  tags: '<break time="1s"/>',
  'table rows': '|a|b\n',
  headings: '\n# ',
  bullets: '\n* [ ] a',
  dots: '.',
  abbreviations: 'Dr. ',
  initials: 'J. ',
  numbers: '1.2.',
  'cries and questions': '!?',
  quotes: '“',
  'open brackets': '([{',
  addresses: 'http://a.b/',
  Chinese: '今天天气很好，我们去公园散步。',
  'Chinese, short': '汉。',
  kana: 'ひらがな',
  Korean: '한국어 ',
  Thai: 'สวัสดี ครับ ',
  Khmer: 'សួស្តី',
  Hindi: 'नमस्ते दुनिया। ',
  Arabic: 'مرحبا بالعالم. ',
  Amharic: 'ሰላም፡ዓለም። ',
  accents: '\u0301',
  emoji: '😀',
  'joined emoji': '👩\u200d',
  'halves of pairs': '\ud800',
};

export const HARD_TEXTS: readonly string[] = Object.keys(BITS);

/** The text of this name, `units` UTF-16 units long. */
export function hardText(name: string, units: number): string {
  const bit = BITS[name]!;
  return bit.repeat(Math.ceil(units / bit.length)).slice(0, units);
}

/** The longest text of this name whose JSON takes at most `bytes`, and that has at most `units`. */
export function longestHardText(name: string, bytes: number, units: number): string {
  const sample = hardText(name, 1000);
  const bytesPerUnit = (Buffer.byteLength(JSON.stringify(sample)) - 2) / sample.length;
  return hardText(name, Math.min(units, Math.floor((bytes / bytesPerUnit) * 0.99)));
}
