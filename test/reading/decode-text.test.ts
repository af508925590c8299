// What is said of a text whose encoding cannot be told.
import { describe, expect, it } from 'vitest';
import { decodeDocument } from '../../src/reading/decode-text.ts';

describe('a text that is UTF-8 but for a few bytes', () => {
  it('is refused by the line that is to be mended', () => {
    const line = Buffer.from('Der Fährmann grüßt. 灯台が見えます。\n');
    const bytes = Buffer.concat([line, line, Buffer.from([0x81, 0xff]), line]);
    expect(() => decodeDocument(bytes)).toThrow(/^Line 3 has bytes that are no UTF-8.*2 such places/);
  });
});
