// The table of voices: one alias, and its voice at each of several speech services.

import type { Setting } from './setting.ts';
import { isEntry, parsed, shown, VOICE } from './upstream-list.ts';

/** One voice under its name at each service. */
export type VoiceTableSetting = Readonly<Record<string, Readonly<Record<string, string>>>>;

const MAX_VOICES = 1000;
const MAX_ALIAS_CHARACTERS = 100;

export function voiceTable(meaning: string): Setting<VoiceTableSetting> {
  return {
    meaning,
    allowed: `alias → { NAME: voice, … }, at most ${MAX_VOICES}; in the YAML file, or as JSON`,
    placeholder: 'TABLE',
    default: {},
    secrecy: 'open',
    form: 'structure',
    read(given) {
      const table = parsed(given);
      if (!isEntry(table) || Object.keys(table).length > MAX_VOICES)
        return { ok: false, wrong: 'is no such table' };
      const faults: string[] = [];
      for (const [alias, row] of Object.entries(table)) {
        const as = `, ${JSON.stringify(alias.slice(0, 64))}`;
        if (!/^[^\p{Cc}+/]+$/u.test(alias) || alias.length > MAX_ALIAS_CHARACTERS)
          faults.push(`${as} is no name; allowed: 1 to ${MAX_ALIAS_CHARACTERS} characters without + and /`);
        if (!isEntry(row) || Object.keys(row).length === 0)
          faults.push(`${as} has no voices; allowed: NAME: voice for at least one service`);
        else
          for (const [name, voice] of Object.entries(row))
            if (typeof voice !== 'string' || !VOICE.read(voice).ok || voice === '')
              faults.push(`${as}: ${name.slice(0, 64)} ${shown(voice)}; allowed: ${VOICE.allowed}`);
      }
      return faults.length === 0
        ? { ok: true, value: table as VoiceTableSetting }
        : { ok: false, wrong: '', faults };
    },
  };
}
