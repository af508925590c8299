// One speech of /v2/speak: what its reports are made of.

import type { EventOf } from '../native-events.ts';
import { speechIdOf } from './wire-ids.ts';

export type FluxSpeech = {
  readonly speechId: string;
  state: 'silent' | 'announced';
  /** Whether its end is to be acknowledged. */
  flush: 'none' | 'asked';
  characters: number;
  /** `none` until there is something to say in it. */
  words: 'none' | 'some';
  /** By turn, in order. */
  readonly texts: Map<string, string>;
  /** Audio of its turns that have ended. */
  sentMs: number;
};

/** Signs are read out, too. */
const SPOKEN = /[\p{L}\p{N}\p{Sc}%+=&@°§]/u;

export const createFluxSpeech = (id: string): FluxSpeech => ({
  speechId: speechIdOf(id),
  state: 'silent',
  flush: 'none',
  characters: 0,
  words: 'none',
  texts: new Map(),
  sentMs: 0,
});

/** Answers with its length in code points, as it is counted for the session. */
export function countText(speech: FluxSpeech, text: string): number {
  const characters = [...text].length;
  speech.characters += characters;
  if (SPOKEN.test(text)) speech.words = 'some';
  return characters;
}

export const keepText = ({ texts }: FluxSpeech, turn: string, text: string): void =>
  void texts.set(turn, (texts.get(turn) ?? '') + text);

/** The body of SpeechMetadata. No inline control is acted on. */
export const speechReport = ({ speechId, sentMs, characters }: FluxSpeech) => ({
  speech_id: speechId,
  audio_duration_ms: Math.round(sentMs),
  input_character_count: characters,
  billable_character_count: characters,
  controls_applied: { pronunciations_applied: 0, breaks_applied: 0, pronunciation_warnings: 0 },
});

/**
 * `cut`: turns that were stopped; one of them that never began to be heard has nothing in `heard`, and nothing is told
 * any more of one that was heard to its end before.
 */
export function heardTexts(
  { texts }: FluxSpeech,
  cut: readonly string[],
  heard: ReadonlyMap<string, EventOf<'heard'>>,
): { readonly spoken: string; readonly remaining: string } {
  let [spoken, remaining] = ['', ''];
  for (const [turn, text] of texts) {
    const part = heard.get(turn);
    if (part !== undefined) {
      spoken += part.spokenText;
      remaining += part.remainingText;
    } else if (cut.includes(turn)) remaining += text;
    else spoken += text;
  }
  return { spoken, remaining };
}
