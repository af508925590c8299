// The short names for voices that this gateway knows: those that are set, before those that its own engine brings along.
// Sessions begin with them.

import { defaultSettings, type TurnSettings } from '../session/turn-settings.ts';
import type { Config } from '../settings/settings.ts';
import type { ListedVoice } from '../speech/listed-voice.ts';
import type { VoiceAliases } from '../speech/voice-aliases.ts';
import { WELL_KNOWN_VOICES } from '../speech/well-known-voices.ts';

/** The engine's voices by their names, `anna` and `Anna`, and by the well-known names of other services. */
function engineAliases(voices: readonly ListedVoice[]): VoiceAliases {
  const own = new Map(voices.flatMap(({ id, name }) => (name === undefined ? [] : [[name, id] as const])));
  const byName = new Map([...own].map(([name, id]) => [name.toLowerCase(), id]));
  const known = Object.entries(WELL_KNOWN_VOICES).flatMap(([name, voice]) => {
    const id = byName.get(voice);
    return id === undefined ? [] : [[name, id] as const];
  });
  return Object.fromEntries([...known, ...own, ...byName]);
}

/** `engineVoices`: of the embedded engine; undefined before a service of others, whose voices we do not know. */
export const appVoiceAliases = (
  { voiceAliases }: Pick<Config, 'voiceAliases'>,
  engineVoices: readonly ListedVoice[] | undefined,
): VoiceAliases => ({
  ...(engineVoices === undefined ? {} : engineAliases(engineVoices)),
  ...voiceAliases,
});

/** What a session begins with. */
export const sessionSettings = (
  { leadMs, phraseCache }: Pick<Config, 'leadMs' | 'phraseCache'>,
  aliases: VoiceAliases,
): TurnSettings => defaultSettings(leadMs, phraseCache === 'always' ? 'on' : 'off', aliases);
