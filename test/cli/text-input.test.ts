// Every reader through every way in, in every encoding: the same words, or the same refusal.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/cli/command.ts';
import { readTextFile, readWholeInput, textOfInput } from '../../src/cli/text-input.ts';
import { docx, epub, wordXml, zip } from '../reading/hostile-files.ts';
import { allText, readBytes } from '../reading/read-fixture.ts';
import { encodeText } from '../support/encode-text.ts';
import { createFakeTerminal } from '../support/fake-terminal.ts';
import { writePdf } from '../support/pdf-writer.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const folder = scratchFolder('text-input');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const WESTERN = 'Le café était fermé; Müller paid “nothing” for crème brûlée – nobody else came.';
const TEXTS = {
  'utf-8': `${WESTERN} Привет, 灯台.`,
  'utf-16le': `${WESTERN} Привет, 灯台.`,
  'utf-16be': `${WESTERN} Привет, 灯台.`,
  'windows-1252': WESTERN,
  'iso-8859-1': 'Le café était fermé; Müller paid nothing for crème brûlée. Nobody else came.',
  gbk: '灯塔建在岩石上，已经有一百多年的历史。每天晚上，看守人点亮灯火，为过往的船只指明方向。',
  'windows-1250':
    'Latarnia stoi na skale od stu lat; każdego wieczoru latarnik zapala światło i pilnuje, żeby świeciło całą noc.',
  'windows-1251': 'Маяк стоит на скале уже сто лет, и каждый вечер смотритель зажигает огонь для кораблей.',
  'koi8-r': 'Маяк стоит на скале уже сто лет, и каждый вечер смотритель зажигает огонь для кораблей.',
  shift_jis: '灯台は岩の上に建っていて、百年以上の歴史があります。毎晩、灯台守が明かりをともします。',
} as const;

/** A document of each kind that is text, around the same words. */
const KINDS: Readonly<Record<string, (text: string, encoding: string) => string>> = {
  'a.txt': (text) => `${text}\n\n${text}\n`,
  'a.md': (text) => `${text}\n\n${text}\n`,
  'a.csv': (text) => `Nr,Text\n1,"${text}"\n2,"${text}"\n`,
  'a.html': (text, encoding) =>
    `<!doctype html><html><head><meta charset="${encoding}"></head><body><p>${text}</p><p>${text}</p></body></html>`,
};

const inPieces = (bytes: Uint8Array, size: number) =>
  Readable.from(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      Buffer.from(bytes.subarray(i * size, (i + 1) * size)),
    ),
  );
const joined = async (parts: AsyncIterable<string>) => {
  let text = '';
  for await (const part of parts) text += part;
  return text;
};

/** Standard input has no name, which would tell Markdown and a table from a text. */
const WAYS: Readonly<Record<string, (bytes: Uint8Array, name: string) => Promise<string>>> = {
  'playnote, REST, page': async (bytes, name) => allText(await readBytes(bytes.slice(), name)),
  'narrate, job --file': async (bytes, name) => {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return (await readTextFile(createFakeTerminal([]), 'FILE', path)).text;
  },
  'job <': (bytes) => readWholeInput({ ...createFakeTerminal([]), input: inPieces(bytes, 1 << 16) }),
  'say <': (bytes) => joined(textOfInput(inPieces(bytes, 1 << 16))),
  'say < in small pieces': (bytes) => joined(textOfInput(inPieces(bytes, 7))),
};
const words = (text: string) => text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

describe('a text', () => {
  for (const [name, make] of Object.entries(KINDS))
    for (const [encoding, text] of Object.entries(TEXTS))
      it(`${name} in ${encoding}`, async () => {
        const bytes = encodeText(make(text, encoding), encoding);
        for (const [way, read] of Object.entries(WAYS)) {
          const isNamed = !way.includes('<');
          if (name === 'a.csv' && !isNamed) continue;
          const read0 = words(await read(bytes, name)).join(' ');
          const one = words(text).join(' ');
          expect([way, read0]).toEqual([
            way,
            name === 'a.csv' ? `Nr 1 Text ${one} Nr 2 Text ${one}` : `${one} ${one}`,
          ]);
        }
      });

  it('of one encoding is told without a declaration in a page, too', async () => {
    for (const encoding of ['gbk', 'shift_jis', 'windows-1252'] as const) {
      const page = `<!doctype html><html><body><p>${TEXTS[encoding]}</p></body></html>`;
      for (const read of Object.values(WAYS))
        expect(words(await read(encodeText(page, encoding), 'b.html'))).toEqual(words(TEXTS[encoding]));
    }
  });
});

const SAID = 'The tide turns twice a day. Every harbour of the coast lives by it.';
const FILES: Readonly<Record<string, Uint8Array>> = {
  'a.docx': docx(wordXml(`<w:p><w:r><w:t>${SAID}</w:t></w:r></w:p>`)),
  'a.epub': epub([`<html><body><p>${SAID}</p></body></html>`]),
  'a.pdf': writePdf([SAID], { columns: 1, gap: 0 }),
};

describe('a document', () => {
  it.each(Object.entries(FILES))('%s says the same everywhere', async (name, bytes) => {
    for (const [way, read] of Object.entries(WAYS)) {
      expect([way, words(await read(new Uint8Array(bytes), name))]).toEqual([way, words(SAID)]);
      expect([way, words(await read(Buffer.from(bytes), name))]).toEqual([way, words(SAID)]);
    }
  });
});

const GREEK = 'Ο φάρος στέκεται στον βράχο εδώ και εκατό χρόνια και κάθε βράδυ ο φύλακας ανάβει το φως.';
const REFUSED: Readonly<Record<string, Uint8Array>> = {
  'a.png': Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
  'a.rtf': Buffer.from('{\\rtf1 Hello there}'),
  'a.doc': Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old', 'latin1'),
  'a.json': Buffer.from('{"a": [1, 2, 3], "b": "text"}'),
  'a.zip': epub([], 'x').subarray(0, 80),
  'damaged.pdf': Buffer.from('%PDF-1.7\nnothing of a PDF'),
  'a.srt': Buffer.from('1\n00:00:01,000 --> 00:00:04,000\nThe tide turns.\n'),
  'a.vtt': Buffer.from('WEBVTT\n\n00:01.000 --> 00:04.000\nThe tide turns.\n'),
  'a.odt': zip([{ name: 'content.xml', content: Buffer.from('<office:document-content/>') }]),
  'binary.txt': Buffer.from('a\0b\0\0c\x01\x02\x03', 'latin1'),
  'windows-1253.txt': encodeText(GREEK, 'windows-1253'),
};

describe('what cannot be read', () => {
  it.each(Object.entries(REFUSED))('%s is refused in the same words everywhere', async (name, bytes) => {
    const reasonOf = async (way: string) => {
      const thrown: unknown = await WAYS[way]!(new Uint8Array(bytes), name).catch((error: unknown) => error);
      return (thrown as Error).message;
    };
    const reason = await reasonOf('playnote, REST, page');
    expect(reason).toMatch(/^The |^Th(?:is|ese) /);
    for (const way of Object.keys(WAYS).slice(1))
      expect([way, await reasonOf(way)]).toEqual([way, expect.stringContaining(reason)]);
  });

  it('is told with the flag, and a missing file with its code', async () => {
    const missing = readTextFile(createFakeTerminal([]), '--file', join(folder, 'nowhere.txt'));
    await expect(missing).rejects.toThrow(
      /^--file is ".*nowhere\.txt", which cannot be read: no such file or folder \(ENOENT\)$/,
    );
    await expect(missing).rejects.toBeInstanceOf(UsageError);
  });
});

describe('standard input', () => {
  it('is handed on as it comes while it is UTF-8', async () => {
    const parts: string[] = [];
    const bytes = Buffer.from('Tide – and ebb – go on.');
    for await (const part of textOfInput(inPieces(bytes, 6))) parts.push(part);
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.join('')).toBe('Tide – and ebb – go on.');
  });

  it('keeps plain letters that came first, and reads the rest in its encoding', async () => {
    const bytes = encodeText('Plain letters at first, then café and crème.', 'windows-1252');
    expect(await joined(textOfInput(inPieces(bytes, 5)))).toBe(
      'Plain letters at first, then café and crème.',
    );
  });

  it('leaves damaged characters out of what is UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('für alle Gäste '), Buffer.from([0xff]), Buffer.from(' da')]);
    expect(await joined(textOfInput(inPieces(bytes, 4)))).toBe('für alle Gäste  da');
  });

  it('that is empty says nothing', async () => {
    expect(await joined(textOfInput(Readable.from([])))).toBe('');
  });
});
