// The voices of one service: what it calls a voice that is asked for, and its list.

import type { VoiceDirectory } from '../service/voice-directory.ts';
import type { ListedVoice } from '../speech/listed-voice.ts';
import { vendorVoice } from '../speech/vendor-voices.ts';
import { spokenAs } from '../speech-program/program-language.ts';
import type { FoundVoice } from '../upstream/service-choice.ts';
import { createHttpVoiceList, type HttpVoiceList } from '../upstream/services/http-voice-list.ts';
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

type VoiceList = Pick<HttpVoiceList, 'list' | 'has'>;
/** The lists of the services elsewhere, each opened once. */
export type VoiceLists = { open(service: SpeechService): VoiceList };

/** Read here, from now on until the end. `onRead`: each time that the list of one has been read. */
export class ReadVoiceLists implements VoiceLists {
  private readonly opened = new Map<string, HttpVoiceList>();
  private readonly context: Pick<AppContext, 'clock' | 'onStop'>;
  private readonly onRead: ((service: string, ids: readonly string[]) => void) | undefined;

  constructor(context: Pick<AppContext, 'clock' | 'onStop'>, onRead?: ReadVoiceLists['onRead']) {
    this.context = context;
    this.onRead = onRead;
  }
  open({ name, kind, url, keys, voices }: SpeechService): VoiceList {
    const { clock, onStop } = this.context;
    const list = createHttpVoiceList({
      ...{ kind, baseUrl: new URL(url), key: keys[0]!, known: voices, clock },
      onRead: (ids) => this.onRead?.(name, ids),
    });
    onStop(list.watch());
    this.opened.set(name, list);
    return list;
  }
  /** Of one that is open; rejects as `HttpVoiceList.list`. */
  async of(name: string): Promise<readonly ListedVoice[]> {
    return (await this.opened.get(name)?.list()) ?? [];
  }
}

/** In a process that plays: as the primary has read them, so that all processes tell the same. */
export class ToldVoiceLists implements VoiceLists {
  private readonly ids = new Map<string, ReadonlySet<string>>();
  private readonly ask: (service: string) => Promise<readonly ListedVoice[]>;

  constructor(ask: ToldVoiceLists['ask']) {
    this.ask = ask;
  }
  open({ name }: SpeechService): VoiceList {
    const first = (voices: readonly ListedVoice[]) => {
      // What was told meanwhile is newer.
      if (!this.ids.has(name))
        this.told(
          name,
          voices.map(({ id }) => id),
        );
    };
    this.ask(name).then(first, () => {}); // one that is away is told when it is back
    return { list: () => this.ask(name), has: (voice) => this.ids.get(name)?.has(voice) ?? false };
  }
  told(name: string, ids: readonly string[]): void {
    this.ids.set(name, new Set(ids));
  }
}

export function openServiceVoices(service: SpeechService, lists: VoiceLists): ServiceVoices {
  const { kind, isEmbedded, voices, ownNames } = service;
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
  const list = lists.open(service);
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
