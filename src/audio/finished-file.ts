// Samples → the bytes of a whole file in any of the service's formats, with its tags and true totals. What a head can
// say only at the end stands there as zeros until then, so that nothing has to be held back.

import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { ServiceFormat } from '../speech/audio-format.ts';
import { createFlacBlocks } from './containers/flac-encoder.ts';
import { type FlacTotals, flacFileHeader } from './containers/flac-headers.ts';
import { createOggOpusEncoder } from './containers/ogg-opus-encoder.ts';
import { cleanTags, type FileTags } from './containers/tag-text.ts';
import { wavHeader } from './containers/wav.ts';
import { BYTES_PER_SAMPLE, createPcmEncoder, type PcmFormat } from './dsp/pcm-format.ts';
import { encodePcm16 } from './dsp/pcm16.ts';
import { lameGain, type Mp3Encoders, speechBitrateKbps } from './mp3/mp3-encoder.ts';
import { id3Tag } from './mp3/mp3-file-tag.ts';
import { Mp3FrameParser } from './mp3/mp3-frame-parser.ts';
import { mp3Checksum, mp3InfoFrame, NO_MP3_TOTALS } from './mp3/mp3-info-frame.ts';

export type FileRule = {
  readonly format: ServiceFormat;
  /** One that the format has. */
  readonly sampleRate: number;
  /** For mp3 and ogg; undefined: what speech needs at the rate. */
  readonly bitrateKbps: number | undefined;
  /** How many there will be; a header that stands in front tells it. */
  readonly samples: number;
  readonly tags: FileTags;
};

export type FinishedFile = {
  /** Mono samples in −1…1 at the rule's rate; they come out of a player as loud. */
  push(samples: Float32Array): void;
  /** Emits the rest; returns what belongs over the first bytes of the file, nothing when they are right. Once. */
  end(): Uint8Array;
  /** Frees the codec, at any time. */
  close(): void;
};

type Emit = (bytes: Uint8Array) => void;

/** The longest block of FLAC's streamable subset that Rice partitions divide well: fewer headers than blocks of 20 ms have. */
const FLAC_BLOCK = 4096;
/** Half a second; the pages of a stream cost three times as much in headers. */
const PACKETS_PER_PAGE = 25;
const NOTHING = new Uint8Array(0);

/** What `emit` gets is its own to keep, but for raw, mulaw and wav, where it is scratch memory. */
export function openFinishedFile(rule: FileRule, mp3: Mp3Encoders, emit: Emit): FinishedFile {
  const cleaned = { ...rule, tags: cleanTags(rule.tags) };
  switch (rule.format) {
    case 'mp3':
      return openMp3(cleaned, mp3, emit);
    case 'flac':
      return openFlac(cleaned, emit);
    case 'ogg':
      return openOgg(cleaned, emit);
    case 'wav':
      emit(wavHead(cleaned));
      return openPlain('pcm16', emit);
    case 'raw':
      return openPlain('pcm16', emit);
    case 'mulaw':
      return openPlain('mulaw', emit);
  }
}

const openPlain = (code: PcmFormat, emit: Emit): FinishedFile => ({
  push: createPcmEncoder(code, emit),
  end: () => NOTHING,
  close() {},
});

const wavHead = ({ sampleRate, samples, tags }: FileRule): Uint8Array =>
  wavHeader({ sampleRate, channels: 1, dataBytes: samples * BYTES_PER_SAMPLE.pcm16, tags });

function openMp3(
  { sampleRate, bitrateKbps, samples, tags }: FileRule,
  mp3: Mp3Encoders,
  emit: Emit,
): FinishedFile {
  const kbps = bitrateKbps ?? speechBitrateKbps(sampleRate);
  const encoder = mp3.open({ sampleRate, bitrateKbps: kbps });
  const gain = 1 / lameGain(kbps);
  let louder = new Float32Array(0);
  const tag = id3Tag(tags, (samples * 1000) / sampleRate);
  let firstFrame: Uint8Array | undefined;
  let totals = { ...NO_MP3_TOTALS, samples };
  const head = (first: Uint8Array) => Buffer.concat([tag, mp3InfoFrame(first, totals)]);
  const parser = new Mp3FrameParser({
    onFrame({ bytes }) {
      if (firstFrame === undefined) {
        firstFrame = bytes;
        emit(head(bytes));
      }
      totals = {
        samples,
        frames: totals.frames + 1,
        bytes: totals.bytes + bytes.length,
        checksum: mp3Checksum(totals.checksum, bytes),
      };
      emit(bytes);
    },
    onTag() {},
  });
  return {
    push(block) {
      if (louder.length < block.length) louder = new Float32Array(block.length);
      for (let i = 0; i < block.length; i++) louder[i] = block[i]! * gain;
      parser.push(encoder.encode(louder.subarray(0, block.length)));
    },
    end() {
      parser.push(encoder.finish());
      parser.flush();
      return firstFrame === undefined ? NOTHING : head(firstFrame);
    },
    close() {},
  };
}

function openFlac({ sampleRate, tags }: FileRule, emit: Emit): FinishedFile {
  const md5 = createHash('md5');
  const unknown: FlacTotals = { samples: 0, shortest: 0, longest: 0, md5: new Uint8Array(16) };
  const head = (totals: FlacTotals) => flacFileHeader(sampleRate, FLAC_BLOCK, totals, tags);
  let [samples, shortest, longest] = [0, Number.POSITIVE_INFINITY, 0];
  let pcm = new Uint8Array(0);
  emit(head(unknown));
  const encoder = createFlacBlocks({ sampleRate, blockLength: FLAC_BLOCK, header: NOTHING }, (block) => {
    samples += block.samples;
    shortest = Math.min(shortest, block.bytes.length);
    longest = Math.max(longest, block.bytes.length);
    emit(block.bytes);
  });
  return {
    push(block) {
      if (pcm.length < 2 * block.length) pcm = new Uint8Array(2 * block.length);
      encodePcm16(block, pcm);
      md5.update(pcm.subarray(0, 2 * block.length));
      encoder.push(block);
    },
    end() {
      encoder.flush();
      return samples === 0 ? NOTHING : head({ samples, shortest, longest, md5: md5.digest() });
    },
    close() {},
  };
}

function openOgg({ sampleRate, bitrateKbps, tags }: FileRule, emit: Emit): FinishedFile {
  const encoder = createOggOpusEncoder(sampleRate, (page) => emit(page.bytes), {
    tags,
    bitrateKbps,
    packetsPerPage: PACKETS_PER_PAGE,
  });
  return {
    push: (block) => encoder.push(block),
    end() {
      encoder.flush();
      return NOTHING;
    },
    close: () => encoder.close(),
  };
}
