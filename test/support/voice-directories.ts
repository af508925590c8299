// Directories of the voices of one service: one whose voices are all known, and one that is asked for any.
import { createServiceVoices, type VoiceDirectory } from '../../src/service/voice-directory.ts';
import type { ListedVoice } from '../../src/speech/listed-voice.ts';
import type { VoiceAliases } from '../../src/speech/voice-aliases.ts';
import type { FoundVoice } from '../../src/upstream/service-choice.ts';

type Options = Pick<VoiceDirectory, 'aliases' | 'ignoredFields' | 'spokenAs'>;

function directory(
  list: () => Promise<readonly ListedVoice[]>,
  knownNames: readonly string[],
  find: (voice: string) => FoundVoice | undefined,
  { aliases, ignoredFields, spokenAs }: Options,
): VoiceDirectory {
  const name = 'engine';
  const unset = { voice: undefined, voice2: undefined, fallbackVoice: undefined, fallbackVoice2: undefined };
  return createServiceVoices({
    form: 'plain',
    services: [{ name, tenants: undefined, ignored: ignoredFields, list, knownNames }],
    profiles: [{ name, tenants: undefined, ...unset, find }],
    table: {},
    aliases,
    spokenAs,
  });
}

export function createKnownVoices(voices: readonly ListedVoice[], options: Options): VoiceDirectory {
  const ids = new Set(voices.map(({ id }) => id));
  const find = (as: string): FoundVoice | undefined => (ids.has(as) ? { as, has: 'surely' } : undefined);
  return directory(async () => voices, [...ids], find, options);
}

export const createUncheckedVoices = (
  list: () => Promise<readonly ListedVoice[]>,
  aliases: VoiceAliases,
): VoiceDirectory =>
  directory(list, [], (as) => ({ as, has: 'perhaps' }), {
    aliases,
    ignoredFields: [],
    spokenAs: () => undefined,
  });
