// The typed client of Voxgate: the REST side of the speech service, and sessions, for browsers and Node. Its types are those of
// the gateway's schemas, without them.

import type {
  AgentProfile,
  AgentRecord,
  AgentStatsRecord,
  DeliveryRecord,
  JobFields,
  JobRecord,
  ListedVoice,
  PlayNoteFields,
  PlayNoteRecord,
  Preset,
  SessionFormat,
  SpeechFields,
  TurboFields,
} from './messages.ts';
import type { WebSocketClass } from './open-socket.ts';
import { callerOf, createRestCall, type RestOptions, type RestRequest } from './rest-call.ts';
import { connectSession, type SessionClient, type SessionListeners } from './session-client.ts';
import { mayTryAgain, SessionError, systemCodeOf } from './session-error.ts';
import { VoxgateError } from './voxgate-error.ts';

export type * from './messages.ts';
export type { WebSocketClass } from './open-socket.ts';
export type {
  ConnectionChange,
  EventOf,
  ServerEventType,
  SessionClient,
  SessionClientOptions,
  SessionClosed,
  SessionListeners,
} from './session-client.ts';
export { connectSession, SessionError, VoxgateError };

/** Fields of a PlayNote without its source. */
export type PlayNoteWish = Omit<PlayNoteFields, 'sourceFileUrl'>;
export type PlayNoteSource = { readonly file: Blob; readonly name: string } | { readonly url: string };

export type ClientOptions = RestOptions & {
  /** Sessions come back after a drop; unless it is false. */
  readonly resumable?: boolean | undefined;
  /**
   * A token of scope `speak`, or what gets one for each session: stands in for the key, which no WebSocket of a browser can
   * carry. REST calls take none.
   */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** Where there is no global one (Node 20): that of the package `ws`. */
  readonly WebSocket?: WebSocketClass | undefined;
};
/** What `configure` takes, and `agent`. */
export type SessionQuery = Readonly<Record<string, string>> | SessionPreset;
type SessionPreset = { readonly [Field in keyof Preset]?: Preset[Field] } & { readonly agent?: string };

export type PageWish = { readonly limit?: number; readonly cursor?: string };
export type Page<T> = {
  readonly items: readonly T[];
  /** For `cursor` of the next; undefined on the last page. */
  readonly next: string | undefined;
};

export type TokenWish = { readonly expiresInSeconds?: number } & (
  | { readonly scope: 'speak' }
  | { readonly scope: 'watch'; readonly session: string; readonly media?: readonly ('captions' | 'audio')[] }
);
export type IssuedToken = {
  readonly id: string;
  readonly token: string;
  readonly scope: 'speak' | 'watch';
  readonly expiresAt: string;
};
export type WatchWish =
  | { readonly what: 'events' | 'captions.vtt' }
  | { readonly what: 'audio'; readonly format?: SessionFormat; readonly sampleRate?: number };

export type CreateOptions = { readonly idempotencyKey?: string; readonly signal?: AbortSignal };
export type WaitOptions<T> = {
  readonly onProgress?: (record: T) => void;
  readonly signal?: AbortSignal;
  /** Between two looks; half a second unless set. */
  readonly everyMs?: number;
};

/** All calls reject with a `VoxgateError` for what the gateway refused, `session` and what comes of it with a `SessionError`. */
export type VoxgateClient = {
  voices(signal?: AbortSignal): Promise<readonly ListedVoice[]>;
  /** The audio as it is made: read its `body` to the end, or abort. */
  speak(fields: SpeechFields, signal?: AbortSignal): Promise<Response>;
  readonly jobs: {
    create(fields: JobFields, options?: CreateOptions): Promise<JobRecord>;
    createTurbo(fields: TurboFields, options?: CreateOptions): Promise<JobRecord>;
    get(id: string): Promise<JobRecord>;
    list(page?: PageWish): Promise<Page<JobRecord>>;
    cancel(id: string): Promise<JobRecord>;
    delete(id: string): Promise<void>;
    /** Resolves with the job once it has ended, however; outlasts what keeps it from looking for up to a minute. */
    wait(id: string, options?: WaitOptions<JobRecord>): Promise<JobRecord>;
  };
  readonly playNotes: {
    create(source: PlayNoteSource, wish: PlayNoteWish, options?: CreateOptions): Promise<PlayNoteRecord>;
    get(id: string): Promise<PlayNoteRecord>;
    list(page?: PageWish): Promise<Page<PlayNoteRecord>>;
    delete(id: string): Promise<void>;
    wait(id: string, options?: WaitOptions<PlayNoteRecord>): Promise<PlayNoteRecord>;
  };
  readonly agents: {
    create(profile: AgentProfile, options?: CreateOptions): Promise<AgentRecord>;
    get(id: string): Promise<AgentRecord>;
    list(page?: PageWish): Promise<Page<AgentRecord>>;
    patch(id: string, patch: Partial<AgentProfile>): Promise<AgentRecord>;
    stats(id: string): Promise<AgentStatsRecord>;
  };
  readonly webhooks: {
    secret(): Promise<string>;
    deliveries(page?: PageWish): Promise<Page<DeliveryRecord>>;
    replay(id: string): Promise<DeliveryRecord>;
  };
  readonly tokens: {
    /** For a browser of another person: to speak in a session of its own, or to watch one of yours. */
    create(grant: TokenWish): Promise<IssuedToken>;
    revoke(id: string): Promise<void>;
  };
  /** Looks on at a session: read the `body` of what is answered until it ends, or abort. */
  watch(session: string, what: WatchWish, signal?: AbortSignal): Promise<Response>;
  /** A session of the native protocol, after its `ready`; `query` presets its configuration. */
  session(query?: SessionQuery, listeners?: SessionListeners): Promise<SessionClient>;
};

/** What the gateway tells at once may take as long as this. */
const FIRST_AUDIO_MS = 60_000;
const UPLOAD_MS = 10 * 60_000;
const LOOK_MS = 500;
/** In a row, each pause twice the one before: a minute when nobody answers. */
const MAX_FAILED_LOOKS = 6;

const mayPass = (error: unknown): boolean =>
  error instanceof VoxgateError
    ? mayTryAgain({ code: error.errorId?.toLowerCase(), status: error.status })
    : mayTryAgain({ systemCode: systemCodeOf(error) });

const pauseMs = (ms: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    if (signal?.aborted === true) end();
    else signal?.addEventListener('abort', end, { once: true });
  });

export function createVoxgateClient(options: ClientOptions): VoxgateClient {
  const call = createRestCall(options);
  const ask = <T>(path: string, request: RestRequest = {}): Promise<T> =>
    call(path, request, async (response) => (await response.json()) as T);
  const page = <T>(path: string, wish: PageWish = {}): Promise<Page<T>> =>
    call(path, { query: { ...wish } }, async (response) => {
      const link = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
      const next =
        link === undefined ? undefined : (new URL(link, 'http://x').searchParams.get('cursor') ?? undefined);
      return { items: (await response.json()) as T[], next };
    });
  const remove = (path: string): Promise<void> => call(path, { method: 'DELETE' }, () => {});
  const at = (path: string, id: string) => `${path}/${encodeURIComponent(id)}`;
  const waitFor = async <T>(
    look: () => Promise<T>,
    isOver: (record: T) => boolean,
    wait: WaitOptions<T> = {},
  ): Promise<T> => {
    for (let failures = 0; ; ) {
      wait.signal?.throwIfAborted();
      let waitMs = wait.everyMs ?? LOOK_MS;
      let record: T | undefined;
      try {
        record = await look();
        failures = 0;
      } catch (error) {
        // The work goes on whether we can look or not: a full minute or a restart costs nobody the result.
        failures += 1;
        if (failures > MAX_FAILED_LOOKS || !mayPass(error)) throw error;
        waitMs = Math.max(waitMs * 2 ** failures, (error as VoxgateError).retryAfterMs ?? 0);
      }
      if (record !== undefined) {
        wait.onProgress?.(record);
        if (isOver(record)) return record;
      }
      await pauseMs(waitMs, wait.signal);
    }
  };

  const jobs: VoxgateClient['jobs'] = {
    create: (json, more) => ask('/api/v1/tts', { method: 'POST', json, ...more }),
    createTurbo: (json, more) => ask('/api/v1/tts/turbo', { method: 'POST', json, ...more }),
    get: (id) => ask(at('/api/v1/tts', id)),
    list: (wish) => page('/api/v1/tts', wish),
    cancel: (id) => ask(`${at('/api/v1/tts', id)}/cancel`, { method: 'POST' }),
    delete: (id) => remove(at('/api/v1/tts', id)),
    wait: (id, wait) =>
      waitFor(
        () => jobs.get(id),
        ({ status }) => status !== 'waiting' && status !== 'running',
        wait,
      ),
  };
  const playNotes: VoxgateClient['playNotes'] = {
    create(source, wish, more) {
      const form = new FormData();
      // Several names are one field, by commas.
      for (const [name, value] of Object.entries(wish))
        if (value !== undefined) form.append(name, [value ?? ''].flat().join(','));
      // The file last: by then everything else can have been judged.
      if ('url' in source) form.append('sourceFileUrl', source.url);
      else form.append('sourceFile', source.file, source.name);
      return ask('/api/v1/playnotes', { method: 'POST', form, deadlineMs: UPLOAD_MS, ...more });
    },
    get: (id) => ask(at('/api/v1/playnotes', id)),
    list: (wish) => page('/api/v1/playnotes', wish),
    delete: (id) => remove(at('/api/v1/playnotes', id)),
    wait: (id, wait) =>
      waitFor(
        () => playNotes.get(id),
        ({ status }) => status !== 'generating',
        wait,
      ),
  };

  return {
    voices: (signal) => ask('/api/v1/voices', { signal }),
    speak: (json, signal) =>
      call(
        '/api/v1/tts/stream',
        { method: 'POST', json, signal, deadlineMs: FIRST_AUDIO_MS },
        (reply) => reply,
      ),
    jobs,
    playNotes,
    agents: {
      create: (json, more) => ask('/api/v1/agents', { method: 'POST', json, ...more }),
      get: (id) => ask(at('/api/v1/agents', id)),
      list: (wish) => page('/api/v1/agents', wish),
      patch: (id, json) => ask(at('/api/v1/agents', id), { method: 'PATCH', json }),
      stats: (id) => ask(at('/api/v1/agent-stats', id)),
    },
    webhooks: {
      secret: async () => (await ask<{ secret: string }>('/api/v1/webhooks/secret')).secret,
      deliveries: (wish) => page('/api/v1/webhooks/deliveries', wish),
      replay: (id) => ask(`${at('/api/v1/webhooks/deliveries', id)}/replay`, { method: 'POST' }),
    },
    tokens: {
      create: (json) => ask('/v1/tokens', { method: 'POST', json }),
      revoke: (id) => remove(at('/v1/tokens', id)),
    },
    watch(session, { what, ...query }, signal) {
      return call(`${at('/v1/sessions', session)}/${what}`, { query, signal }, (reply) => reply);
    },
    async session(query = {}, listeners = {}) {
      const { token, WebSocket, resumable = true } = options;
      const { base, headers } = callerOf(options);
      const url = new URL(`${base.replace(/^http/, 'ws')}/v1/session`);
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) url.searchParams.set(name, String(value));
      const credentials =
        token === undefined
          ? { headers }
          : { protocols: [`token.${typeof token === 'string' ? token : await token()}`] };
      const asked = url.searchParams.get('resumable');
      return connectSession({
        url: url.href,
        WebSocket,
        resumable: asked === null ? resumable : asked === '1',
        ...credentials,
        ...listeners,
      });
    },
  };
}
