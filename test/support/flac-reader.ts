// A FLAC decoder for the tests, written from RFC 9639 and sharing nothing with the encoder: it reads the bits of
// what Voxgate writes (16-bit mono, fixed prediction) and fails at anything that is not exactly in order.

export type FlacBlock = {
  readonly index: number;
  readonly length: number;
  readonly sampleRate: number;
  readonly subframe: string;
  /** Where the block begins and ends, in bytes of the stream. */
  readonly start: number;
  readonly end: number;
};
export type FlacStream = {
  readonly blockLength: number;
  readonly sampleRate: number;
  readonly totalSamples: number;
  readonly blocks: readonly FlacBlock[];
  readonly samples: Int16Array;
};

const RATES: Record<number, number> = {
  4: 8000,
  5: 16_000,
  6: 22_050,
  7: 24_000,
  8: 32_000,
  9: 44_100,
  10: 48_000,
};
const PREDICTORS = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]];

/** Bit by bit, the slow way: CRC as the long division that it is. */
function remainder(bytes: Uint8Array, width: number, polynomial: number): number {
  let rest = 0;
  for (const byte of bytes)
    for (let bit = 7; bit >= 0; bit--) {
      const out = (rest >> (width - 1)) & 1;
      rest = ((rest << 1) & (2 ** width - 1)) ^ ((out ^ ((byte >> bit) & 1)) === 1 ? polynomial : 0);
    }
  return rest;
}

function expectEqual(what: string, given: unknown, wanted: unknown): void {
  if (given !== wanted) throw new Error(`${what}: ${String(given)} instead of ${String(wanted)}`);
}

export function readFlac(bytes: Uint8Array): FlacStream {
  let at = 0;
  const bit = (): number => {
    const byte = bytes[at >> 3];
    if (byte === undefined) throw new Error('the stream is cut');
    return (byte >> (7 - (at++ & 7))) & 1;
  };
  const unsigned = (width: number): number => {
    let value = 0;
    for (let i = 0; i < width; i++) value = value * 2 + bit();
    return value;
  };
  const signed = (width: number): number => {
    const value = unsigned(width);
    return value >= 2 ** (width - 1) ? value - 2 ** width : value;
  };

  expectEqual('magic', unsigned(32), 0x664c6143);
  expectEqual('block type and length', unsigned(32), 0x80000022);
  const blockLength = unsigned(16);
  expectEqual('largest block', unsigned(16), blockLength);
  expectEqual('frame sizes', unsigned(48), 0);
  const sampleRate = unsigned(20);
  expectEqual('channels', unsigned(3), 0);
  expectEqual('bits', unsigned(5), 15);
  const totalSamples = unsigned(36);
  for (let i = 0; i < 4; i++) expectEqual('MD5', unsigned(32), 0);

  const blocks: FlacBlock[] = [];
  const samples: number[] = [];
  while (at < bytes.length * 8) {
    const start = at / 8;
    expectEqual('sync', unsigned(16), 0xfff8);
    const lengthCode = unsigned(4);
    const rateCode = unsigned(4);
    expectEqual('channels, bits, reserved', unsigned(8), 0b0000_1000);
    let index = unsigned(8);
    if (index >= 0x80) {
      const following = Math.clz32(~(index << 24)) - 1;
      index &= 2 ** (6 - following) - 1;
      for (let i = 0; i < following; i++) {
        expectEqual('number', unsigned(2), 0b10);
        index = index * 64 + unsigned(6);
      }
    }
    expectEqual('block number', index, blocks.length);
    if (lengthCode !== 6 && lengthCode !== 7) throw new Error(`length code ${lengthCode}`);
    const length = unsigned(lengthCode === 6 ? 8 : 16) + 1;
    const rate = rateCode === 12 ? unsigned(8) * 1000 : rateCode === 13 ? unsigned(16) : RATES[rateCode];
    expectEqual('rate', rate, sampleRate);
    const headerEnd = at / 8;
    expectEqual('CRC-8', unsigned(8), remainder(bytes.subarray(start, headerEnd), 8, 0x07));

    expectEqual('zero bit', bit(), 0);
    const type = unsigned(6);
    expectEqual('wasted bits', bit(), 0);
    const block: number[] = [];
    let subframe = 'verbatim';
    if (type === 0) {
      subframe = 'constant';
      block.push(...new Array<number>(length).fill(signed(16)));
    } else if (type === 1) {
      for (let i = 0; i < length; i++) block.push(signed(16));
    } else {
      const order = type - 8;
      const predictor = PREDICTORS[order];
      if (predictor === undefined) throw new Error(`subframe type ${type}`);
      subframe = `fixed ${order}`;
      for (let i = 0; i < order; i++) block.push(signed(16));
      expectEqual('Rice method', unsigned(2), 0);
      const partitions = 2 ** unsigned(4);
      expectEqual('rest of the partitioning', length % partitions, 0);
      if (length / partitions <= order) throw new Error('a partition shorter than the warm-up');
      for (let part = 1; part <= partitions; part++) {
        const parameter = unsigned(4);
        expectEqual('escape', parameter === 15, false);
        while (block.length < (part * length) / partitions) {
          let quotient = 0;
          while (bit() === 0) quotient += 1;
          const folded = quotient * 2 ** parameter + unsigned(parameter);
          const residual = folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
          block.push(predictor.reduce((sum, weight, i) => sum + weight * block.at(-1 - i)!, residual));
        }
      }
    }
    while (at % 8 !== 0) expectEqual('padding', bit(), 0);
    const end = at / 8;
    expectEqual('CRC-16', unsigned(16), remainder(bytes.subarray(start, end), 16, 0x8005));
    for (const sample of block) {
      if (sample < -32_768 || sample > 32_767) throw new Error(`sample ${sample}`);
      samples.push(sample);
    }
    blocks.push({ index, length, sampleRate, subframe, start, end: at / 8 });
  }
  return { blockLength, sampleRate, totalSamples, blocks, samples: Int16Array.from(samples) };
}
