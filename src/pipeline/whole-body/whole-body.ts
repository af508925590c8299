// One request's speech, whole, even if its body breaks. A body that breaks, stalls or ends too soon is requested again with
// the same seed: where the same bytes come, the speech goes on with the very next one; where others come, it goes on where
// both sound alike; what cannot be made whole ends in a fade and an error, never in silence.
// body-ending.ts and ending-verdict.ts decide whether a body that ends properly is whole.
//
//   relaying ──broken, stalled──▶ asking again ──same bytes──▶ relaying
//       │                               └──other bytes──▶ joining ──▶ relaying, or the end
//       └──clean end──▶ whole, or in doubt ──▶ asking again, once

import { MP3_BODY, soundOf } from '../../audio/bodies/body-type.ts';
import type { Mp3Decoders } from '../../audio/mp3/mp3-decoder.ts';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { pause } from '../../base/pause.ts';
import type { OutgoingRequest } from '../../speech/speech-request.ts';
import type { QueuedNotice, SpeechBody, SpeechUpstream, ToldLength } from '../../upstream/speech-upstream.ts';
import type { SpeechWork } from '../../upstream/speech-work.ts';
import type { RequestSpool } from '../body-spool.ts';
import type { HandOver } from '../hand-over.ts';
import type { EndingWatch } from '../word-timing/speech-words.ts';
import { judgeEnding } from './body-ending.ts';
import { createCatchUp } from './catch-up.ts';
import type { Verdict } from './ending-verdict.ts';
import {
  type Attempt,
  type AttemptEnd,
  type BodyReader,
  batchRestMs,
  readAttempt,
  type SendProgress,
} from './read-attempt.ts';
import { RelayedSpeech } from './relayed-speech.ts';
import { kindOf, NOTHING_SPENT, nextTry, spend, type Trouble } from './resume-policy.ts';
import { longestAudioMs } from './speech-guard.ts';
import type { ResumeKind, SpeechRecovery } from './speech-recovery.ts';

/** How the requests of a turn recover, the same for all of them. */
export type RecoveryPolicy = {
  readonly clock: Clock;
  readonly decoders: Mp3Decoders;
  readonly recovery: SpeechRecovery;
  /** Audio that the listener has not heard yet, ms. */
  readonly remainingMs: () => number;
  /** How far ahead of the listener audio is sent, ms; absent: as the reader takes it. */
  readonly leadMs?: number;
  readonly passesThrough: (sampleRate: number) => boolean;
  /** In batches while the listener has plenty of audio; default: as it comes. */
  readonly reads?: 'in-batches' | 'as-it-comes';
  /** Scheduling class of a request after a break. */
  readonly resumeWork?: (() => SpeechWork) | undefined;
  /** Whether a body in trouble may be asked for again, now, and how long its answer may take, ms; absent: it may. */
  readonly asksAgain?: () => { readonly answerMs: number } | undefined;
  /** Somebody else says the rest of a speech that is given up: where it is cut. Undefined: nobody does, and it fades out. */
  readonly handOver?: (inHand: RestInHand) => Pick<HandOver, 'keptMs' | 'searchMs'> | undefined;
  /** Finds out how a body ends; absent: its frames, sound and length decide alone. */
  readonly endings?: EndingWatch | undefined;
};

/** What has come of a request, and what of it can still be taken back, ms. */
export type RestInHand = { readonly knownMs: number; readonly untakenMs: number };

/** One request, and where its speech goes. */
export type WholeRequest = {
  readonly request: OutgoingRequest;
  /** How many letters its text has: they tell how long it may take. */
  readonly letters: number;
  /** Scheduling class of its first body. */
  readonly work: SpeechWork;
  readonly upstream: SpeechUpstream;
  readonly spool: RequestSpool;
  readonly report: RequestReport;
};

export type RequestReport = {
  readonly queued: (notice: QueuedNotice) => void;
  /** An HTTP request has been sent; a retry is one more. */
  readonly sent: () => void;
  /** The first body has come. */
  answered(body: SpeechBody): void;
  /** How a broken body was resumed, or that it was not. */
  resumed(kind: ResumeKind): void;
  /** Audio that has arrived, in ms of its own time; what is faded out at the end takes some of it back. */
  arrived(knownMs: number, state: 'arriving' | 'complete'): void;
};

/** How long to wait for the word times of a speech that is given up. */
const LAST_WORDS_MS = 300;
/** A request after a break must be answered within this, once it has a key. */
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
  recoveryPolicy: RecoveryPolicy,
  signal: AbortSignal,
): Promise<void> {
  const { request, letters, upstream, spool, report } = whole;
  const { clock, recovery } = recoveryPolicy;
  const { voices } = recovery;
  const { endings } = recoveryPolicy;
  const longestMs = longestAudioMs(letters, voices.slowest(request));
  const relayed = new RelayedSpeech({ ...recoveryPolicy, spool, longestMs });
  let stalls = 0;
  let spent = NOTHING_SPENT;
  /** Where a body came to a clean end, in its bytes. */
  let endedAt: number | undefined;
  let answerMs = ANSWER_MS;
  /** The announced length of the current body. */
  let toldLength: ToldLength | undefined;
  /** `kept`: the body comes from the phrase store and was judged before it was stored. */
  let origin: 'service' | 'kept' = 'service';
  let provedBy: Extract<Verdict, { kind: 'whole' }>['by'] = 'nothing';
  /** The key that answered first: with another one the same seed may sound different. */
  let key: string | undefined;

  const read = (reader: BodyReader, answerMs: number, open: Attempt['open']) =>
    readAttempt(
      {
        open,
        reader,
        spool,
        clock,
        answerMs,
        stallLimitMs: (audioMs) => recovery.stallLimitMs(recoveryPolicy.remainingMs(), stalls, audioMs),
        restMs: (patienceMs) =>
          recoveryPolicy.reads === 'in-batches' ? batchRestMs(recoveryPolicy.remainingMs(), patienceMs) : 0,
        onStall() {
          stalls += 1;
        },
        onAudio: () => report.arrived(relayed.heardMs(), 'arriving'),
      },
      signal,
    );

  /** What is wrong with the end of a body; undefined when nothing is. */
  const judge = async (
    end: AttemptEnd,
    which: 'first' | 'another' | 'same-end' | 'agreed',
  ): Promise<Trouble | undefined> => {
    if (end.kind !== 'ended') {
      const isEmpty = relayed.reading().frames() === 0 && isNoAudio(end.error);
      return { error: end.error, doubt: isEmpty ? 'no-audio' : undefined };
    }
    endedAt = relayed.fingerprint().bytes();
    const { verdict, heard } = await judgeEnding({
      request,
      letters,
      longestMs,
      relayed,
      // Of two runs that agree the first was relayed; the announced length is that of the second.
      toldLength: which === 'agreed' ? undefined : toldLength,
      watch: endings,
      voices,
      decoders: recoveryPolicy.decoders,
      soundOfEnd: origin === 'kept' ? () => undefined : recovery.soundOfEnd,
      remainingMs: recoveryPolicy.remainingMs(),
      leadMs: recoveryPolicy.leadMs ?? 0,
    });
    signal.throwIfAborted();
    if (verdict.kind === 'whole') {
      voices.undoubted(request, relayed.heardMs());
      provedBy = verdict.by;
      return undefined;
    }
    const { doubt, certainty, habit } = verdict;
    // Twice the same end may be how this voice ends, or how this service cuts.
    const isAlike = which === 'same-end' || which === 'agreed';
    if (isAlike && habit === 'possible') voices.endedAlike(request, doubt);
    // From now on this doubt is ignored; another one may remain.
    if (voices.isBelieved(request, doubt)) return judge(end, which);
    if (isAlike && certainty === 'likely') return undefined;
    recovery.onDoubt(doubt);
    return { error: endedEarly(), doubt, certainty, heard };
  };
  const mayAskAgain = (trouble: Trouble): boolean => {
    const asksAgain = recoveryPolicy.asksAgain ?? (() => ({ answerMs: ANSWER_MS }));
    const asked = asksAgain();
    if (asked === undefined) return false;
    answerMs = asked.answerMs;
    const next = nextTry(trouble, spent);
    return next === 'resume' || (next === 'regenerate' && recovery.doubts.tryRetry(clock.now()));
  };
  const tell = (kind: ResumeKind) => {
    recovery.onResume(kind);
    report.resumed(kind);
  };
  const openAgain = async (cut: AbortSignal, { waits, sent }: SendProgress) => {
    const work = recoveryPolicy.resumeWork?.();
    const body = await upstream.open(request, {
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
    toldLength = body.toldLength;
    origin = 'service';
    // Where this one is joined to the first is not known of its words.
    endings?.told(undefined);
    recovery.onBody(soundOf(body.type ?? MP3_BODY));
    return body;
  };
  /** Requests the body once more; returns what is wrong now. */
  const askAgain = async (trouble: Trouble): Promise<Trouble | undefined> => {
    await pause(spent.pauseMs, clock, signal);
    const from = relayed.fingerprint().bytes();
    // Of two runs of the same length none is cut, unless it is known that something is missing in the first.
    const isKnownCut = trouble.doubt === 'words-missing' || trouble.doubt === 'bytes-missing';
    const catchUp = createCatchUp(relayed, endedAt === from && !isKnownCut ? 'ended' : 'broken', (how) =>
      tell(kindOf(trouble, how)),
    );
    const end = await read(catchUp, answerMs, openAgain);
    const passed = catchUp.passed();
    if (passed === undefined) tell('failed');
    const isNews = passed === 'aligned' || relayed.fingerprint().bytes() > from;
    const result = {
      refusal: end.kind === 'refused' ? end.error : undefined,
      brought: catchUp.isUnlike() ? 'unlike' : isNews ? 'new-audio' : 'nothing-new',
    } as const;
    spent = spend(spent, trouble, result, recoveryPolicy.remainingMs());
    if (end.kind === 'refused' || (end.kind === 'ended' && passed === undefined)) return trouble;
    if (passed === 'agreed') return judge(end, 'agreed');
    return judge(
      end,
      passed === 'exact' && endedAt === relayed.fingerprint().bytes() ? 'same-end' : 'another',
    );
  };
  /** No more will come: words that are missing do not count as heard. */
  const giveUp = async ({ error, doubt, heard }: Trouble) => {
    const isHeard = recoveryPolicy.remainingMs() < Number.POSITIVE_INFINITY;
    if (doubt === 'breaks-off' && !isHeard)
      voices.brokeOff(request, relayed.fingerprint().digest(), clock.now());
    // What came in one piece with what ended it has not been told yet.
    report.arrived(relayed.heardMs(), 'arriving');
    const ending = heard ?? (await endings?.ending(LAST_WORDS_MS, 'on-suspicion'));
    signal.throwIfAborted();
    if (ending !== undefined && ending !== 'late') endings?.cutAt(ending);
    const inHand = { knownMs: relayed.heardMs(), untakenMs: relayed.untakenMs() };
    const cut = recoveryPolicy.handOver?.(inHand);
    relayed.fadeOut(cut);
    if (cut !== undefined) relayed.end('cut');
    report.arrived(relayed.heardMs(), cut === undefined ? 'arriving' : 'complete');
    throw error;
  };

  recovery.doubts.request(clock.now());
  const first = await read(relayed, Number.POSITIVE_INFINITY, async (cut) => {
    const { work } = whole;
    const options = { signal: cut, work, onQueued: report.queued, onSent: report.sent };
    const body = await upstream.open(request, options);
    key = body.key;
    toldLength = body.toldLength;
    if (body.attempts === 0) origin = 'kept';
    else recovery.onBody(soundOf(body.type ?? MP3_BODY));
    endings?.told(body.words);
    report.answered(body);
    // A body with an announced length, of a service that is known for it, need not be listened to; nor a stored one.
    const tellsLength = toldLength !== undefined && voices.tellsLengths();
    if (!tellsLength && origin === 'service') endings?.follow();
    return body;
  });
  if (first.kind === 'refused') throw first.error;
  let trouble = await judge(first, 'first');
  while (trouble !== undefined) {
    if (mayAskAgain(trouble)) trouble = await askAgain(trouble);
    else if (trouble.certainty === 'likely') trouble = undefined;
    else return giveUp(trouble);
  }
  recovery.onWhole(provedBy);
  relayed.end();
  if (provedBy !== 'nothing') voices.learn(request, letters, relayed.heardMs());
  report.arrived(relayed.heardMs(), 'complete');
}
