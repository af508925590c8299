// The embedded engine's voices and how they are named to eSpeak NG. A voice here is a timbre:
// each speaks every language. eSpeak does not tell a variant's gender; f* sound female, m* male.

import type { Language } from '../speech/language.ts';
import { programLanguage } from '../speech-program/program-language.ts';

export type Voice = {
  /** A name in URI form (interface 2.3): compared, never fetched. */
  readonly id: string;
  readonly name: string;
  readonly gender: 'Female' | 'Male';
  /** What it speaks when a request names no language. */
  readonly language: Language;
  readonly description: string;
  /** eSpeak NG's voice variant. */
  readonly variant: string;
  /** Middle of its intonation and how far it moves, 0–99. Ten pitch steps are about a tenth in frequency. */
  readonly pitch: number;
  readonly range: number;
};

const voice = (
  name: string,
  gender: Voice['gender'],
  variant: string,
  pitch: number,
  range: number,
  description: string,
): Voice => ({
  id: `voxgate://embedded/voices/${name.toLowerCase()}`,
  name,
  gender,
  language: 'english',
  description,
  variant,
  pitch,
  range,
});

/** The first Female and the first Male are the gateway's defaults, so their order is public. */
export const VOICES: readonly Voice[] = [
  voice('Anna', 'Female', 'f2', 50, 50, 'Clear and even; for instructions and long texts.'),
  voice('Bella', 'Female', 'f3', 58, 60, 'Bright and lively; for greetings and dialogue.'),
  voice('Clara', 'Female', 'f1', 42, 45, 'Low and calm; for announcements.'),
  voice('Dora', 'Female', 'f5', 50, 55, 'Light and breathy; for stories.'),
  voice('Elena', 'Female', 'f4', 46, 40, 'Warm and unhurried; for narration.'),
  voice('Adam', 'Male', 'm3', 50, 50, 'Clear and even; for instructions and long texts.'),
  voice('Bruno', 'Male', 'm1', 42, 45, 'Low and calm; for announcements.'),
  voice('Carl', 'Male', 'm7', 52, 55, 'Dark and full; for stories.'),
  voice('David', 'Male', 'm2', 58, 60, 'Bright and lively; for greetings and dialogue.'),
  voice('Emil', 'Male', 'm4', 48, 40, 'Dry and exact; for briefings.'),
];

const byId = new Map(VOICES.map((known) => [known.id, known]));

export const findVoice = (id: string): Voice | undefined => byId.get(id);

/** The name of `voice` speaking `language` in the speech program's terms, e.g. `de+f2`. */
export const programVoice = (voice: Voice, language: Language): string =>
  `${programLanguage(language)}+${voice.variant}`;
