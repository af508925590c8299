// A request as the speech service is asked: aliases become voices, a dialogue of two becomes turns. Pure.

import { fieldError } from '../../base/check-fields.ts';
import { MAX_REQUEST_TEXT, type SynthesisFields } from '../../speech/speech-request.ts';
import { resolveVoices, type VoiceAliases } from '../../speech/voice-aliases.ts';
import { type RequestText, splitIntoRequests } from '../../text/request-text.ts';
import { dialogueSegments, wholeTextSegments } from '../../text/turn-text.ts';
import type { AskedSpeech } from './asked-speech.ts';

export type SpeechPlan = {
  readonly synthesis: SynthesisFields;
  readonly texts: readonly RequestText[];
};

export const namedVoices = (lines: AskedSpeech['lines']): string[] => [
  ...new Set(lines.flatMap(({ voice }) => voice ?? [])),
];

/** Throws `invalid_request` for more than two voices. */
export function planSpeech(asked: AskedSpeech, aliases: VoiceAliases): SpeechPlan {
  const { lines, speed, prompt } = asked;
  const names = namedVoices(lines);
  if (names.length > 2)
    throw fieldError({
      field: 'voice',
      allowed: 'one speech must have at most two voices',
      given: names.length,
    });
  const [first, second] = names;
  const { voice, voice2, turnPrefix, turnPrefix2 } = resolveVoices(aliases, {
    voice: first,
    ...(second === undefined ? {} : { voice2: second }),
  });
  const how = { language: asked.language ?? 'english', markup: asked.markup } as const;
  const synthesis: SynthesisFields = {
    ...(voice === undefined ? {} : { voice }),
    ...(voice2 == null ? {} : { voice2 }),
    ...(asked.language === undefined ? {} : { language: asked.language }),
    ...(speed === undefined ? {} : { speed }),
    ...(prompt === undefined ? {} : { prompt }),
  };
  if (second !== undefined) {
    const dialogue = lines.map((line) => ({
      speaker: line.voice === second ? (2 as const) : (1 as const),
      text: line.text,
    }));
    return { synthesis, texts: splitIntoRequests(dialogueSegments(dialogue, how), MAX_REQUEST_TEXT) };
  }
  // A pair under one name speaks what it marks itself.
  const prefixes = { turnPrefix: turnPrefix ?? undefined, turnPrefix2: turnPrefix2 ?? undefined };
  const text = lines.map((line) => line.text).join('\n');
  const segments = wholeTextSegments(text, { ...how, ...prefixes });
  return { synthesis, texts: splitIntoRequests(segments, MAX_REQUEST_TEXT, prefixes) };
}
