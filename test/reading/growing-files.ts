// Files that grow: each is one pattern that a reader, a gate or a library could take longer than linear for, as large as
// is asked. `scripts/reading-growth.mjs` reads them at three sizes and prints how the time grows.

import { Buffer } from 'node:buffer';
import { deflateSync } from 'node:zlib';
import { docx, epub, pdfPage, stream, wordXml } from './hostile-files.ts';

export type GrowingFile = {
  /** About `bytes` bytes of the pattern. */
  readonly make: (bytes: number) => Uint8Array;
  /** The largest of the three sizes: about what the bounds of its kind let through. */
  readonly maxBytes: number;
  /** As the uploader calls it. */
  readonly name: string;
};

const KB = 1024;
const MB = 1024 * KB;
const text = (value: string) => Buffer.from(value);
const fill = (bytes: number, pattern: string) => pattern.repeat(Math.ceil(bytes / pattern.length));
const count = (bytes: number, line: (i: number) => string) => {
  const lines: string[] = [];
  for (let i = 0, size = 0; size < bytes; i++) {
    const next = line(i);
    lines.push(next);
    size += next.length;
  }
  return lines.join('');
};
const WORDS = 'The tide comes in and goes out again. ';
/** A page that begins and ends as given, with a pattern between. */
const page =
  (pattern: string, before = '', after = '') =>
  (bytes: number) =>
    text(`<!doctype html><html><body><p>${WORDS.repeat(3)}</p>${before}${fill(bytes, pattern)}${after}`);
const plain =
  (pattern: string, before = '', after = '') =>
  (bytes: number) =>
    text(`${before}${fill(bytes, pattern)}${after}`);
const numbered =
  (line: (i: number) => string, before = '') =>
  (bytes: number) =>
    text(before + count(bytes, line));

const file = (name: string, maxBytes: number, make: GrowingFile['make']): GrowingFile => ({
  name,
  maxBytes,
  make,
});
const html = (maxBytes: number, make: GrowingFile['make']) => file('a.html', maxBytes, make);
const txt = (maxBytes: number, make: GrowingFile['make']) => file('a.txt', maxBytes, make);
const markdown = (maxBytes: number, make: GrowingFile['make']) => file('a.md', maxBytes, make);
const csv = (maxBytes: number, make: GrowingFile['make']) => file('a.csv', maxBytes, make);
const pdf = (maxBytes: number, make: GrowingFile['make']) => file('a.pdf', maxBytes, make);
const word = (maxBytes: number, make: GrowingFile['make']) => file('a.docx', maxBytes, make);
const book = (maxBytes: number, make: GrowingFile['make']) => file('a.epub', maxBytes, make);

const pdfHead = '%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n';
const latin1 = (value: string) => Buffer.from(value, 'latin1');
/** One page whose content is `pattern`, again and again. */
const pdfContent =
  (pattern: (i: number) => string, after = '') =>
  (bytes: number) =>
    pdfPage(
      stream(deflateSync(text(`BT /F 9 Tf ${count(bytes, pattern)} ET ${after}`)), '/Filter /FlateDecode'),
    );
const at = (x: number, y: number) => `1 0 0 1 ${x} ${y} Tm`;
const wordText = (value: string) => `<w:p><w:r><w:t xml:space="preserve">${value}</w:t></w:r></w:p>`;

export const GROWING: Readonly<Record<string, GrowingFile>> = {
  'sniff: comments before HTML': html(4 * KB, plain('<!---->')),
  'sniff: XML declarations before HTML': html(4 * KB, plain('<?xml><!-- -->')),
  'sniff: JSON': txt(48 * MB, plain('[1],', '[', '1]')),
  'sniff: lines that may be JSON': txt(7_900 * KB, plain('{"a":1}}', '', '\n')),
  'decode: marks in descending order': txt(7_900 * KB, (bytes) =>
    text(`a${fill(bytes / 4, '\u0315')}${fill(bytes / 4, '\u0300')} b`),
  ),
  'decode: declarations': html(7_900 * KB, plain('<meta ', '<html>')),
  'text: one paragraph of broken lines': txt(
    1_900 * KB,
    numbered((i) => `the tide comes in and then out again ${i}\n`),
  ),
  'text: one paragraph of divided words': txt(
    1_900 * KB,
    numbered((i) => `the tide comes in and goes ${i} out-\n`),
  ),
  'text: underlined headings': txt(600 * KB, plain('a\n---\n')),
  'text: items in one part': txt(600 * KB, plain('- a b c\n')),
  'text: blanks': txt(7_900 * KB, plain('\n \t ')),
  'text: blanks before an end': txt(7_900 * KB, plain(' ', '- ', '\n')),
  'text: signs before a letter': txt(1_900 * KB, plain('=', 'A line of words\n', 'x')),
  'text: signs that part words': txt(1_900 * KB, plain('-- a', 'A line of words\n', 'x')),
  'text: headings in steps': txt(4 * MB, (bytes) =>
    text(Array.from({ length: Math.sqrt(bytes) }, (_, i) => `${' '.repeat(2 * i)}THE TIDE\n`).join('')),
  ),
  'text: a term without an end': txt(1_900 * KB, plain('-a', '', '\n        What it means.\n')),
  'text: explanations of one long term': txt(
    1_900 * KB,
    plain('        The tide comes in and goes out again.\n\n', `-${'a'.repeat(4_000)}\n`),
  ),
  'html: explanations of one long term': html(
    1 * MB,
    page('<dd>The tide comes in and goes out again.</dd>', `<dl><dt>${'a '.repeat(2_000)}</dt>`),
  ),
  'clean: schemes without an address': txt(1_900 * KB, plain('tel:<', '', ' x')),
  'clean: stops in an address': txt(1_900 * KB, plain('.', 'http://a', 'a b.')),
  'clean: stops after an address': txt(1_900 * KB, plain('.', 'http://a ', 'a b.')),
  'clean: addresses in one sentence': txt(1_900 * KB, plain('a http://a ')),
  'clean: colons before addresses': txt(1_900 * KB, plain(': ', 'http://a ', 'x http://a')),
  'clean: brackets after an address': txt(1_900 * KB, plain('(', 'http://a ')),
  'clean: marks in a bracket': txt(1_900 * KB, plain(' †', '(')),
  'clean: names of hosts': txt(1_900 * KB, plain('a-')),
  'clean: long names of hosts': txt(1_900 * KB, plain(`${'a-'.repeat(31)}.`)),
  'clean: senders': txt(1_900 * KB, plain('a.b@a.')),
  'clean: notes': txt(1_900 * KB, plain('[1,1')),
  'clean: stars': txt(1_900 * KB, plain('a*')),
  'clean: forms of letters': txt(1_900 * KB, plain('\ufdfa')),
  'clean: Arabic': txt(1_900 * KB, plain('صلى الله عليه وسلم ')),
  'clean: numbers of articles': txt(1_900 * KB, plain('10.1111')),
  'clean: marks divided by what is invisible': txt(1_900 * KB, (bytes) =>
    text(`a${fill(bytes / 5, '\u0315\u200b')}${fill(bytes / 5, '\u0300\u200b')} b`),
  ),
  'trim: ends of scripts without an end': html(7_900 * KB, page('</script ', '<script>')),
  'trim: ends of styles, upper case': html(7_900 * KB, page('</STYLE x', '<style>')),
  'trim: quotes of two kinds': html(7_900 * KB, page(`<a b='><a b=">`)),
  'trim: brackets and signs': html(7_900 * KB, page('<!')),
  'trim: parts of CDATA': html(7_900 * KB, page('<![CDATA[x]]>')),
  'trim: ends of what is not open': html(1 * MB, page('</b>', '<i>'.repeat(390))),
  'html: clutter': html(1 * MB, page('<p class=share>a b</p>')),
  'html: captions of figures': html(800 * KB, page('<figcaption>a</figcaption>', '<figure>')),
  'html: raised marks in one paragraph': html(1 * MB, page('abcdefg<sup>1</sup>', '<p>')),
  'html: inline elements in one paragraph': html(1 * MB, page('abcdefg <b>a</b>', '<p>')),
  'html: notes in one element': html(
    1 * MB,
    numbered((i) => `<a id=n${i} href=#n${i}>1</a> `, '<!doctype html><html><body><p>'),
  ),
  'html: notes in a long text': html(
    4 * MB,
    numbered((i) => `<a id=n${i} href=#n${i}>1</a> ${WORDS.repeat(5)}`, '<!doctype html><html><body><p>'),
  ),
  'html: links in links around a text': html(7_900 * KB, page(' ', '<a href=#a>'.repeat(390))),
  'html: elements around a text': html(1_900 * KB, page(WORDS, '<div>'.repeat(390))),
  'html: a title in lines': html(7_900 * KB, (bytes) =>
    text(
      `<!doctype html><html><head><title>a - b\n${fill(bytes, 'x')}</title></head><body><p>${WORDS.repeat(30)}`,
    ),
  ),
  'html: attributes with names of their own': html(
    8 * MB,
    page(`<p ${count(3_900, (i) => `a${i.toString(36)} `)}>a b`),
  ),
  'html: attributes of one element': html(
    4 * KB,
    numbered((i) => `a${i.toString(36)} `, '<!doctype html><html><body><p '),
  ),
  'html: rows of one table': html(1 * MB, page('<tr><td>a</td><td>b</td></tr>', '<table>')),
  'html: tables in tables': html(1 * MB, page('<tr><td>a</td></tr>', '<table><tr><td>'.repeat(130))),
  'html: lists': html(1 * MB, page('<li>a b', '<ul>')),
  'html: beginnings of pages': html(7_900 * KB, plain('<html ', '<!doctype html>')),
  'html: ends of heads': html(7_900 * KB, page('</head ')),
  'html: brackets in values': html(7_900 * KB, page(`<p title="${'<body '.repeat(600)}">`)),
  'html: signs that stand for others': html(100 * KB, page('&amp; ')),
  'html: words in spans': html(1 * MB, page('<span>tide </span>')),
  'html: paragraphs to judge': html(300 * KB, page(`<div><p>${WORDS}</p></div>`)),
  'html: long paragraphs to judge': html(1_900 * KB, page(`<div><p>${WORDS.repeat(10)}</p></div>`)),
  'html: breaks': html(400 * KB, page('a<br>')),
  'html: breaks to judge': html(48 * KB, page('a<br><br>')),
  'html: many classes': html(7_900 * KB, page(`<p class="${'_meta'.repeat(700)}x">a`)),
  'html: many spaces': html(7_900 * KB, page(' ', '<p>a', 'b')),
  'html: styles': html(7_900 * KB, page(`<p style="${'display '.repeat(480)}">a`)),
  'markdown: notes in the line': markdown(7_900 * KB, plain('^[')),
  'markdown: marks of notes': markdown(7_900 * KB, plain('[^')),
  'markdown: open links': markdown(19 * KB, plain('[](')),
  'markdown: open pictures': markdown(19 * KB, plain('![a](<b')),
  'markdown: titles of links': markdown(1 * MB, plain('[a](b "')),
  'markdown: angles': markdown(20 * KB, plain('<a ')),
  'markdown: declarations': markdown(20 * KB, plain('<!a ')),
  'markdown: comments': markdown(20 * KB, plain('<!-- ')),
  'markdown: questions': markdown(20 * KB, plain('<? ')),
  'markdown: senders': markdown(1_900 * KB, plain('a.b@a.')),
  'markdown: addresses': markdown(1_900 * KB, plain('https://a.a.a')),
  'markdown: an address of underscores': markdown(1_900 * KB, plain('a_', 'http://')),
  'markdown: an address of stops': markdown(1_900 * KB, plain('.', 'http://a.b/')),
  'markdown: an address of entities': markdown(200 * KB, plain('&a', 'http://a.b/')),
  'markdown: letters before a colon': markdown(1_900 * KB, plain('a')),
  'markdown: one line of spaces': markdown(1_900 * KB, plain(' ', 'a', 'b')),
  'markdown: spaces before the end': markdown(1_900 * KB, plain(' ', 'a')),
  'markdown: hashes': markdown(1_900 * KB, plain('#', '# a ')),
  'markdown: spaces in a heading': markdown(1_900 * KB, plain(' ', '# a', 'b')),
  'markdown: lines of a paragraph': markdown(300 * KB, plain('ab cd \n')),
  'markdown: quotes with space': markdown(300 * KB, plain('> > > > > > > > > x\n\n')),
  'markdown: lazy quotes': markdown(400 * KB, plain('> a\nb\n')),
  'markdown: items of lists': markdown(60 * KB, plain('- a\n')),
  'markdown: items of lists with gaps': markdown(60 * KB, plain('- a\n\n')),
  'markdown: items with text below': markdown(100 * KB, plain('- a\n  b\n')),
  'markdown: one item of many lines': markdown(300 * KB, plain('  ab\n', '- a\n')),
  'markdown: numbers of items': markdown(90 * KB, plain('1. a\n')),
  'markdown: tabs': markdown(1_900 * KB, plain('\t', '- a\n', 'b')),
  'markdown: code that never ends': markdown(300 * KB, plain('a\n', '```\n')),
  'markdown: fences': markdown(200 * KB, plain('```\n')),
  'markdown: code by indent': markdown(300 * KB, plain('    a\n')),
  'markdown: ticks of growing length': markdown(
    300 * KB,
    numbered((i) => `${'`'.repeat(i + 1)} `),
  ),
  'markdown: escapes and brackets': markdown(24 * KB, plain('\\[')),
  'markdown: definitions': markdown(
    200 * KB,
    numbered((i) => `[a${i}]: b\n`),
  ),
  'markdown: a definition that never ends': markdown(1_900 * KB, plain('a\\', '[')),
  'markdown: words with underscores': markdown(30 * KB, plain('a_b')),
  'markdown: tildes': markdown(30 * KB, plain('~a ')),
  'markdown: lines of equals': markdown(300 * KB, plain('a\n===\n')),
  'markdown: rules': markdown(1_900 * KB, plain('- ', '', 'x')),
  'markdown: stars with spaces': markdown(1_900 * KB, plain('* ', '', 'x')),
  'markdown: a head in front': markdown(1_900 * KB, plain('title: a\n', '---\n')),
  'csv: quotes': csv(1_900 * KB, plain('"', 'a,b\n')),
  'csv: quoted cells': csv(1 * MB, plain('"a","b"\n')),
  'csv: quotes in cells': csv(1 * MB, plain('a"b"c,"d"\n')),
  'csv: one long cell': csv(190 * KB, plain('x', 'a,b\n1,')),
  'csv: one long quoted cell': csv(190 * KB, plain('x ', 'a,b\n1,"', '"\n')),
  'csv: spaces': csv(1_900 * KB, plain(' ', 'a,b\n')),
  'csv: empty lines': csv(4 * MB, plain('\n', 'a,b\n', '1,2\n')),
  'csv: figures': csv(300 * KB, plain('1', 'a,b\n')),
  'pdf: keywords of streams': pdf(45 * MB, plain('stream\n', pdfHead)),
  'pdf: streams and objects': pdf(45 * MB, plain('obj<<>>stream\nendstream\n', pdfHead)),
  'pdf: streams of noise': pdf(45 * MB, (bytes) => latin1(pdfHead + fill(bytes, 'stream\nx\x9c'))),
  'pdf: small streams': pdf(45 * MB, (bytes) =>
    latin1(
      pdfHead +
        fill(
          bytes,
          `obj<</Filter/FlateDecode>>stream\n${deflateSync(text('q')).toString('latin1')}\nendstream\n`,
        ),
    ),
  ),
  'pdf: streams that break late': pdf(6 * MB, (bytes) =>
    latin1(
      pdfHead +
        fill(
          bytes,
          `stream\n${deflateSync(Buffer.alloc(30 * MB))
            .subarray(0, -40)
            .toString('latin1')}\xff\xff\xff\nendstream\n`,
        ),
    ),
  ),
  'pdf: LZW of clear codes': pdf(45 * MB, (bytes) => {
    const codes = Buffer.alloc(9);
    for (let i = 0; i < 8; i++) codes[i] = (0x80 >> i) | 0;
    return latin1(
      pdfHead +
        fill(bytes / 2, 'obj<</Filter/LZWDecode>>stream\n') +
        fill(bytes / 2, codes.toString('latin1', 0, 9)),
    );
  }),
  'pdf: a long filter': pdf(
    45 * MB,
    plain(`obj<</Filter[/${'a'.repeat(3_900)}>>stream\nendstream\n`, pdfHead),
  ),
  'pdf: pictures': pdf(45 * MB, plain('obj<</Subtype/Image>>stream\nendstream\n', pdfHead)),
  'pdf: pictures without an end': pdf(45 * MB, plain('obj<</Subtype/Image>>\nstrea\n', pdfHead, 'stream\n')),
  'pdf: escapes in names': pdf(12 * MB, plain(`obj<<${'/#41'.repeat(1_000)}>>stream\nendstream\n`, pdfHead)),
  'pdf: trailers': pdf(6 * MB, plain('trailer /Encrypt 1 ', pdfHead)),
  'pdf: objects': pdf(
    8 * MB,
    numbered((i) => `${i + 9} 0 obj\n<<>>\nendobj\n`, pdfHead),
  ),
  'pdf: marks on one page': pdf(
    1500 * KB,
    pdfContent((i) => `${at(i % 600, (i * 7) % 800)} (1) Tj `),
  ),
  'pdf: words on one page': pdf(
    1500 * KB,
    pdfContent((i) => `${at((i * 13) % 600, (i * 7) % 800)} (tide) Tj `),
  ),
  'pdf: pieces of one line': pdf(
    1500 * KB,
    pdfContent((i) => `${at(i * 5, 700)} (ab) Tj `),
  ),
  'pdf: pieces of one line far apart': pdf(
    1500 * KB,
    pdfContent((i) => `${at(i * 50, 700)} (ab) Tj `),
  ),
  'pdf: sizes': pdf(
    1500 * KB,
    pdfContent((i) => `${i + 1} 0 0 ${i + 1} 5 ${i * 9} Tm (Tide ab) Tj `),
  ),
  'pdf: a page without edges': pdf(
    300 * KB,
    pdfContent((i) => `${at(i % 2 === 0 ? -(10 ** 9) : 10 ** 9, i)} (a b c) Tj `),
  ),
  'pdf: a long string': pdf(
    1500 * KB,
    pdfContent(() => 'abcdefgh '.repeat(10)),
  ),
  'docx: runs of a paragraph': word(3 * MB, (bytes) =>
    docx(wordXml(`<w:p>${varied(bytes, '<w:r><w:t>@ b </w:t></w:r>')}</w:p>`)),
  ),
  'docx: hidden runs': word(3 * MB, (bytes) =>
    docx(wordXml(`<w:p>${varied(bytes, '<w:r><w:rPr><w:vanish/></w:rPr><w:t>@ b </w:t></w:r>')}</w:p>`)),
  ),
  'docx: runs in hidden runs': word(600 * KB, (bytes) =>
    docx(wordXml(`<w:p><w:r><w:rPr><w:vanish/></w:rPr>${fill(bytes, '<w:r w:a="b" ')}</w:r></w:p>`)),
  ),
  'docx: paragraphs': word(3 * MB, (bytes) => docx(wordXml(varied(bytes, wordText('@ b c. '))))),
  'docx: items': word(1 * MB, (bytes) =>
    docx(
      wordXml(
        fill(
          bytes,
          '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>@ b</w:t></w:r></w:p>',
        ),
      ),
    ),
  ),
  'docx: links': word(3 * MB, (bytes) =>
    docx(
      wordXml(
        `<w:p>${varied(bytes, '<w:hyperlink w:anchor="a"><w:r><w:t>@</w:t></w:r></w:hyperlink>')}</w:p>`,
      ),
    ),
  ),
  'docx: fields': word(3 * MB, (bytes) =>
    docx(
      wordXml(
        `<w:p>${varied(bytes, '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>HYPERLINK "a"</w:instrText></w:r>')}</w:p>`,
      ),
    ),
  ),
  'docx: an instruction of a field': word(3 * MB, (bytes) =>
    docx(
      wordXml(
        `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>${varied(bytes, ' HYPERLINK ')}</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>x</w:t></w:r></w:p>`,
      ),
    ),
  ),
  'docx: bookmarks': word(3 * MB, (bytes) =>
    docx(wordXml(`<w:p>${varied(bytes, '<w:bookmarkStart w:name="@"/>')}<w:r><w:t>@</w:t></w:r></w:p>`)),
  ),
  'docx: rows': word(3 * MB, (bytes) =>
    docx(
      wordXml(
        `<w:tbl>${varied(bytes, `<w:tr><w:tc>${wordText('@')}</w:tc><w:tc>${wordText('b')}</w:tc></w:tr>`)}</w:tbl>`,
      ),
    ),
  ),
  'docx: cells that go on below': word(3 * MB, (bytes) =>
    docx(
      wordXml(
        `<w:tbl>${varied(bytes, `<w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr>${wordText('@')}</w:tc><w:tc>${wordText('b')}</w:tc></w:tr>`)}</w:tbl>`,
      ),
    ),
  ),
  'docx: notes': word(3 * MB, (bytes) =>
    docx(
      wordXml(
        `<w:p>${count(bytes, (i) => `<w:r><w:t>@</w:t><w:footnoteReference w:id="${i}"/></w:r>`)}</w:p>`,
      ),
      [
        {
          name: 'word/footnotes.xml',
          content: text(
            `<?xml version="1.0"?><w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${count(bytes, (i) => `<w:footnote w:id="${i}">${wordText('n')}</w:footnote>`)}</w:footnotes>`,
          ),
        },
      ],
    ),
  ),
  'docx: styles': word(3 * MB, (bytes) =>
    docx(wordXml(varied(bytes, wordText('@ b c. '))), [
      {
        name: 'word/styles.xml',
        content: text(
          `<?xml version="1.0"?><w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${count(bytes, (i) => `<w:style w:type="paragraph" w:styleId="s${i}"><w:name w:val="n${i}"/></w:style>`)}</w:styles>`,
        ),
      },
    ]),
  ),
  'docx: types that are declared': word(20 * MB, (bytes) =>
    docx(wordXml(wordText('a')).replace('</w:document>', `</w:document><!--${noise(bytes, '<!DOCTYP ')}-->`)),
  ),
  'docx: languages': word(2 * MB, (bytes) =>
    docx(wordXml(`<!--${noise(bytes, '<w:lang ')}-->${wordText('a')}`)),
  ),
  'xml: types that are declared': book(4 * MB, (bytes) =>
    epub([`<html><body><p>a</p></body></html>${noise(bytes, '<!DOCTYPE')}`]),
  ),
  'epub: chapters that are protected': book(1500 * KB, (bytes) =>
    epub(['<p>a</p>'], undefined, [{ name: 'META-INF/encryption.xml', content: text(noise(bytes, '"b" ')) }]),
  ),
  'epub: chapters that are named': book(1500 * KB, (bytes) => {
    const names = Math.floor(bytes / 90);
    const all = (line: (i: number) => string) => Array.from({ length: names }, (_, i) => line(i)).join('');
    return epub(
      ['<p>a</p>'],
      `<package><manifest>${all((i) => `<item id="i${i}" href="${i}" media-type="text/html"/>`)}</manifest><spine>${all((i) => `<itemref idref="i${i}"/>`)}</spine></package>`,
      [{ name: 'META-INF/encryption.xml', content: text(noise(bytes, '"b" ')) }],
    );
  }),
  'epub: beginnings of bodies': book(4 * MB, (bytes) => epub([noise(bytes, '<body ')])),
  'epub: chapters': book(1 * MB, (bytes) =>
    epub(
      Array.from(
        { length: Math.min(1_900, Math.ceil(bytes / 550)) },
        (_, i) => `<html><body><p>${WORDS}${i}</p></body></html>`,
      ),
    ),
  ),
};

/** A pattern that hardly shrinks, so that no bound on the ratio of an archive stops it. */
function noise(bytes: number, pattern: string): string {
  let state = 1;
  return count(bytes, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return pattern + state.toString(36);
  });
}

/** A pattern again and again, each `@` another word, so that it hardly shrinks. */
function varied(bytes: number, pattern: string): string {
  let state = 1;
  const word = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state.toString(36);
  };
  return count(bytes, () => pattern.replaceAll('@', word));
}
