// Text that is hard to cut, and every way of splitting it. Splits fall between any two UTF-16 units.
import fc from 'fast-check';

const PIECES = [
  'a',
  'Then ',
  'Xo. "',
  'Xo? (',
  'Xo! the ',
  'Xo. ',
  'the ',
  'He said ',
  'Dr',
  '. ',
  '.',
  '..',
  '…',
  '? ',
  '?!',
  '! ',
  '"',
  '“',
  '”',
  "'",
  '(',
  ')',
  ' ',
  '  ',
  '\n',
  '\n\n',
  '\r\n',
  '\r',
  ', ',
  ',',
  '; ',
  ': ',
  ' – ',
  '—',
  '-',
  '3',
  '14',
  '1.',
  'U.S',
  'e.g',
  'No',
  'J',
  'I',
  'p.m',
  'https://ex.am/a_b?c=D',
  'x@y.org',
  'node.js',
  'snake_case',
  '*',
  '**',
  '***',
  '_',
  '__',
  '~~',
  '`',
  '``',
  '```',
  '```js\n',
  '[',
  ']',
  '](',
  '](http://u.rl)',
  '![',
  '<',
  '>',
  '<b>',
  '</b>',
  '<br/>',
  '<break time="1s"/>',
  '<!-- x -->',
  '<http://a.b>',
  '# ',
  '## ',
  '> ',
  '- ',
  '* ',
  '• ',
  '[x] ',
  '| ',
  '|',
  '|---|',
  '---',
  '\\',
  '\\*',
  '😀',
  '👨‍👩‍👧',
  'é',
  '重要',
  '。',
  '」',
  '，',
  'ไทย',
  'नमस्ते',
  '।',
  '؟',
  'A: ',
  'B: ',
  'AB: ',
  'word ',
  'word word word ',
  'x'.repeat(60),
  ' '.repeat(40),
  '!'.repeat(20),
  'long words follow here and there, '.repeat(4),
];

export const hardText = fc
  .array(
    fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(...PIECES) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
    ),
    {
      maxLength: 60,
    },
  )
  .map((pieces) => pieces.join(''));

const cutAt = (text: string, places: readonly number[]): string[] => {
  const cuts = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...cuts].map((from, index) => text.slice(from, cuts[index] ?? text.length));
};

const splitPlaces = fc.option(fc.array(fc.nat({ max: 5000 }), { maxLength: 30 }), { freq: 4 });

/** One of these texts with one of its splits; now and then unit by unit. */
export const splitOf = (texts: fc.Arbitrary<string>): fc.Arbitrary<{ text: string; chunks: string[] }> =>
  fc
    .tuple(texts, splitPlaces)
    .map(([text, places]) => ({ text, chunks: places === null ? text.split('') : cutAt(text, places) }));

/** The same of hard text. */
export const splitText = splitOf(hardText);

/** The same, between code points. */
export const splitPoints = splitText.map(({ text, chunks }) => {
  const whole: string[] = [];
  let half = '';
  for (const chunk of chunks) {
    const all = half + chunk;
    const last = all.charCodeAt(all.length - 1);
    half = last >= 0xd800 && last <= 0xdbff ? all.slice(-1) : '';
    whole.push(half === '' ? all : all.slice(0, -1));
  }
  return { text, chunks: [...whole, half] };
});

export const codePoints = (text: string, start: number, length: number): string =>
  Array.from(text)
    .slice(start, start + length)
    .join('');
