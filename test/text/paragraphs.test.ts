import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppendedText } from '../../src/text/appended-text.ts';
import { Paragraphs, paragraphsOf } from '../../src/text/paragraphs.ts';
import { WordCount } from '../../src/text/word-count.ts';
import { splitText } from './any-split.ts';

const places = (of: Paragraphs) => Array.from({ length: of.count() }, (_, index) => of.at(index));

describe('the paragraphs of a text', () => {
  it('begin behind blank lines, but not at the end and not at the head', () => {
    const text = '\n\n  One.\n \nTwo 😀.\n\n\t\nThree.\n\n';
    expect(places(paragraphsOf(text)).map(({ unit }) => text.slice(unit).trim().slice(0, 3))).toEqual([
      'One',
      'Two',
      'Thr',
    ]);
    expect(places(paragraphsOf(text))[2]).toEqual({
      unit: text.indexOf('Three'),
      point: text.indexOf('Three') - 1,
    });
  });

  // "\r\n" alone used to be taken for two line ends, so that each line was a paragraph.
  it('are not parted by one line end, however it is written', () => {
    for (const end of ['\n', '\r', '\r\n', '\u2028']) expect(paragraphsOf(`One.${end}Two.`).count()).toBe(1);
    for (const end of ['\n', '\r', '\r\n']) expect(paragraphsOf(`One.${end}${end}Two.`).count()).toBe(2);
  });

  it('are the same for every split, and so are its words and the text', () => {
    fc.assert(
      fc.property(splitText, fc.nat(40), fc.nat(40), ({ text, chunks }, from, length) => {
        const of = new Paragraphs();
        const kept = new AppendedText();
        const [count, whole] = [new WordCount(), new WordCount()];
        whole.read(text);
        for (const chunk of chunks) {
          of.read(chunk);
          kept.append(chunk);
          count.read(chunk);
        }
        expect(places(of)).toEqual(places(paragraphsOf(text)));
        expect(of.codePoints()).toBe([...text].length);
        expect(count.words()).toBe(whole.words());
        expect(kept.slice(from, from + length)).toBe(text.slice(from, from + length));
        expect([kept.text(), kept.length()]).toEqual([text, text.length]);
        expect(kept.slice(from, from + length)).toBe(text.slice(from, from + length));
      }),
    );
  });
});

describe('appended text', () => {
  it('is kept in few pieces, however small they come', () => {
    const kept = new AppendedText();
    let all = '';
    for (let n = 0; n < 20_000; n += 1) {
      const token = `t${n} `;
      kept.append(token);
      all += token;
      if (n % 1000 === 0) expect(kept.slice(all.length - 7, all.length)).toBe(all.slice(-7));
    }
    expect(kept.slice(4000, 9000)).toBe(all.slice(4000, 9000));
    // One byte a character and a little for each piece, not some fifty for each token.
    expect(kept.bytes()).toBeLessThan(all.length * 1.2 + 30_000);
    expect(kept.text()).toBe(all);
    kept.append('日本');
    expect(kept.text()).toBe(`${all}日本`);
    expect(kept.bytes()).toBeGreaterThan(2 * all.length);
  });
});
