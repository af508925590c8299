// The list of short names for voices, `name=voice[+voice2]`, checked as far as it can be without knowing the voices.

import { findAliasCircle, parseVoiceAlias, type VoiceAliases } from '../speech/voice-aliases.ts';
import type { Setting } from './setting.ts';

const MAX_ALIASES = 1000;

export function voiceAliasList(meaning: string): Setting<VoiceAliases> {
  return {
    meaning,
    allowed: `name=voice[+voice2][,…], each name once, at most ${MAX_ALIASES}`,
    placeholder: 'NAME=VOICE,…',
    default: {},
    secrecy: 'open',
    read(given) {
      const refuse = (wrong: string) => ({ ok: false, wrong }) as const;
      const entries = given.split(/[,\r\n]/).filter((entry) => entry.trim() !== '');
      const aliases = new Map<string, string>();
      for (const [at, entry] of entries.entries()) {
        const parsed = parseVoiceAlias(entry.trim());
        if (!parsed.ok) return refuse(`entry ${at + 1} ${parsed.wrong}`);
        if (aliases.has(parsed.name)) return refuse(`entry ${at + 1} has a name that was given before`);
        aliases.set(parsed.name, parsed.voice);
      }
      if (aliases.size === 0) return refuse('holds no entry');
      if (aliases.size > MAX_ALIASES) return refuse(`holds ${aliases.size} entries`);
      const value = Object.fromEntries(aliases);
      const circle = findAliasCircle(value);
      return circle === undefined
        ? { ok: true, value }
        : refuse(`has an alias that leads back to itself, ${JSON.stringify(circle)}`);
    },
  };
}
