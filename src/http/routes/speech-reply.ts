// A text spoken as the reply to an HTTP request, for the service's own route and for those of other vendors. It begins
// with the first audio, so that a failure before it still has its status; a caller that leaves, or reads nothing any
// more, ends it at the speech service.

import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { toAppError } from '../../base/app-error.ts';
import type { TimedWord } from '../../captions/word-timeline.ts';
import { type DrainedSpeechOptions, drainSpeech } from '../../pipeline/drained-speech.ts';
import type { SpeechRuntime } from '../../pipeline/speech-runtime.ts';
import type { AskedSound } from '../../speech/audio-format.ts';
import { usualRateOf } from '../../speech/reply-media-type.ts';
import type { OpenReplies } from '../server/open-replies.ts';
import { withReadTimeout } from '../server/read-timeout.ts';
import { noteRequest } from '../server/request-log.ts';

export type SpeechReplyMeans = {
  readonly runtime: SpeechRuntime;
  readonly replies: OpenReplies;
};

export type SpeechToReply = Omit<DrainedSpeechOptions, 'runtime' | 'toWork' | 'listener'> & {
  readonly tenant: string;
};

export type BegunSpeech = {
  /** As `DrainedSpeech`. */
  readonly service: string | undefined;
  readonly ignored: readonly string[];
  /** The first chunk is there; the rest comes as it is made. */
  readonly chunks: AsyncGenerator<Uint8Array, void, undefined>;
  readonly sampleRate: number;
  /** For the reply's headers: what the service has sent, where that is not MP3. */
  readonly headers: Readonly<Record<string, string>>;
  /** Made so far. */
  audioMs(): number;
  /** As `DrainedSpeech.words`. */
  readonly words: () => readonly TimedWord[];
};

/** One text, 20,000 characters of up to 12 bytes (two JSON escapes), and both prompts of as many. */
export const SPEECH_BODY_BYTES = 1024 * 1024;
export const REPLY_FRAME_MS = 20;
/** The pause after which a listener of such a reply counts as new. */
const DUE_AFTER_MS = 1000;
/** What a speech service usually takes to its first byte. */
const FIRST_BYTE_MS = 500;
/** Systems buffer megabytes of a reply: a client that plays it as it comes may not read for a minute. */
const STALLED_MS = 120_000;

const gone = () => new Error('the client has gone');

/** Throws what the speech failed with before its first audio, `shutting_down`, and when the caller has left. */
export async function beginSpeech(
  { raw, request }: FastifyReply,
  { runtime, replies }: SpeechReplyMeans,
  { tenant, ...spoken }: SpeechToReply,
): Promise<BegunSpeech> {
  const { clock } = runtime;
  // A reply that is already closed emits no second `close`.
  if (raw.destroyed) throw gone();
  replies.add(raw);
  const left = new AbortController();
  raw.once('close', () => left.abort(gone()));
  const speech = drainSpeech(
    {
      ...spoken,
      tenant,
      runtime,
      toWork: (of, inMs) => ({
        class: of,
        tenant,
        request: request.id,
        deadlineMs: clock.now() + (of === 'first' ? DUE_AFTER_MS : Math.max(0, inMs - FIRST_BYTE_MS)),
      }),
      listener: 'live',
    },
    left.signal,
  );
  const fromMs = clock.now();
  const first = await speech.chunks.next();
  noteRequest(request, { firstAudioMs: clock.now() - fromMs, audioMs: () => speech.audioMs() });
  async function* all() {
    if (!first.done) yield first.value;
    try {
      yield* speech.chunks;
    } catch (thrown) {
      // The reply has its status already; a caller that has left is no failure.
      if (!left.signal.aborted) noteRequest(request, { broke: toAppError(thrown).code });
      throw thrown;
    }
  }
  return {
    service: speech.service(),
    ignored: speech.ignored(),
    chunks: withReadTimeout(all(), STALLED_MS, clock, () => raw.destroy()),
    sampleRate: speech.sampleRate() ?? usualRateOf('mp3'),
    headers: receivedHeader(speech.received()),
    audioMs: () => speech.audioMs(),
    words: () => speech.words(),
  };
}

const receivedHeader = ({ format, sampleRate }: AskedSound): Record<string, string> =>
  format === 'mp3'
    ? {}
    : { 'X-Voxgate-Received': sampleRate === undefined ? format : `${format};rate=${sampleRate}` };

/** What fails from here on ends the reply without its end, so that it is seen not to be whole. */
export const sendSpeech = (reply: FastifyReply, body: AsyncIterable<Uint8Array>): FastifyReply =>
  reply.send(Readable.from(body, { objectMode: false, highWaterMark: 64 * 1024 }));
