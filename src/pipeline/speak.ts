// The whole path of one turn, top to bottom: text → upstream → spool → sound → frames.
// Live turns, HTTP bodies and files all come through here; they differ only in who drains the frames.

import type { Transcoder } from '../audio/transcoder.ts';
import type { FrameQueue } from '../playout/frame-queue.ts';
import type { RequestText } from '../text/request-text.ts';
import type { SpeechWork } from '../upstream/speech-work.ts';
import type { BodySpool } from './body-spool.ts';
import type { RequestLine } from './request-line.ts';
import { type RequestVoice, sayRequest } from './say-request.ts';
import { requestsOf, sayByChain, type TurnChain } from './service-chain.ts';

/** What speech is given to, data and control in one row. */
export type SpeechSink = Pick<Transcoder, 'push'>;

export type TurnAudio = RequestVoice & {
  readonly spool: BodySpool;
  /** Where several services may say it; it is then said with the voices of these. */
  readonly chain?: TurnChain | undefined;
  readonly requests: Pick<RequestLine, 'next'>;
  /** Where the next item goes: into the transcoder, or into what records it on its way there. */
  sink(): SpeechSink;
  readonly transcoder: Pick<Transcoder, 'prepare' | 'settled' | 'isSilent' | 'close'>;
  readonly frames: Pick<FrameQueue, 'isFull' | 'room' | 'end'>;
  /** It is this turn's time to be heard; one that is made ahead may still find what it needs. */
  isFirst(): boolean;
  /** How long a request is when it is sent, where that is not the length of its text. */
  readonly saidLength?: ((text: RequestText) => number) | undefined;
  /** The silence between two requests, ms; absent: none. */
  pauseBetween?(before: RequestText, after: RequestText): number;
  /** What the next request is worth to the scheduler; asked once for each. */
  toWork(): SpeechWork;
  /** `arrived` and its like are about the last asked request. */
  readonly report: {
    /** A request is about to be sent; its words belong to the audio that follows, behind so much silence. */
    asked(text: RequestText, pauseMs: number): void;
    /** Everything before so many flushes has become frames. */
    flushed(count: number): void;
  };
};

/** What is heard for a text that holds nothing to say. */
const SILENCE_MS = 100;

/**
 * Speaks until the text has ended and its last frame is queued. Rejects with the upstream's error once all audio that did
 * arrive has been queued, and leaves the queue ended and the codec closed; the caller aborts the signal afterwards, so that
 * a failure here does not leave the upstream running. Rejects with the signal's reason when that is aborted: queue and
 * codec are whoever's who aborted it, and are not touched any more.
 */
export async function speak(turn: TurnAudio, signal: AbortSignal): Promise<void> {
  const { spool, frames, transcoder } = turn;
  const settle = async (item: { readonly kind: 'release' | 'finish' }) => {
    turn.sink().push(item);
    await transcoder.settled();
    signal.throwIfAborted();
  };
  const endUnlessAborted = () => {
    if (signal.aborted) return;
    frames.end();
    transcoder.close();
  };
  try {
    if (turn.isFirst()) transcoder.prepare();
    void fillSpool(turn, signal); // runs ahead; its failure surfaces in the loop below
    while (!spool.isEnded()) {
      if (!spool.hasNext()) await spool.more(signal);
      else {
        if (frames.isFull()) await frames.room(signal); // the one place where playback holds decoding back
        signal.throwIfAborted(); // what was waited for may have come just before
        const item = spool.take();
        if (item?.kind === 'flush') {
          await settle({ kind: 'release' });
          turn.report.flushed(item.count);
        } else if (item !== undefined) turn.sink().push(item);
      }
    }
    if (transcoder.isSilent()) {
      if (frames.isFull()) await frames.room(signal); // a turn made ahead takes no CPU-heavy encoder before its time
      signal.throwIfAborted();
      turn.sink().push({ kind: 'silence', ms: SILENCE_MS });
    }
  } finally {
    if (!signal.aborted) await settle({ kind: 'finish' }).finally(endUnlessAborted);
  }
}

/** Request by request into the spool; never rejects, because the spool carries the failure to the loop above. */
async function fillSpool(turn: TurnAudio, signal: AbortSignal): Promise<void> {
  const { requests, spool, report, chain } = turn;
  let before: RequestText | undefined;
  try {
    for (let item = await requests.next(signal); item !== undefined; item = await requests.next(signal)) {
      if (item.kind === 'flush') spool.add(item);
      else if (chain !== undefined) before = await sayByChain(turn, chain, item.text, before, signal);
      else
        for (const text of requestsOf(item.text, turn.upstream.shape, turn.saidLength)) {
          const work = turn.toWork();
          const pauseMs = before === undefined ? 0 : (turn.pauseBetween?.(before, text) ?? 0);
          before = text;
          report.asked(text, pauseMs);
          if (pauseMs > 0) spool.add({ kind: 'pause', ms: pauseMs });
          await sayRequest(turn, text, work, signal);
        }
    }
    spool.end();
  } catch (error) {
    spool.fail(error);
  }
}
