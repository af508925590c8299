import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanTags, tagText } from '../../../src/audio/containers/tag-text.ts';

describe('tag text', () => {
  it('keeps what is one line of characters', () => {
    expect(tagText('Größe – 日本語 😀')).toBe('Größe – 日本語 😀');
    expect(tagText('')).toBe('');
  });

  it('makes one line of what is not', () => {
    expect(tagText(' a\r\nb\u0000c\u2028d\u0085 ')).toBe('a b c d');
    expect(tagText('\n\t')).toBe('');
  });

  it('cuts between characters, never inside one', () => {
    expect(tagText('😀'.repeat(300))).toBe('😀'.repeat(250));
    expect(tagText(`${'a'.repeat(249)}😀b`)).toBe(`${'a'.repeat(249)}😀`);
  });

  it('is valid Unicode without control characters, whatever comes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.nat(400), (text, cut) => {
        // Cut anywhere, so that halves of pairs occur.
        const tag = tagText(text.slice(cut) + text.slice(0, cut));
        expect(Buffer.from(tag).toString()).toBe(tag);
        expect(tag).not.toMatch(/\p{Cc}/u);
        expect(Array.from(tag).length).toBeLessThanOrEqual(250);
      }),
    );
    expect(tagText('a\ud800b')).toBe('a\ufffdb');
  });

  it('has no artist where there is nothing to say', () => {
    expect(cleanTags({ title: ' T ', artist: '\n' })).toEqual({ title: 'T', artist: undefined });
    expect(cleanTags({ title: '', artist: 'A' })).toEqual({ title: '', artist: 'A' });
  });
});
