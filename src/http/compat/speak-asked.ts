// From a vendor's request to speech: voices looked up and checked, then spoken by the one way of `beginSpeech`.

import type { FastifyReply } from 'fastify';
import type { Random } from '../../base/random.ts';
import { readChoice } from '../../dialects/pacing-query.ts';
import type { VoiceDirectory } from '../../service/voice-directory.ts';
import { MAX_DRAWN_SEED } from '../../speech/speech-request.ts';
import { type BegunSpeech, beginSpeech, type SpeechReplyMeans } from '../routes/speech-reply.ts';
import type { AskedSpeech } from './asked-speech.ts';
import { finishedSound, mediaTypeOfSound } from './sound.ts';
import { planSpeech } from './speech-plan.ts';

export type SpeakAskedMeans = SpeechReplyMeans & {
  readonly random: Random;
  readonly voices: VoiceDirectory;
  /** Of speech that names none; undefined: the speech service decides. */
  readonly defaultVoice: string | undefined;
  readonly defaultVoice2: string | undefined;
};

export type SpokenReply = Pick<BegunSpeech, 'audioMs' | 'words'> & {
  /** In the vendor's format. */
  readonly sound: AsyncGenerator<Uint8Array, void, undefined>;
  readonly mediaType: string;
};

/** `words`: whether the caller is told when they come. Sets the headers that all vendors' replies have. */
export async function speakAsked(
  reply: FastifyReply,
  means: SpeakAskedMeans,
  asked: AskedSpeech,
  { tenant, words }: { readonly tenant: string; readonly words: 'timed' | 'unasked' },
): Promise<SpokenReply> {
  const { random, voices, defaultVoice, defaultVoice2 } = means;
  const isPromptIgnored = asked.prompt !== undefined && voices.ignoredFields.includes('prompt');
  const { synthesis, texts } = planSpeech(
    isPromptIgnored ? { ...asked, prompt: undefined } : asked,
    voices.aliases,
  );
  const wishes = readChoice(new URL(reply.request.url, 'http://gateway.invalid').searchParams);
  voices.check(
    { voice: synthesis.voice, voice2: synthesis.voice2 },
    { tenant, upstream: wishes.upstream ?? [] },
  );
  const seed = asked.seed ?? random.below(MAX_DRAWN_SEED + 1);
  const speech = await beginSpeech(reply, means, {
    synthesis,
    seed,
    defaultVoice,
    defaultVoice2,
    texts,
    output: asked.sound.output,
    namedRate: asked.namedRate,
    words,
    tenant,
    ...wishes,
  });
  const mediaType = mediaTypeOfSound(asked.sound, speech.sampleRate);
  reply.headers({ 'Content-Type': mediaType, 'Cache-Control': 'no-store', 'X-Voxgate-Seed': String(seed) });
  reply.headers(speech.headers);
  const ignored = isPromptIgnored ? ['prompt'] : speech.ignored;
  if (ignored.length > 0) reply.header('X-Voxgate-Ignored', ignored.join(', '));
  if (speech.service !== undefined) reply.header('X-Voxgate-Upstream', speech.service);
  const proxy = voices.spokenAs(asked.language ?? 'english', speech.service);
  if (proxy !== undefined) reply.header('X-Voxgate-Spoken-As', proxy);
  return {
    audioMs: () => speech.audioMs(),
    words: speech.words,
    sound: finishedSound(speech.chunks, asked.sound, speech.sampleRate),
    mediaType,
  };
}
