// The body of an upstream request, from what a turn is spoken with and the text of one of its requests.

import { MAX_REQUEST_TEXT, type OutgoingRequest, type SynthesisFields } from '../speech/speech-request.ts';
import type { SpokenWord } from '../speech/spoken-word.ts';
import { type AlignedText, alignedText } from '../text/aligned-text.ts';
import { wellFormed } from '../text/code-points.ts';
import { createPronouncer, type Pronunciation } from '../text/pronunciations.ts';
import { type RequestText, speakerOf } from '../text/request-text.ts';
import { segmentText } from '../text/segment.ts';
import { type MappedText, mapText } from '../text/spoken-form/mapped-text.ts';

export type SpokenWith = {
  readonly synthesis: SynthesisFields;
  readonly seed: number;
  /** Used where the fields name no voice; without either, the speech service decides. */
  readonly defaultVoice: string | undefined;
  /** The second voice of a dialogue that names none. */
  readonly defaultVoice2: string | undefined;
  /** Words that are pronounced differently from their spelling. */
  readonly pronunciations?: readonly Pronunciation[] | undefined;
  /** The most that one request of the service may hold, UTF-16 units; default: that of the service interface. */
  readonly maxText?: number | undefined;
};

/** The text as it is to be said, however long. Turn prefixes stay: without them no speaker's turn would begin. */
function respelled({ text, parts }: RequestText, pronunciations: readonly Pronunciation[]): MappedText {
  const written = mapText(text);
  const pronounce = createPronouncer(pronunciations);
  const edits = parts.flatMap(({ segment, textStart }) =>
    pronounce(segmentText(segment)).map(({ from, to, text: said }) => ({
      from: textStart + from,
      to: textStart + to,
      text: said,
    })),
  );
  return written.edit(edits);
}

/**
 * How long a request becomes, UTF-16 units; undefined where nothing changes its length. Requests are cut so that this keeps to
 * what the service takes.
 */
export const saidLength = (
  pronunciations: readonly Pronunciation[] = [],
): ((text: RequestText) => number) | undefined =>
  pronunciations.length === 0 ? undefined : (text) => respelled(text, pronunciations).text.length;

/** A text that becomes too long for a request all the same stays as written: better said plainly than refused. */
function pronounced(
  text: RequestText,
  pronunciations: readonly Pronunciation[],
  maxText: number,
): MappedText {
  const said = respelled(text, pronunciations);
  return said.text.length > maxText ? mapText(text.text) : said;
}

/** What is sent for `text`, and where in it each of its `words` begins. */
export const toAlignedText = (
  text: RequestText,
  words: readonly SpokenWord[],
  pronunciations: readonly Pronunciation[] = [],
  maxText = MAX_REQUEST_TEXT,
): AlignedText => {
  const said = pronunciations.length === 0 ? undefined : pronounced(text, pronunciations, maxText);
  const aligned = alignedText(text, words, said);
  return { ...aligned, text: wellFormed(aligned.text) };
};

/**
 * MP3 here; sound-offer.ts decides what else a service may be asked for. Fields that are null or absent are left out, and lone halves of
 * surrogate pairs are U+FFFD.
 */
export function toOutgoingRequest(spokenWith: SpokenWith, text: RequestText): OutgoingRequest {
  const { synthesis, seed, defaultVoice, defaultVoice2, pronunciations = [] } = spokenWith;
  const { maxText = MAX_REQUEST_TEXT } = spokenWith;
  const isDialogue = text.turnPrefix !== undefined || text.turnPrefix2 !== undefined;
  const isSecond = speakerOf(text) === 2;
  const first = synthesis.voice ?? defaultVoice;
  const second = synthesis.voice2 ?? (isDialogue || isSecond ? defaultVoice2 : undefined);
  // What the second speaker says alone is said by a voice that is the request's only one.
  const [voice, voice2] = isSecond ? [second ?? first, undefined] : [first, second];
  const {
    voice: _voice,
    voice2: _voice2,
    turnPrefix: _p,
    turnPrefix2: _p2,
    seed: _seed,
    ...fields
  } = synthesis;
  const { prompt: _prompt, prompt2, voiceConditioningSeconds2, ...others } = fields;
  const rest = isSecond
    ? { ...others, prompt: prompt2, voiceConditioningSeconds: voiceConditioningSeconds2 }
    : fields;
  const given = Object.fromEntries(
    Object.entries(rest)
      .filter(([, value]) => value != null)
      .map(([field, value]) => [field, typeof value === 'string' ? wellFormed(value) : value]),
  );
  return {
    model: 'VoxDialog',
    text: wellFormed(
      pronunciations.length === 0 ? text.text : pronounced(text, pronunciations, maxText).text,
    ),
    ...(voice == null ? {} : { voice: wellFormed(voice) }),
    ...(voice2 == null ? {} : { voice2: wellFormed(voice2) }),
    ...(text.turnPrefix === undefined ? {} : { turnPrefix: text.turnPrefix }),
    ...(text.turnPrefix2 === undefined ? {} : { turnPrefix2: text.turnPrefix2 }),
    outputFormat: 'mp3',
    ...given,
    seed,
  };
}
