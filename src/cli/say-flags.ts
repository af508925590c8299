// The flags of `voxgate say` that shape the sound: what each takes, and how they become the session's first
// `configure`. A wrong one is told by its flag, what was given and what is allowed.

import { configureFields, type Preset, presetSchema } from '../dialects/native-messages.ts';
import { SESSION_FORMATS } from '../speech/audio-format.ts';
import { LANGUAGES } from '../speech/language.ts';
import { UsageError } from './command.ts';
import { audioFormatOf } from './output/file-endings.ts';

/** What each flag takes. */
const ALLOWED = {
  format: SESSION_FORMATS.join(', '),
  'sample-rate': '8000 to 48000',
  pace: 'realtime, burst',
  voice: '1 to 2048 characters',
  voice2: '1 to 2048 characters',
  'turn-prefix': '1 to 200 characters',
  'turn-prefix2': '1 to 200 characters',
  language: LANGUAGES.join(', '),
  speed: '0.1 to 5',
  seed: 'a number from 0 to 9007199254740992',
  temperature: '0 to 2',
} as const;

type SoundFlag = keyof typeof ALLOWED;
const SOUND_FLAGS = Object.keys(ALLOWED) as SoundFlag[];
const NUMBERS: readonly SoundFlag[] = ['sample-rate', 'speed', 'seed', 'temperature'];

/** Of a flag that takes one of a few words, for the shell. */
const WORDS: { readonly [Flag in SoundFlag]?: readonly string[] } = {
  format: SESSION_FORMATS,
  pace: ['realtime', 'burst'],
  language: LANGUAGES,
};

type SoundOption = { readonly type: 'string'; readonly completes?: readonly string[] };
export const SOUND_OPTIONS = Object.fromEntries(
  SOUND_FLAGS.map((flag) => [flag, { type: 'string', ...(WORDS[flag] && { completes: WORDS[flag] }) }]),
) as Record<SoundFlag, SoundOption>;

type Given = { readonly [Flag in SoundFlag | 'out']?: string | undefined };

const camel = (flag: string) =>
  flag.replace(/-(.)/g, (_match, letter: string) => letter.toUpperCase()) as keyof typeof configureFields;

/** Throws a UsageError. */
export function readSound(given: Given): Preset {
  const { out } = given;
  const preset: Record<string, unknown> = {
    captions: 'words',
    pace: out === undefined ? 'realtime' : 'burst',
  };
  for (const flag of SOUND_FLAGS) {
    const text = given[flag];
    if (text === undefined) continue;
    const name = camel(flag);
    // An empty number is a mistake, not a zero.
    const value = NUMBERS.includes(flag) && text.trim() !== '' ? Number(text) : text;
    if (!configureFields[name].safeParse(value).success)
      throw new UsageError(`--${flag} is ${JSON.stringify(text)}; allowed: ${ALLOWED[flag]}`);
    preset[name] = value;
  }
  if (out !== undefined) preset.format = audioFormatOf(out, given.format, SESSION_FORMATS);
  return presetSchema.parse(preset);
}
