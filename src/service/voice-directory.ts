// Which voices a session or request may name, and by which names. The embedded engine's list is complete, so an unknown name is
// refused; a remote service's need not be, so every name goes to it.

import type { Language } from '../speech/language.ts';
import { type ListedVoice, unknownVoice } from '../speech/listed-voice.ts';
import type { VoiceAliases } from '../speech/voice-aliases.ts';

export type VoiceDirectory = {
  list(): Promise<readonly ListedVoice[]>;
  /** Short names for voices, for callers of any protocol. */
  readonly aliases: VoiceAliases;
  /** Voices by the field that names them, aliases resolved. Throws `invalid_request` for one that is known not to exist. */
  check(fields: Readonly<Record<string, string | null | undefined>>): void;
  /** Fields of a request that the speech service takes and does nothing with. */
  readonly ignoredFields: readonly string[];
  /** The language whose rules read `language`, when it is known to be another one. */
  spokenAs(language: Language): string | undefined;
};

export type KnownVoicesOptions = Pick<VoiceDirectory, 'aliases' | 'ignoredFields' | 'spokenAs'>;

/** All voices are known. */
export function createKnownVoices(
  voices: readonly ListedVoice[],
  options: KnownVoicesOptions,
): VoiceDirectory {
  const ids = new Set(voices.map(({ id }) => id));
  return {
    list: async () => voices,
    check(fields) {
      for (const [field, id] of Object.entries(fields))
        if (id != null && !ids.has(id)) throw unknownVoice(field, id);
    },
    ...options,
  };
}

/** A service that is asked for its list; every name is let through to it. */
export const createUncheckedVoices = (
  list: () => Promise<readonly ListedVoice[]>,
  aliases: VoiceAliases,
): VoiceDirectory => ({
  list,
  aliases,
  check() {},
  ignoredFields: [],
  spokenAs: () => undefined,
});
