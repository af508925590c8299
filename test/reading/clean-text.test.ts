// What is taken out of running text, and what must stay.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText } from '../../src/reading/clean-text.ts';

describe('cleanText', () => {
  it.each([
    ['The of\u00adficial ﬁgure\u200b of ﬂow', 'The official figure of flow'],
    ['As was shown.[12] Others [3, 5–7] disagree [note 2].', 'As was shown. Others disagree.'],
    ['A word¹ and an end.² Then† more‡.', 'A word and an end. Then more.'],
    ['A field of 20 m² holds 10⁶ seeds³.', 'A field of 20 m² holds 10⁶ seeds.'],
    ['The price* is high.', 'The price is high.'],
    ['Two * three', 'Two * three'],
    ['It is *draft* and (*done*), 5 * 3.', 'It is *draft* and (*done*), 5 * 3.'],
    ['Two *words here* and a price* too.', 'Two *words here* and a price too.'],
    ['Press <Enter>, type <your name>, # is a hash.', 'Press <Enter>, type <your name>, # is a hash.'],
    ['The list [a](b) of it [a].', 'The list [a](b) of it.'],
    ['Called *draft* and (*new*), but* not.', 'Called *draft* and (*new*), but not.'],
    ['Use the list [a](b) here, as shown [a].', 'Use the list [a](b) here, as shown.'],
    ['The list (see https://a.example/x?y=1) is long.', 'The list is long.'],
    [
      'A long account of all the ships that were lost is at https://a.example/lost.',
      'A long account of all the ships that were lost is.',
    ],
    ['It is good. More at www.example.com/more.', 'It is good.'],
    ['Write to someone.else@mail.example.org, please.', ''],
    ['Buy it at Example.com or in the shop.', 'Buy it at Example.com or in the shop.'],
    ['Chapters 3/4, and/or 1.5 l at 20 °C', 'Chapters 3/4, and/or 1.5 l at 20 °C'],
    ['Qui ? Moi ! Voici : rien ; fin', 'Qui ? Moi ! Voici : rien ; fin'],
    ['نمی\u200cخواهم', 'نمی\u200cخواهم'],
    ['١ ﻻ', '١ لا'],
    ['½ cup, №\u00a05, ｆｕｌｌ', '½ cup, № 5, ｆｕｌｌ'],
    ['\ud800 lone', 'lone'],
  ])('%j', (text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });

  it('leaves words alone, is done after one go, and never grows', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const clean = cleanText(text);
        expect(clean.length).toBeLessThanOrEqual(text.normalize('NFC').length * 3);
        expect(clean).toBe(clean.trim());
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-zäé]{1,12}$/), { maxLength: 30 }), (words) => {
        expect(cleanText(words.join('  '))).toBe(words.join(' '));
      }),
    );
  });
});
