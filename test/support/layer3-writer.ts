// Frames of MPEG audio Layer III written by hand, bit by bit: what no encoder gives, but the standard allows. Code words
// come from the decoder's own table, which is held against mpg123 by what both make of these frames.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseMp3Header } from '../../src/audio/mp3/mp3-header.ts';

export type Layer3Granule = {
  readonly gain: number;
  readonly blockType: 0 | 1 | 2 | 3;
  readonly isMixed: boolean;
  /** All the same; two where the block type is not 0. */
  readonly tables: readonly number[];
  /** region0_count and region1_count; only of block type 0. */
  readonly regions: readonly [number, number];
  readonly subblockGains: readonly number[];
  /** preflag, scalefac_scale. */
  readonly hasPreemphasis: boolean;
  readonly isCoarse: boolean;
  readonly form: number;
  /** Values of the scale factors and how many bits each has. */
  readonly factors: readonly (readonly [value: number, bits: number])[];
  /** An even number. */
  readonly bigValues: readonly number[];
  /** Each a quadruple of −1, 0, 1, and their table. */
  readonly quadruples: readonly (readonly number[])[];
  readonly quadrupleTable: 0 | 1;
};

export type Layer3Frame = {
  /** The four bytes of the header. */
  readonly word: number;
  /** Of each channel, four bits; only MPEG-1. */
  readonly shared: readonly number[];
  /** By granule, then by channel. */
  readonly granules: readonly (readonly Layer3Granule[])[];
};

type Code = { readonly bits: number; readonly length: number };

const source = readFileSync(join(import.meta.dirname, '../../wasm/layer3/huffman-codes.ts'), 'utf8');
const codes = new Map<string, Map<number, Code>>();
for (const [, name, list] of source.matchAll(/CODES_(\w+): usize = memory\.data<u16>\(\[([^\]]*)\]/g)) {
  const table = new Map<number, Code>();
  let next = 0; // in units of 2^(−19)
  for (const item of list!.matchAll(/0x[0-9a-f]{4}/g)) {
    const entry = Number(item[0]);
    const length = entry >> 8;
    table.set(entry & 0xff, { bits: next >> (19 - length), length });
    next += 1 << (19 - length);
  }
  if (next !== 1 << 19) throw new Error(`table ${name} is no whole code`);
  codes.set(name!, table);
}

export const LINEAR_BITS = [
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 6, 8, 10, 13, 4, 5, 6, 7, 8, 9, 11, 13,
];
/** The greatest value that a table has without linear bits. */
export const GREATEST = [
  0, 1, 2, 2, 0, 3, 3, 5, 5, 5, 7, 7, 7, 15, 0, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
  15, 15,
];
const nameOf = (table: number): string => (table >= 24 ? '24' : table >= 16 ? '16' : `${table}`);

/** A string of zeros and ones: slow and plain. */
const binary = (value: number, length: number): string =>
  length === 0 ? '' : value.toString(2).padStart(length, '0');
const signOf = (value: number): string => (value === 0 ? '' : value < 0 ? '1' : '0');

function pairBits(table: number, x: number, y: number): string {
  if (table === 0) return '';
  const [a, b] = [Math.min(Math.abs(x), 15), Math.min(Math.abs(y), 15)];
  const code = codes.get(nameOf(table))!.get((a << 4) | b)!;
  const linear = (value: number) =>
    Math.abs(value) < 15 ? '' : binary(Math.abs(value) - 15, LINEAR_BITS[table]!);
  return binary(code.bits, code.length) + linear(x) + signOf(x) + linear(y) + signOf(y);
}

function quadrupleBits(table: 0 | 1, values: readonly number[]): string {
  const index = values.reduce((sum, value) => sum * 2 + Math.abs(value), 0);
  const code = codes.get('QUADRUPLES')!.get(index)!;
  const word = table === 1 ? binary(15 - index, 4) : binary(code.bits, code.length);
  return word + values.map(signOf).join('');
}

function mainData(granule: Layer3Granule): string {
  const parts = granule.factors.map(([value, length]) => binary(value, length));
  for (let line = 0; line < granule.bigValues.length; line += 2)
    parts.push(pairBits(granule.tables[0]!, granule.bigValues[line]!, granule.bigValues[line + 1]!));
  for (const quadruple of granule.quadruples) parts.push(quadrupleBits(granule.quadrupleTable, quadruple));
  return parts.join('');
}

function sideInfo(granule: Layer3Granule, length: number, isMpeg1: boolean): string {
  const isSwitched = granule.blockType !== 0;
  const tables = granule.tables.map((table) => binary(table, 5)).join('');
  return [
    binary(length, 12),
    binary(granule.bigValues.length / 2, 9),
    binary(granule.gain, 8),
    binary(granule.form, isMpeg1 ? 4 : 9),
    isSwitched ? '1' : '0',
    isSwitched
      ? binary(granule.blockType, 2) +
        (granule.isMixed ? '1' : '0') +
        tables +
        granule.subblockGains.map((gain) => binary(gain, 3)).join('')
      : tables + binary(granule.regions[0], 4) + binary(granule.regions[1], 3),
    isMpeg1 ? (granule.hasPreemphasis ? '1' : '0') : '',
    granule.isCoarse ? '1' : '0',
    `${granule.quadrupleTable}`,
  ].join('');
}

/** A frame that needs nothing of those before; undefined when it has no room for so much. */
export function writeLayer3Frame({ word, shared, granules }: Layer3Frame): Uint8Array | undefined {
  const header = parseMp3Header(word)!;
  const isMpeg1 = header.version === 1;
  const channels = granules[0]!;
  const begin = isMpeg1
    ? binary(0, 9) + binary(0, header.channels === 1 ? 5 : 3) + shared.map((bits) => binary(bits, 4)).join('')
    : binary(0, 8) + binary(0, channels.length);
  const bodies = granules.map((granule) => granule.map(mainData));
  if (bodies.flat().some((body) => body.length > 4095)) return undefined;
  const sides = granules.flatMap((granule, i) =>
    granule.map((channel, k) => sideInfo(channel, bodies[i]![k]!.length, isMpeg1)),
  );
  const crc = header.hasCrc ? binary(0xc0de, 16) : '';
  const bits = binary(word, 32) + crc + begin + sides.join('') + bodies.flat().join('');
  if (bits.length > header.frameBytes * 8) return undefined;
  const frame = new Uint8Array(header.frameBytes);
  for (let i = 0; i < bits.length; i++) if (bits[i] === '1') frame[i >> 3]! |= 128 >> (i & 7);
  return frame;
}
