// Which voices a session or request may name. The embedded engine's list is complete, so an unknown name is refused; a remote
// service's need not be, so every name goes to it.

import { AppError } from '../base/app-error.ts';
import type { ListedVoice } from '../speech/listed-voice.ts';

export type VoiceDirectory = {
  list(): Promise<readonly ListedVoice[]>;
  /** Voices by the field that names them. Throws `invalid_request` for one that is known not to exist. */
  check(fields: Readonly<Record<string, string | null | undefined>>): void;
  /** Fields of a request that the speech service takes and does nothing with. */
  readonly ignoredFields: readonly string[];
};

/** All voices are known. */
export function createKnownVoices(
  voices: readonly ListedVoice[],
  ignoredFields: readonly string[],
): VoiceDirectory {
  const ids = new Set(voices.map(({ id }) => id));
  return {
    list: async () => voices,
    check(fields) {
      for (const [field, id] of Object.entries(fields)) {
        if (id == null || ids.has(id)) continue;
        const given = JSON.stringify(id.slice(0, 80));
        throw new AppError(
          'invalid_request',
          `${field}: there is no voice ${given} here; GET /api/v1/voices lists the ids that there are`,
        );
      }
    },
    ignoredFields,
  };
}

/** A service that is asked for its list; every name is let through to it. */
export const createUncheckedVoices = (
  list: () => Promise<readonly ListedVoice[]>,
  ignoredFields: readonly string[] = [],
): VoiceDirectory => ({
  list,
  check() {},
  ignoredFields,
});
