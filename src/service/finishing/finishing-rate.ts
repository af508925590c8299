// The sample rate of a finished file: what was asked for, else that of its parts, or the next one above that the
// format has.

import { AppError } from '../../base/app-error.ts';
import { fieldError } from '../../base/check-fields.ts';
import { listedSampleRates, opusRateOf, sampleRateRefusal } from '../../speech/audio-format.ts';
import type { FinishRequest } from '../audio-finisher.ts';
import { readFirstHeader } from './read-part.ts';

export async function finishingRate({ parts, format, sampleRate }: FinishRequest): Promise<number> {
  const [first] = parts;
  if (first === undefined) throw fieldError({ field: 'parts', allowed: 'must not be empty' });
  if (sampleRate !== undefined) {
    const refusal = sampleRateRefusal(format, sampleRate);
    if (refusal === undefined) return sampleRate;
    throw fieldError({ field: 'sampleRate', allowed: refusal, given: sampleRate });
  }
  const header = await readFirstHeader(first.path);
  if (header === undefined) throw noSound(1, parts.length);
  const { sampleRate: spoken } = header;
  if (format === 'ogg') return opusRateOf(spoken);
  const listed = listedSampleRates(format);
  return listed === undefined ? spoken : (listed.find((rate) => rate >= spoken) ?? listed.at(-1)!);
}

export const noSound = (part: number, parts: number): AppError =>
  new AppError('upstream_bad_audio', `Part ${part} of ${parts} holds no sound that can be decoded.`);
