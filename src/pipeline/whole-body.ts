// One request's speech, whole, whatever becomes of its body. A body that breaks, stalls or ends too soon is asked for
// again with the same seed: where the same bytes come, the speech goes on with the very next one; where others come,
// it goes on where they sound alike; and what cannot be made whole ends in a fade and an error, never in silence.
//
//   relaying ──broken, stalled──▶ asking again ──same bytes──▶ relaying
//       │                               └──other bytes──▶ joining ──▶ relaying, or the end
//       └──clean end──▶ whole, or in doubt ──▶ asking again, once

import type { Mp3Decoders } from '../audio/mp3-decoder.ts';
import { AppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import { pause } from '../base/pause.ts';
import type { OutgoingRequest } from '../speech/speech-request.ts';
import type { QueuedNotice, SpeechBody, SpeechUpstream } from '../upstream/speech-upstream.ts';
import type { SpeechWork } from '../upstream/speech-work.ts';
import { createCatchUp } from './catch-up.ts';
import type { Mp3Spool } from './mp3-spool.ts';
import {
  type Attempt,
  type AttemptEnd,
  type BodyReader,
  readAttempt,
  type SendProgress,
} from './read-attempt.ts';
import { boutRestMs } from './reading-bouts.ts';
import { createRelayedSpeech } from './relayed-speech.ts';
import { kindOf, NOTHING_SPENT, nextTry, spend, type Trouble } from './resume-policy.ts';
import { doubtOf, longestAudioMs } from './speech-guard.ts';
import type { ResumeKind, SpeechUpkeep } from './speech-upkeep.ts';

/** What keeps the speech of a turn whole, the same for all of its requests. */
export type Wholeness = {
  readonly clock: Clock;
  readonly decoders: Mp3Decoders;
  readonly upkeep: SpeechUpkeep;
  /** Audio that the listener has not heard yet, ms. */
  readonly remainingMs: () => number;
  readonly passesThrough: (sampleRate: number) => boolean;
  /** In bouts while the listener has plenty; else, and when it is not given, as it comes. */
  readonly reads?: 'in-bouts' | 'as-it-comes';
  /** What a request after a break is worth to the scheduler. */
  readonly resumeWork?: (() => SpeechWork) | undefined;
};

/** One request, and where its speech goes. */
export type WholeRequest = {
  readonly request: OutgoingRequest;
  /** How many letters its text has: they tell how long it may take. */
  readonly letters: number;
  /** What its first body is worth to the scheduler. */
  readonly work: SpeechWork;
  readonly upstream: SpeechUpstream;
  readonly spool: Mp3Spool;
  readonly report: RequestReport;
};

export type RequestReport = {
  readonly queued: (notice: QueuedNotice) => void;
  /** An HTTP request has been sent; a retry is one more. */
  readonly sent: () => void;
  /** By the first body. */
  answered(body: SpeechBody): void;
  /** How a body that broke was, or was not, taken up again. */
  resumed(kind: ResumeKind): void;
  /** Audio that has arrived, in ms of its own time; what is faded out at the end takes some of it back. */
  arrived(knownMs: number, state: 'arriving' | 'complete'): void;
};

/** A request after a break must be answered within this, once a key takes it. */
const ANSWER_MS = 10_000;

const isNoAudio = ({ code }: AppError) => code === 'upstream_bad_audio';
const endedEarly = () =>
  new AppError('upstream_broken', 'The audio ended before all of the text can have been spoken.');

/**
 * Speaks one request into its spool. Rejects with what the upstream rejects with before the first byte, with the
 * signal's reason, or when the speech is not whole (`upstream_…`); what came is in the spool.
 */
export async function relayWholeBody(
  whole: WholeRequest,
  wholeness: Wholeness,
  signal: AbortSignal,
): Promise<void> {
  const { request, letters, upstream, spool, report } = whole;
  const { clock, upkeep } = wholeness;
  const { pace } = upkeep;
  const relayed = createRelayedSpeech({
    ...wholeness,
    spool,
    longestMs: longestAudioMs(letters, pace.slowest(request)),
  });
  let stalls = 0;
  let spent = NOTHING_SPENT;
  /** Where a body came to a clean end, in its bytes. */
  let endedAt: number | undefined;
  /** The key that answered first: another one may speak the seed otherwise. */
  let key: string | undefined;

  const read = (reader: BodyReader, answerMs: number, open: Attempt['open']) =>
    readAttempt(
      {
        open,
        reader,
        spool,
        clock,
        answerMs,
        stallLimitMs: (audioMs) => upkeep.stallLimitMs(wholeness.remainingMs(), stalls, audioMs),
        restMs: (patienceMs) =>
          wholeness.reads === 'in-bouts' ? boutRestMs(wholeness.remainingMs(), patienceMs) : 0,
        onStall() {
          stalls += 1;
        },
        onAudio: () => report.arrived(relayed.heardMs(), 'arriving'),
      },
      signal,
    );

  /** What is wrong with the end of a body; undefined when nothing is. */
  const judge = (end: AttemptEnd, which: 'same-end' | 'another' = 'another'): Trouble | undefined => {
    const reading = relayed.reading();
    if (end.kind !== 'ended')
      return {
        error: end.error,
        doubt: reading.frames() === 0 && isNoAudio(end.error) ? 'no-audio' : undefined,
      };
    const doubt = doubtOf({
      heldBytes: reading.heldBytes(),
      frames: reading.framesSinceTag(),
      tag: reading.tag(),
      audioMs: relayed.heardMs(),
      characters: letters,
      charactersPerSecond: pace.fastest(request),
    });
    endedAt = relayed.print().bytes();
    if (doubt === undefined) pace.undoubted(request);
    else if (which === 'same-end') pace.endedAlike(request, doubt);
    if (doubt === undefined || pace.isBelieved(request, doubt)) return undefined;
    upkeep.onDoubt(doubt);
    return { error: endedEarly(), doubt };
  };
  const mayAskAgain = (trouble: Trouble): boolean => {
    const next = nextTry(trouble, spent);
    return next === 'resume' || (next === 'regenerate' && upkeep.doubts.tryRetry(clock.now()));
  };
  const tell = (kind: ResumeKind) => {
    upkeep.onResume(kind);
    report.resumed(kind);
  };
  const openAgain = (cut: AbortSignal, { waits, sent }: SendProgress) => {
    const work = wholeness.resumeWork?.();
    return upstream.open(request, {
      signal: cut,
      onQueued(notice) {
        waits();
        report.queued(notice);
      },
      onSent() {
        report.sent();
        sent();
      },
      ...(work === undefined ? {} : { work }),
      ...(key === undefined ? {} : { prefer: key }),
    });
  };
  /** Asks once more; answers with what is wrong now. */
  const askAgain = async (trouble: Trouble): Promise<Trouble | undefined> => {
    await pause(spent.pauseMs, clock, signal);
    const from = relayed.print().bytes();
    const catchUp = createCatchUp(relayed, endedAt === from ? 'ended' : 'broken', (how) =>
      tell(kindOf(trouble, how)),
    );
    const end = await read(catchUp, ANSWER_MS, openAgain);
    const passed = catchUp.passed();
    if (passed === undefined) tell('failed');
    const isNews = passed === 'aligned' || relayed.print().bytes() > from;
    const result = {
      refusal: end.kind === 'refused' ? end.error : undefined,
      brought: catchUp.isUnlike() ? 'unlike' : isNews ? 'new-audio' : 'nothing-new',
    } as const;
    spent = spend(spent, trouble, result, wholeness.remainingMs());
    if (end.kind === 'refused' || (end.kind === 'ended' && passed === undefined)) return trouble;
    // Twice the same end may be how this voice ends, or how this service cuts: the pace of the voice knows.
    const isSameEnd = passed === 'agreed' || (passed === 'exact' && endedAt === relayed.print().bytes());
    return judge(end, end.kind === 'ended' && isSameEnd ? 'same-end' : 'another');
  };

  upkeep.doubts.request(clock.now());
  const first = await read(relayed, Number.POSITIVE_INFINITY, async (cut) => {
    const { work } = whole;
    const options = { signal: cut, work, onQueued: report.queued, onSent: report.sent };
    const body = await upstream.open(request, options);
    key = body.key;
    report.answered(body);
    return body;
  });
  if (first.kind === 'refused') throw first.error;
  let trouble = judge(first);
  while (trouble !== undefined) {
    if (!mayAskAgain(trouble)) {
      relayed.fadeOut();
      report.arrived(relayed.heardMs(), 'arriving');
      throw trouble.error;
    }
    trouble = await askAgain(trouble);
  }
  relayed.end();
  pace.learn(request, letters, relayed.heardMs());
  report.arrived(relayed.heardMs(), 'complete');
}
