// The voices of a speech service elsewhere, by what its kind answers. The list is kept for a while, because people look at it again
// and again; when the service does not answer, the list of last time is told.

import { request } from 'undici';
import { z } from 'zod';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { PUBLIC_ADDRESSES, type ServiceKindName } from '../../settings/service-kind-names.ts';
import { type ListedVoice, listedVoiceSchema } from '../../speech/listed-voice.ts';
import { WELL_KNOWN_NAMES } from '../../speech/well-known-voices.ts';
import type { Credentials } from '../speech-transport.ts';

export type HttpVoiceListOptions = {
  readonly kind: Exclude<ServiceKindName, 'engine'>;
  readonly baseUrl: URL;
  readonly key: Credentials;
  /** Told where the service has no list. */
  readonly known: readonly ListedVoice[];
  readonly clock: Clock;
  /** Each time that it has been read. */
  readonly onRead?: (ids: readonly string[]) => void;
};

export type HttpVoiceList = {
  /** Rejects with `upstream_unreachable` when the service does not answer and never has. */
  list(): Promise<readonly ListedVoice[]>;
  /** Whether the last list has it; false while there is none. */
  has(voice: string): boolean;
  /**
   * Reads it now, and again from time to time, until the function that is returned is called: nobody who asks waits for a service
   * from then on, but for the first answer.
   */
  watch(): () => Promise<void>;
};

const DEADLINE_MS = 10_000;
const KEPT_MS = 5 * 60_000;
/** A service that did not answer is asked again after this. */
const RETRY_MS = 10_000;
const MAX_VOICES = 10_000;
const MAX_PAGES = 20;
const MAX_BYTES = 16 * 1024 * 1024;

type Page = {
  readonly voices: readonly ListedVoice[] /** Behind the base address. */;
  readonly next?: string;
};
/** How the list of a kind is asked for and read. A page that does not look as expected throws. */
type ListRoute = {
  readonly path: string;
  readonly headers: (key: Credentials) => Readonly<Record<string, string>>;
  readonly read: (answer: unknown) => Page;
};

const textOf = z.string().nullish().catch(undefined);
const present = (fields: { readonly [Name in keyof ListedVoice]: ListedVoice[Name] | null }): ListedVoice =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value != null && value !== ''),
  ) as ListedVoice;
const bearer = ({ apiKey }: Credentials): Readonly<Record<string, string>> =>
  apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` };

const ownVoices = z.array(listedVoiceSchema);

/** Longer lists are cut before they are looked at. */
function cut(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.slice(0, MAX_VOICES);
  if (typeof answer !== 'object' || answer === null) return answer;
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [
      name,
      Array.isArray(value) ? (value.slice(0, MAX_VOICES) as unknown) : value,
    ]),
  );
}

/** `voice_id`, `labels` as the package @elevenlabs/elevenlabs-js 2.73 reads them. */
const elevenLabsVoices = z.object({
  voices: z.array(
    z.object({
      voice_id: z.string().min(1),
      name: textOf,
      description: textOf,
      labels: z.record(z.string(), z.unknown()).nullish().catch(undefined),
    }),
  ),
});
/** As the package @deepgram/sdk 5.13 reads them. */
const deepgramModels = z.object({
  tts: z.array(
    z.object({
      canonical_name: z.string().min(1),
      name: textOf,
      languages: z.array(z.string()).nullish().catch(undefined),
      metadata: z
        .object({ tags: z.array(z.string()).nullish().catch(undefined), accent: textOf })
        .nullish()
        .catch(undefined),
    }),
  ),
});
/** As the package @cartesia/cartesia-js 4.2 reads them. */
const cartesiaVoices = z.object({
  data: z.array(
    z.object({ id: z.string().min(1), name: textOf, description: textOf, language: textOf, gender: textOf }),
  ),
  has_more: z.boolean().optional().catch(undefined),
});
/** Of servers that people run themselves: names, or objects with one (Kokoro-FastAPI, speaches, vLLM-Omni; from their documents). */
const namedVoice = z.union([
  z.string().min(1),
  z.object({ id: textOf, voice_id: textOf, name: textOf, language: textOf, gender: textOf }),
]);
const namedVoices = z.union([
  z.array(namedVoice),
  z.object({ voices: z.array(namedVoice) }).transform(({ voices }) => voices),
  z.object({ data: z.array(namedVoice) }).transform(({ data }) => data),
]);

const GENDERS: Readonly<Record<string, string>> = {
  female: 'Female',
  feminine: 'Female',
  male: 'Male',
  masculine: 'Male',
};
const genderOf = (words: readonly (string | null | undefined)[]): string | undefined =>
  words.map((word) => GENDERS[word?.toLowerCase() ?? '']).find((gender) => gender !== undefined);
const labelOf = (labels: Readonly<Record<string, unknown>> | null | undefined, name: string) => {
  const value = labels?.[name];
  return typeof value === 'string' ? value : undefined;
};

const CARTESIA_PATH = '/voices?limit=100';

const ROUTES: Readonly<Record<HttpVoiceListOptions['kind'], ListRoute>> = {
  'speech-service': {
    path: '/api/v1/voices',
    headers: (key) => ({ ...bearer(key), 'x-user-id': key.userId }),
    read: (answer) => ({ voices: ownVoices.parse(answer) }),
  },
  openai: {
    path: '/audio/voices',
    headers: bearer,
    read: (answer) => ({
      voices: namedVoices.parse(answer).flatMap((each) => {
        if (typeof each === 'string') return [{ id: each }];
        const id = each.id ?? each.voice_id ?? each.name;
        if (id == null || id === '') return [];
        return [present({ id, name: each.name, language: each.language, gender: genderOf([each.gender]) })];
      }),
    }),
  },
  elevenlabs: {
    path: '/v1/voices',
    headers: ({ apiKey }) => ({ 'xi-api-key': apiKey }),
    read: (answer) => ({
      voices: elevenLabsVoices.parse(answer).voices.map(({ voice_id, name, description, labels }) =>
        present({
          id: voice_id,
          name,
          description,
          gender: genderOf([labelOf(labels, 'gender')]),
          language: labelOf(labels, 'language'),
        }),
      ),
    }),
  },
  deepgram: {
    path: '/v1/models',
    headers: ({ apiKey }) => ({ authorization: `Token ${apiKey}` }),
    read: (answer) => ({
      voices: deepgramModels.parse(answer).tts.map(({ canonical_name, name, languages, metadata }) =>
        present({
          id: canonical_name,
          name,
          gender: genderOf(metadata?.tags ?? []),
          language: languages?.[0],
          description: metadata?.accent,
        }),
      ),
    }),
  },
  cartesia: {
    path: CARTESIA_PATH,
    headers: (key) => ({ ...bearer(key), 'cartesia-version': '2026-08-14' }),
    read(answer) {
      const { data, has_more: more } = cartesiaVoices.parse(answer);
      const last = data.at(-1);
      return {
        voices: data.map(({ id, name, description, language, gender }) =>
          present({ id, name, description, language, gender: genderOf([gender]) }),
        ),
        ...(more === true && last !== undefined
          ? { next: `${CARTESIA_PATH}&starting_after=${encodeURIComponent(last.id)}` }
          : {}),
      };
    },
  },
};

/** OpenAI itself lists no voices over HTTP; its names are known. */
const fixedVoices = (kind: HttpVoiceListOptions['kind'], baseUrl: URL): readonly ListedVoice[] | undefined =>
  kind === 'openai' && baseUrl.origin === new URL(PUBLIC_ADDRESSES.openai!).origin
    ? [...WELL_KNOWN_NAMES.openai].map((id) => ({ id }))
    : undefined;

/** The answer as JSON; undefined where the service has no such list, `refused` where it may have one later. */
async function ask(
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<unknown> {
  const { statusCode, body } = await request(url, { headers, signal });
  if (statusCode !== 200) {
    await body.dump();
    if (statusCode >= 500 || statusCode === 429) return 'refused';
    return undefined;
  }
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BYTES) throw new Error('answered with too much');
    parts.push(part);
  }
  return JSON.parse(Buffer.concat(parts).toString('utf8'));
}

export function createHttpVoiceList(options: HttpVoiceListOptions): HttpVoiceList {
  const { kind, baseUrl, key, known, clock, onRead } = options;
  const route = ROUTES[kind];
  const fixed = fixedVoices(kind, baseUrl);
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  let last: { readonly voices: readonly ListedVoice[]; readonly ids: ReadonlySet<string> } | undefined;
  let asking: Promise<readonly ListedVoice[]> | undefined;
  let freshUntilMs = Number.NEGATIVE_INFINITY;
  /** Why it has never been read; of a list that is watched. */
  let failed: AppError | undefined;
  const watching = new AbortController();
  let state: 'asked-for' | 'watched' = 'asked-for';

  const read = async (): Promise<readonly ListedVoice[]> => {
    const signal = AbortSignal.any([AbortSignal.timeout(DEADLINE_MS), watching.signal]);
    const voices: ListedVoice[] = [];
    let path: string | undefined = route.path;
    for (let pages = 0; path !== undefined && pages < MAX_PAGES && voices.length < MAX_VOICES; pages += 1) {
      const answer = await ask(new URL(prefix + path, baseUrl), route.headers(key), signal);
      if (answer === 'refused' && last !== undefined) throw new Error('refused');
      if (answer === undefined || answer === 'refused') break;
      let page: Page;
      try {
        page = route.read(cut(answer));
      } catch {
        break; // another kind of list
      }
      voices.push(...page.voices);
      path = page.next;
    }
    return voices.length === 0 ? known : voices.slice(0, MAX_VOICES);
  };
  const refresh = async (): Promise<readonly ListedVoice[]> => {
    try {
      const voices = await read();
      last = { voices, ids: new Set(voices.map(({ id }) => id)) };
      freshUntilMs = clock.now() + KEPT_MS;
      failed = undefined;
      onRead?.([...last.ids]);
      return voices;
    } catch (cause) {
      if (last !== undefined) {
        freshUntilMs = clock.now() + RETRY_MS;
        return last.voices;
      }
      failed = new AppError(
        'upstream_unreachable',
        'The list of voices could not be read from the speech service.',
        { cause },
      );
      throw failed;
    } finally {
      asking = undefined;
    }
  };

  return {
    async list() {
      if (fixed !== undefined) return fixed;
      const isGood = state === 'watched' || clock.now() < freshUntilMs;
      if (last !== undefined && isGood) return last.voices;
      if (state === 'watched' && failed !== undefined) throw failed;
      asking ??= refresh();
      return asking;
    },
    has: (voice) => last?.ids.has(voice) ?? false,
    watch() {
      if (fixed !== undefined) return async () => {};
      state = 'watched';
      let disarm = () => {};
      const look = async () => {
        asking ??= refresh();
        await asking.catch(() => {}); // told to those who ask
        if (watching.signal.aborted) return;
        const isThere = failed === undefined && clock.now() < freshUntilMs - RETRY_MS;
        disarm = clock.after(isThere ? KEPT_MS : RETRY_MS, () => void look());
      };
      const first = look();
      return async () => {
        watching.abort();
        disarm();
        await first;
      };
    },
  };
}
