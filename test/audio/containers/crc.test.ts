import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { createCrc } from '../../../src/audio/containers/crc.ts';

describe('crc', () => {
  it('gives the check values that the catalogues have for these polynomials', () => {
    const digits = Buffer.from('123456789');
    expect(createCrc(8, 0x07)(digits, 0, 9)).toBe(0xf4);
    expect(createCrc(16, 0x8005)(digits, 0, 9)).toBe(0xfee8);
    expect(createCrc(32, 0x04c11db7)(digits, 0, 9)).toBe(0x89a1897f);
  });

  it('looks at its part of the bytes only', () => {
    const crc = createCrc(16, 0x8005);
    expect(crc(Buffer.from('xx123456789yy'), 2, 11)).toBe(0xfee8);
    expect(crc(Buffer.from('xx'), 1, 1)).toBe(0);
  });
});
