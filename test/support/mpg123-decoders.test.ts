import { describe, expect, it } from 'vitest';
import type { Mp3Frame } from '../../src/audio/mp3/mp3-frame-parser.ts';
import { decodeFrame, framesOf, peakOf } from './mp3-fixtures.ts';
import { createMpg123Decoders, loadMpg123Decoders } from './mpg123-decoders.ts';
import { loadMpg123 } from './mpg123-instance.ts';

describe('instances of mpg123', () => {
  const [{ bytes }] = framesOf('ffmpeg-live-24k.mp3') as [Mp3Frame];

  it('are shared by 32 streams each', async () => {
    const decoders = await loadMpg123Decoders();
    const many = Array.from({ length: 200 }, () => decoders.open());
    expect([decoders.live(), decoders.instances()]).toEqual([200, 7]);
    for (const decoder of many) decoder.close();
    expect([decoders.live(), decoders.instances()]).toEqual([0, 1]);
  });

  it('take handles back: ten thousand streams need one', async () => {
    const decoders = await loadMpg123Decoders();
    for (let i = 0; i < 10_000; i++) {
      const decoder = decoders.open();
      if (i % 100 === 0) decodeFrame(decoder, bytes);
      decoder.close();
      decoder.close();
    }
    expect([decoders.live(), decoders.instances()]).toEqual([0, 1]);
  });
});

describe('with another mpg123', () => {
  const [{ bytes }] = framesOf('ffmpeg-live-24k.mp3') as [Mp3Frame];

  /** Instances whose next answers the test decides. */
  const scripted = (script: { fill?: number; samples?: number; trap?: number; capacity?: number } = {}) => {
    const closed: number[] = [];
    let made = 0;
    const decoders = createMpg123Decoders(() => {
      const name = made++;
      let opened = 0;
      const output = new Float32Array(2304);
      return {
        input: new Uint8Array(2048),
        output,
        open: () => (opened < (script.capacity ?? 100) ? name * 1000 + opened++ : undefined),
        close: (handle) => closed.push(handle),
        decode() {
          if (name === script.trap) throw new Error('unreachable');
          output.fill(script.fill ?? 0.5);
          return script.samples ?? 576;
        },
      };
    });
    return { decoders, closed, made: () => made, script };
  };

  describe('decides by the side information what mpg123 may see', () => {
    const live = framesOf('ffmpeg-live-24k.mp3').map((frame) => frame.bytes);
    const sideInfo = (frame: Uint8Array) => [...frame.subarray(4, 13)];
    const empty = sideInfo(new Uint8Array(13));
    /** The side information that reaches mpg123 for each frame; undefined marks a gap. */
    const seen = (frames: readonly (Uint8Array | undefined)[]) => {
      const side: number[][] = [];
      const input = new Uint8Array(2048);
      const output = new Float32Array(2304);
      const decode = () => {
        side.push(sideInfo(input));
        return 576;
      };
      const decoder = createMpg123Decoders(() => ({
        input,
        output,
        open: () => 1,
        close() {},
        decode,
      })).open();
      for (const frame of frames) {
        if (frame === undefined) decoder.gap();
        else decodeFrame(decoder, frame);
      }
      return side;
    };
    const changed = (frame: Uint8Array, change: (bytes: Uint8Array) => void) => {
      const copy = frame.slice();
      change(copy);
      return copy;
    };

    it('passes every frame of a whole stream on', () => {
      for (const name of [
        'ffmpeg-live-24k.mp3',
        'lame-vbr-24k.mp3',
        'ffmpeg-piped-24k.mp3',
        'lame-cbr-24k.mp3',
      ]) {
        const frames = framesOf(name).map((frame) => frame.bytes);
        expect(seen(frames)).toEqual(frames.map(sideInfo));
      }
    });

    it('empties what reaches into bodies that were lost, until the reservoir is filled again', () => {
      const after = live.slice(31);
      const side = seen([...live.slice(0, 30), undefined, ...after]).slice(30);
      const begins = after.map((frame) => frame[4]!);
      const firstWhole = side.findIndex((bytes) => bytes[0] !== 0);
      expect(begins[0]).toBeGreaterThan(0);
      expect(side[0]).toEqual(empty);
      expect(firstWhole).toBeGreaterThan(0);
      expect(firstWhole).toBeLessThan(8);
      expect(side.slice(firstWhole)).toEqual(after.slice(firstWhole).map(sideInfo));
    });

    it.each([
      // In the side information of MPEG-2 mono: bits 9–20 part2_3_length, 21–29 big_values,
      // 47 window_switching_flag, 48–49 block_type.
      [
        'more bits than there are',
        (bytes: Uint8Array) => {
          bytes[5] = bytes[5]! | 0x7f;
          bytes[6] = bytes[6]! | 0xf8;
        },
      ],
      [
        'more big values than a granule has',
        (bytes: Uint8Array) => {
          bytes[6] = bytes[6]! | 7;
          bytes[7] = bytes[7]! | 0xfc;
        },
      ],
      [
        'a reserved block type',
        (bytes: Uint8Array) => {
          bytes[9] = bytes[9]! | 1;
          bytes[10] = bytes[10]! & 0x3f;
        },
      ],
    ])('empties a frame that claims %s', (_, change) => {
      expect(seen([...live.slice(0, 20), changed(live[20]!, change)])[20]).toEqual(empty);
    });

    it('empties a frame that takes main data which the one before has used', () => {
      const greedy = changed(live[20]!, (bytes) => bytes.fill(0xff, 4, 5));
      expect(seen([...live.slice(0, 20), greedy])[20]).toEqual(empty);
    });
  });

  it.each([
    ['NaN', Number.NaN, 0],
    ['infinity', Number.NEGATIVE_INFINITY, 0],
    ['a little overshoot', 1.5, 1],
    ['the like below', -1.5, -1],
    ['a burst far above full scale', 300, 0],
  ])('makes %s harmless', (_, fill, expected) => {
    const { decoders } = scripted({ fill });
    const samples = decodeFrame(decoders.open(), bytes);
    expect(samples.length).toBe(576);
    expect(samples.every((x) => x === expected)).toBe(true);
  });

  it('mutes the frame behind a burst as well, and no more', () => {
    const { decoders, script } = scripted({ fill: 300 });
    const decoder = decoders.open();
    decodeFrame(decoder, bytes);
    script.fill = 0.25;
    const peaks = [1, 2, 3].map(() => peakOf(decodeFrame(decoder, bytes)));
    expect(peaks).toEqual([0, 0.25, 0.25]);
  });

  it('gives silence of the frame’s length when mpg123 gives nothing, or too little', () => {
    for (const samples of [0, 575]) {
      const decoded = decodeFrame(scripted({ samples }).decoders.open(), bytes);
      expect([decoded.length, peakOf(decoded)]).toEqual([576, 0]);
    }
  });

  it('leaves an instance that trapped, and takes everyone in it to another', () => {
    const { decoders, script, closed } = scripted();
    const [first, second] = [decoders.open(), decoders.open()];
    script.trap = 0;
    expect(peakOf(decodeFrame(first, bytes))).toBe(0);
    expect([first, second].map((decoder) => peakOf(decodeFrame(decoder, bytes)))).toEqual([0.5, 0.5]);
    expect(decoders.instances()).toBe(1);
    first.close();
    second.close();
    expect([decoders.live(), closed]).toEqual([0, [1000, 1001]]);
  });

  it('gives up on a stream that traps everywhere, with silence and without an exception', () => {
    let made = 0;
    const decoders = createMpg123Decoders(() => ({
      input: new Uint8Array(2048),
      output: new Float32Array(2304),
      open: () => 1,
      close() {},
      decode() {
        throw new Error(`trap ${made++}`);
      },
    }));
    const decoder = decoders.open();
    for (let i = 0; i < 10; i++) expect(decodeFrame(decoder, bytes).length).toBe(576);
    expect(made).toBe(3);
    decoder.close();
    expect([decoders.live(), decoders.instances()]).toEqual([0, 0]);
  });

  it('fills an instance before it makes the next, whatever its memory holds', () => {
    const { decoders, made } = scripted({ capacity: 10 });
    const opened = Array.from({ length: 25 }, () => decoders.open());
    expect([made(), decoders.instances()]).toEqual([3, 3]);
    for (const decoder of opened) decoder.close();
    expect(decoders.instances()).toBe(1);
  });

  it('says so when not even a new instance has room, and stays usable', () => {
    const { decoders, script } = scripted({ capacity: 0 });
    expect(() => decoders.open()).toThrow(/no memory/);
    expect([decoders.live(), decoders.instances()]).toEqual([0, 0]);
    script.capacity = 1;
    expect(peakOf(decodeFrame(decoders.open(), bytes))).toBe(0.5);
  });
});

describe('loadMpg123', () => {
  const fake = (fields: object) => () => ({ ready: Promise.resolve(), ...fields });
  const taking = (parameters: number) => Object.defineProperty(() => 0, 'length', { value: parameters });
  const functions = {
    malloc: taking(1),
    mpeg_frame_decoder_create: taking(2),
    mpeg_frame_decoder_destroy: taking(1),
    mpeg_decoder_feed: taking(3),
    mpeg_decoder_read: taking(6),
  };

  // The smallest module that imports a function, `a.z`, which the real one does not (WebAssembly core 5.5).
  const { Module } = (globalThis as unknown as { WebAssembly: { Module: new (bytes: Uint8Array) => object } })
    .WebAssembly;
  const strange = new Module(
    Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 2, 7, 1, 1, 0x61, 1, 0x7a, 0, 0),
  );

  it.each([
    ['no private instance', {}],
    ['no functions', { _common: { wasm: {} } }],
    ['no module', { _common: { wasm: functions } }],
    ['another module', { _common: { wasm: { ...functions, getModule: () => strange } } }],
    ['a function with other arguments', { _common: { wasm: { ...functions, malloc: taking(2) } } }],
  ])('refuses a package with %s', (_, fields) =>
    expect(loadMpg123(fake(fields))).rejects.toThrow(/not the version that Voxgate is made for/),
  );
});
