// One request's speech, whole, whatever becomes of its body. A body that breaks, stalls or ends too soon is asked for
// again with the same seed: where the same bytes come, the speech goes on with the very next one; where others come,
// it goes on where they sound alike; and what cannot be made whole ends in a fade and an error, never in silence.
// Whether a body that ends properly is whole, body-ending.ts and ending-verdict.ts tell.
//
//   relaying ──broken, stalled──▶ asking again ──same bytes──▶ relaying
//       │                               └──other bytes──▶ joining ──▶ relaying, or the end
//       └──clean end──▶ whole, or in doubt ──▶ asking again, once

import type { Mp3Decoders } from '../../audio/mp3/mp3-decoder.ts';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { pause } from '../../base/pause.ts';
import type { OutgoingRequest } from '../../speech/speech-request.ts';
import type { QueuedNotice, SpeechBody, SpeechUpstream, ToldLength } from '../../upstream/speech-upstream.ts';
import type { SpeechWork } from '../../upstream/speech-work.ts';
import type { Mp3Spool } from '../mp3-spool.ts';
import type { EndingWatch } from '../word-timing/speech-words.ts';
import { judgeEnding } from './body-ending.ts';
import { createCatchUp } from './catch-up.ts';
import type { Verdict } from './ending-verdict.ts';
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
import { longestAudioMs } from './speech-guard.ts';
import type { ResumeKind, SpeechUpkeep } from './speech-upkeep.ts';

/** What keeps the speech of a turn whole, the same for all of its requests. */
export type Wholeness = {
  readonly clock: Clock;
  readonly decoders: Mp3Decoders;
  readonly upkeep: SpeechUpkeep;
  /** Audio that the listener has not heard yet, ms. */
  readonly remainingMs: () => number;
  /** How far ahead of the listener audio is sent, ms; absent: as it is taken. */
  readonly leadMs?: number;
  readonly passesThrough: (sampleRate: number) => boolean;
  /** In bouts while the listener has plenty; else, and when it is not given, as it comes. */
  readonly reads?: 'in-bouts' | 'as-it-comes';
  /** What a request after a break is worth to the scheduler. */
  readonly resumeWork?: (() => SpeechWork) | undefined;
  /** Hears how a body ends; absent: that is told by its frames, its sound and its length. */
  readonly endings?: EndingWatch | undefined;
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

/** Where the words of a speech that is given up are is worth so long a wait. */
const LAST_WORDS_MS = 300;
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
  const { voices } = upkeep;
  const { endings } = wholeness;
  const longestMs = longestAudioMs(letters, voices.slowest(request));
  const relayed = createRelayedSpeech({ ...wholeness, spool, longestMs });
  let stalls = 0;
  let spent = NOTHING_SPENT;
  /** Where a body came to a clean end, in its bytes. */
  let endedAt: number | undefined;
  /** What the body that is read now says of its own length. */
  let toldLength: ToldLength | undefined;
  /** Whether the body comes from the phrases that are kept: it was judged when it came. */
  let origin: 'service' | 'kept' = 'service';
  let provedBy: Extract<Verdict, { kind: 'whole' }>['by'] = 'nothing';
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
  const judge = async (
    end: AttemptEnd,
    which: 'first' | 'another' | 'same-end' | 'agreed',
  ): Promise<Trouble | undefined> => {
    if (end.kind !== 'ended') {
      const isEmpty = relayed.reading().frames() === 0 && isNoAudio(end.error);
      return { error: end.error, doubt: isEmpty ? 'no-audio' : undefined };
    }
    endedAt = relayed.print().bytes();
    const { verdict, heard } = await judgeEnding({
      request,
      letters,
      longestMs,
      relayed,
      // Of two takes that agree the first was relayed, and the second told its own length.
      toldLength: which === 'agreed' ? undefined : toldLength,
      watch: endings,
      voices,
      decoders: wholeness.decoders,
      soundOfEnd: origin === 'kept' ? () => undefined : upkeep.soundOfEnd,
      remainingMs: wholeness.remainingMs(),
      leadMs: wholeness.leadMs ?? 0,
    });
    signal.throwIfAborted();
    if (verdict.kind === 'whole') {
      voices.undoubted(request);
      provedBy = verdict.by;
      return undefined;
    }
    const { doubt, certainty, habit } = verdict;
    // Twice the same end may be how this voice ends, or how this service cuts.
    const isAlike = which === 'same-end' || which === 'agreed';
    if (isAlike && habit === 'possible') voices.endedAlike(request, doubt);
    // From now on it says nothing; something else may.
    if (voices.isBelieved(request, doubt)) return judge(end, which);
    if (isAlike && certainty === 'likely') return undefined;
    upkeep.onDoubt(doubt);
    return { error: endedEarly(), doubt, certainty, heard };
  };
  const mayAskAgain = (trouble: Trouble): boolean => {
    const next = nextTry(trouble, spent);
    return next === 'resume' || (next === 'regenerate' && upkeep.doubts.tryRetry(clock.now()));
  };
  const tell = (kind: ResumeKind) => {
    upkeep.onResume(kind);
    report.resumed(kind);
  };
  const openAgain = async (cut: AbortSignal, { waits, sent }: SendProgress) => {
    const work = wholeness.resumeWork?.();
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
    return body;
  };
  /** Asks once more; answers with what is wrong now. */
  const askAgain = async (trouble: Trouble): Promise<Trouble | undefined> => {
    await pause(spent.pauseMs, clock, signal);
    const from = relayed.print().bytes();
    // Of two takes that are as long as each other none is cut, unless it is known that something is missing in the first.
    const isKnownCut = trouble.doubt === 'words-missing' || trouble.doubt === 'bytes-missing';
    const catchUp = createCatchUp(relayed, endedAt === from && !isKnownCut ? 'ended' : 'broken', (how) =>
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
    if (passed === 'agreed') return judge(end, 'agreed');
    return judge(end, passed === 'exact' && endedAt === relayed.print().bytes() ? 'same-end' : 'another');
  };
  /** What has come is all there will be: no word that is missing in it counts as heard. */
  const giveUp = async ({ error, heard }: Trouble) => {
    const ending = heard ?? (await endings?.ending(LAST_WORDS_MS, 'on-suspicion'));
    signal.throwIfAborted();
    if (ending !== undefined && ending !== 'late') endings?.cutAt(ending);
    relayed.fadeOut();
    report.arrived(relayed.heardMs(), 'arriving');
    throw error;
  };

  upkeep.doubts.request(clock.now());
  const first = await read(relayed, Number.POSITIVE_INFINITY, async (cut) => {
    const { work } = whole;
    const options = { signal: cut, work, onQueued: report.queued, onSent: report.sent };
    const body = await upstream.open(request, options);
    key = body.key;
    toldLength = body.toldLength;
    if (body.attempts === 0) origin = 'kept';
    report.answered(body);
    // A body that tells its own length, of a service that has done so before, needs no ear; nor does one that was kept.
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
  upkeep.onWhole(provedBy);
  relayed.end();
  if (provedBy !== 'nothing') voices.learn(request, letters, relayed.heardMs());
  report.arrived(relayed.heardMs(), 'complete');
}
