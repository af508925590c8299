// What a vendor's format becomes: how the gateway makes the sound, and what is left to be done before it is sent.
// Each chunk is whole samples, and stays so.

import { Buffer } from 'node:buffer';
import { floatSamples } from '../../dialects/cartesia/float-samples.ts';
import type { OutputFormat, SessionFormat } from '../../speech/audio-format.ts';
import { mediaTypeOf } from '../../speech/reply-media-type.ts';
import { REPLY_FRAME_MS } from '../routes/speech-reply.ts';

// The header of a WAV stream that is not 16-bit PCM: RIFF, `fmt ` with its extension's length, `fact`, and the head of
// `data`, 58 bytes. Sizes are not known while it is made. (Multimedia Standards Update 3.0: tags 3, 6 and 7; all that is
// not PCM has a fact chunk.)

type WavCode = 'float32' | 'alaw' | 'mulaw';

const CODES: Readonly<Record<WavCode, { readonly tag: number; readonly bytesPerSample: number }>> = {
  float32: { tag: 3, bytesPerSample: 4 },
  alaw: { tag: 6, bytesPerSample: 1 },
  mulaw: { tag: 7, bytesPerSample: 1 },
};
const UNKNOWN_SIZE = 0xffffffff;
const FORMAT_BYTES = 18;

/** One channel. */
function wavStreamHeader(code: WavCode, sampleRate: number): Uint8Array {
  const { tag, bytesPerSample } = CODES[code];
  const header = Buffer.alloc(58);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(UNKNOWN_SIZE, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(FORMAT_BYTES, 16);
  header.writeUInt16LE(tag, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * bytesPerSample, 28);
  header.writeUInt16LE(bytesPerSample, 32);
  header.writeUInt16LE(bytesPerSample * 8, 34);
  header.write('fact', 38, 'latin1');
  header.writeUInt32LE(4, 42);
  header.writeUInt32LE(UNKNOWN_SIZE, 46);
  header.write('data', 50, 'latin1');
  header.writeUInt32LE(UNKNOWN_SIZE, 54);
  return header;
}

export type Sound = {
  readonly output: OutputFormat;
  /** A header in front of headerless sound; `wav` as it is made here is 16-bit PCM and has its own. */
  readonly wrap: 'none' | WavCode;
  readonly samples: 'as-made' | 'float32';
  /** Where the vendor has a name of its own for it. */
  readonly mediaType?: string;
};

/** `sampleRate` undefined: mp3 as the speech service sends it. */
export const plainSound = (format: SessionFormat, sampleRate: number | undefined): Sound => ({
  output: { format, sampleRate, frameMs: REPLY_FRAME_MS },
  wrap: 'none',
  samples: 'as-made',
});

type PcmCode = 'pcm16' | 'float32' | 'mulaw' | 'alaw';

const MADE_AS = { pcm16: 'raw', float32: 'raw', mulaw: 'mulaw', alaw: 'alaw' } as const;

export const codedSound = (code: PcmCode, sampleRate: number, container: 'none' | 'wav'): Sound =>
  container === 'wav' && code === 'pcm16'
    ? plainSound('wav', sampleRate)
    : {
        ...plainSound(MADE_AS[code], sampleRate),
        wrap: container === 'none' || code === 'pcm16' ? 'none' : code,
        samples: code === 'float32' ? 'float32' : 'as-made',
      };

export function mediaTypeOfSound({ output, wrap, samples, mediaType }: Sound, sampleRate: number): string {
  if (mediaType !== undefined) return mediaType;
  if (wrap !== 'none') return 'audio/wav';
  // RFC 4856: PCMA has a rate, and no other name.
  if (output.format === 'alaw') return `audio/PCMA;rate=${sampleRate}`;
  const type = mediaTypeOf(output.format, sampleRate);
  return samples === 'float32' ? type.replace('s16le', 'f32le') : type;
}

export async function* finishedSound(
  chunks: AsyncIterable<Uint8Array>,
  { wrap, samples }: Pick<Sound, 'wrap' | 'samples'>,
  sampleRate: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (wrap !== 'none') yield wavStreamHeader(wrap, sampleRate);
  for await (const chunk of chunks) yield samples === 'float32' ? floatSamples(chunk) : chunk;
}
