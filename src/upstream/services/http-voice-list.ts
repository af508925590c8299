// The voices of a remote speech service that lists them as ours does (`GET /api/v1/voices`). The list is kept for a while,
// because people look at it again and again.

import { request } from 'undici';
import { z } from 'zod';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { type ListedVoice, listedVoiceSchema } from '../../speech/listed-voice.ts';

export type HttpVoiceListOptions = {
  readonly baseUrl: URL;
  readonly key: { readonly userId: string; readonly apiKey: string };
  /** What is known without asking. */
  readonly known: readonly ListedVoice[];
  readonly clock: Clock;
};

const DEADLINE_MS = 10_000;
const KEPT_MS = 5 * 60_000;
const MAX_VOICES = 10_000;

/** Rejects with `upstream_unreachable`; for a service without a list, the voices of the settings. */
export function createHttpVoiceList({
  baseUrl,
  key,
  known,
  clock,
}: HttpVoiceListOptions): () => Promise<readonly ListedVoice[]> {
  let kept: { readonly voices: Promise<readonly ListedVoice[]>; readonly untilMs: number } | undefined;

  const ask = async (): Promise<readonly ListedVoice[]> => {
    const { statusCode, body } = await request(
      new URL(`${baseUrl.pathname.replace(/\/$/, '')}/api/v1/voices`, baseUrl),
      {
        headers: { authorization: `Bearer ${key.apiKey}`, 'x-user-id': key.userId },
        signal: AbortSignal.timeout(DEADLINE_MS),
      },
    );
    if (statusCode !== 200) {
      await body.dump();
      return known;
    }
    const listed = z
      .array(listedVoiceSchema)
      .max(MAX_VOICES)
      .safeParse(await body.json());
    return listed.success ? listed.data : known;
  };

  return async () => {
    if (kept === undefined || clock.now() >= kept.untilMs)
      kept = { voices: ask(), untilMs: clock.now() + KEPT_MS };
    try {
      return await kept.voices;
    } catch (cause) {
      kept = undefined;
      throw new AppError(
        'upstream_unreachable',
        'The list of voices could not be read from the speech service.',
        { cause },
      );
    }
  };
}
