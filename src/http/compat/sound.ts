// What a vendor's format comes to: how the gateway makes the sound, and what is left to be done to it on its way out.
// Each chunk is whole samples, and stays so.

import { floatSamples } from '../../dialects/cartesia/float-samples.ts';
import type { OutputFormat, SessionFormat } from '../../speech/audio-format.ts';
import { mediaTypeOf } from '../../speech/reply-media-type.ts';
import { REPLY_FRAME_MS } from '../routes/speech-reply.ts';
import { type WavCode, wavStreamHeader } from './wav-stream-header.ts';

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

export type PcmCode = 'pcm16' | 'float32' | 'mulaw' | 'alaw';

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
