// The voices of one service: what it calls a voice that is asked for, and its list.

import type { Clock } from '../base/clock.ts';
import type { VoiceDirectory } from '../service/voice-directory.ts';
import type { ListedVoice } from '../speech/listed-voice.ts';
import { vendorVoice } from '../speech/vendor-voices.ts';
import { spokenAs } from '../speech-program/program-language.ts';
import type { FoundVoice } from '../upstream/service-choice.ts';
import { createHttpVoiceList } from '../upstream/services/http-voice-list.ts';
import type { SpeechService } from './configured-speech.ts';
import type { AppContext } from './context.ts';

export type ServiceVoices = {
  /** As `ServiceProfile`. */
  find(voice: string): FoundVoice | undefined;
  /** Rejects with `upstream_unreachable` when it is not there and never was. */
  list(): Promise<readonly ListedVoice[]>;
  /** Ids and names that are known without asking; a service that need not list its voices has none. */
  readonly knownNames: readonly string[];
};

/** Its list is read from now on until the end. */
export function openServiceVoices(
  service: SpeechService,
  clock: Clock,
  onStop: AppContext['onStop'],
): ServiceVoices {
  const { kind, url, keys, isEmbedded, voices, ownNames } = service;
  if (isEmbedded) {
    const ids = new Set(voices.map(({ id }) => id));
    return {
      find(voice) {
        const as = Object.hasOwn(ownNames, voice) ? ownNames[voice]! : voice;
        return ids.has(as) ? { as, has: 'surely' } : undefined;
      },
      list: async () => voices,
      knownNames: [...Object.keys(ownNames), ...ids],
    };
  }
  const list = createHttpVoiceList({ kind, baseUrl: new URL(url), key: keys[0]!, known: voices, clock });
  onStop(list.watch());
  return {
    find(voice) {
      const known = kind === 'speech-service' ? undefined : vendorVoice(kind, voice);
      if (known !== undefined) return { as: known, has: 'surely' };
      return { as: voice, has: list.has(voice) ? 'surely' : 'perhaps' };
    },
    list: () => list.list(),
    knownNames: [],
  };
}

/** The engine alone is known to read some languages by the rules of others. */
export const spokenAsBy =
  (services: readonly Pick<SpeechService, 'name' | 'isEmbedded'>[]): VoiceDirectory['spokenAs'] =>
  (language, by) => {
    const speaks = services.length === 1 ? services[0] : services.find(({ name }) => name === by);
    return speaks?.isEmbedded === true ? spokenAs(language) : undefined;
  };
