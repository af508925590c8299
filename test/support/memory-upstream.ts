// A speech service in memory that does what a test says, when it says so: no socket, no time of its own. Every
// request waits until the test answers it, or `auto` answers it at once.
//
//   const upstream = createMemoryUpstream();
//   …
//   const request = upstream.requests[0]!;
//   request.send(speechMp3(500));
//   request.end();

import type { BodyType } from '../../src/audio/bodies/body-type.ts';
import type { OutgoingRequest } from '../../src/speech/speech-request.ts';
import type { OpenOptions, QueuedNotice, SpeechUpstream } from '../../src/upstream/speech-upstream.ts';

export type MemoryRequest = {
  readonly body: OutgoingRequest;
  /** `asked`: not answered yet; `open`: the body flows; the others are final. */
  readonly state: 'asked' | 'open' | 'ended' | 'failed' | 'aborted';
  /** Bytes that have been sent and not been read: they grow while the reader holds back. */
  readonly unreadBytes: number;
  queued(notice: QueuedNotice): void;
  /** The first call answers the request. */
  send(bytes: Uint8Array): void;
  end(): void;
  fail(error: Error): void;
};

export type MemoryUpstream = SpeechUpstream & {
  /** In order of asking. */
  readonly requests: readonly MemoryRequest[];
  /** Requests that are neither ended nor failed nor aborted. */
  readonly live: readonly MemoryRequest[];
};

/** `type`: what all bodies are; by default nothing is said of them, and they are MP3. */
export function createMemoryUpstream(
  auto: (request: MemoryRequest) => void = () => {},
  type?: BodyType,
): MemoryUpstream {
  const requests: MemoryRequest[] = [];
  return {
    requests,
    get live() {
      return requests.filter(({ state }) => state === 'asked' || state === 'open');
    },
    open(body, options) {
      const { request, opened } = createRequest(body, options, type);
      options.onSent?.();
      requests.push(request);
      auto(request);
      return opened;
    },
  };
}

function createRequest(body: OutgoingRequest, { signal, onQueued }: OpenOptions, type: BodyType | undefined) {
  let state: MemoryRequest['state'] = 'asked';
  const chunks: Uint8Array[] = [];
  let failure = new Error('not failed');
  let wakeReader = () => {};
  let answer = () => {};
  let refuse = (_error: Error) => {};

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        if (state === 'aborted') throw signal.reason;
        const chunk = chunks.shift();
        if (chunk !== undefined) yield chunk;
        else if (state === 'ended') return;
        else if (state === 'failed') throw failure;
        else
          await new Promise<void>((resolve) => {
            wakeReader = resolve;
          });
      }
    } finally {
      if (state === 'open') state = 'aborted';
    }
  }
  const opened = new Promise<{
    chunks: AsyncIterable<Uint8Array>;
    type?: BodyType;
    queueMs: number;
    ttfbMs: number;
    attempts: number;
  }>((resolve, reject) => {
    answer = () =>
      resolve({
        chunks: read(),
        ...(type === undefined ? {} : { type }),
        queueMs: 0,
        ttfbMs: 5,
        attempts: 1,
      });
    refuse = reject;
  });
  const abort = () => {
    if (state !== 'asked' && state !== 'open') return;
    state = 'aborted';
    refuse(signal.reason as Error);
    wakeReader();
  };
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });

  const request: MemoryRequest = {
    body,
    get state() {
      return state;
    },
    get unreadBytes() {
      return chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    },
    queued(notice) {
      if (state === 'asked') onQueued?.(notice);
    },
    send(bytes) {
      if (state !== 'asked' && state !== 'open') return;
      state = 'open';
      chunks.push(bytes);
      answer();
      wakeReader();
    },
    end() {
      if (state !== 'asked' && state !== 'open') return;
      state = 'ended';
      answer();
      wakeReader();
    },
    fail(error) {
      if (state !== 'asked' && state !== 'open') return;
      const wasAsked = state === 'asked';
      state = 'failed';
      failure = error;
      if (wasAsked) refuse(error);
      wakeReader();
    },
  };
  return { request, opened };
}

/** Answers every request at once with `speech` of its text. */
export const atOnce =
  (speech: (text: string) => Uint8Array) =>
  (request: MemoryRequest): void => {
    request.send(speech(request.body.text));
    request.end();
  };
