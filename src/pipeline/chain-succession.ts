// What happens when the service that is heard breaks off: whether it is asked once more, who goes on otherwise, and where its audio is cut.

import { AppError } from '../base/app-error.ts';
import type { SwitchReason } from '../speech/upstream-names.ts';
import type { RequestText } from '../text/request-text.ts';
import type { ChainRunner } from './chain-runner.ts';
import type { HandOver } from './hand-over.ts';
import type { TurnChain } from './service-chain.ts';
import { type ServedLink, voiceOf } from './speech-services.ts';
import type { RestInHand } from './whole-body/whole-body.ts';

/** First speech of a service of which nothing is known, ms; and what is kept in hand beyond it. */
const UNKNOWN_FIRST_SPEECH_MS = 600;
const RESERVE_MS = 250;
/** How often a service may break off in a text and still be asked. */
const MAX_CHANCES = 1;
/** The answer to a second request of the only service that is left. */
const LAST_ANSWER_MS = 10_000;

/** It has no words of the caller's text. */
export const apologyOf = (text: string): RequestText => ({ text, parts: [] });
/** Of one in whose line a request would stand for too long. */
export const noRoom = () =>
  ({
    reason: 'quota',
    counts: false,
    error: new AppError('busy', 'The speech service has no room for this request in time; try again later.'),
  }) as const;

/** One for each text that the caller gave. */
export class ChainSuccession {
  private readonly chain: TurnChain;
  /** Services that broke off in the text: each has one more chance, behind all others, so that a turn ends only when nobody is left. */
  private readonly broken = new Map<ServedLink, { readonly reason: SwitchReason; readonly times: number }>();
  /** Services that had not spoken in their time when another one did. */
  private readonly late = new Set<ServedLink>();
  /** Services that failed at it before they spoke: what has begun is given to them when nobody else is left. */
  private readonly failed = new Set<ServedLink>();

  constructor(chain: TurnChain) {
    this.chain = chain;
  }

  /** Those that may say what is left, in order. */
  left(): ServedLink[] {
    return this.chain.served
      .inOrder()
      .filter((link) => (this.broken.get(link)?.times ?? 0) <= MAX_CHANCES)
      .toSorted((a, b) => this.doubtOf(a) - this.doubtOf(b));
  }
  brokeOff(link: ServedLink, reason: SwitchReason): void {
    this.broken.set(link, { reason, times: (this.broken.get(link)?.times ?? 0) + 1 });
  }
  /** It was silent for `silentMs` when another one spoke. */
  lateAt(link: ServedLink, silentMs: number): void {
    link.watch?.late(voiceOf(link), silentMs);
    this.late.add(link);
  }
  failedAt(link: ServedLink): void {
    this.failed.add(link);
  }
  reasonOf(link: ServedLink): SwitchReason | undefined {
    return this.broken.get(link)?.reason;
  }
  /** Another service could go on where this one breaks off. */
  hasNext(runner: ChainRunner): boolean {
    return this.next(runner) !== undefined;
  }
  /** It may say the same once more, within the time that its first speech usually takes; then another one goes on. */
  resumes(runner: ChainRunner, usualMs: number): { readonly answerMs: number } | undefined {
    if (!this.hasNext(runner)) return { answerMs: LAST_ANSWER_MS };
    // What has stopped speaking would only do so again.
    if (runner.hasResumed || runner.gate.lostMs() !== undefined) return undefined;
    runner.hasResumed = true;
    return { answerMs: usualMs };
  }
  handOver(runner: ChainRunner, inHand: RestInHand): HandOver | undefined {
    const next = this.next(runner);
    if (next === undefined || !runner.hasAudio) return undefined;
    const firstMs = next.watch?.usualMs(voiceOf(next)) ?? UNKNOWN_FIRST_SPEECH_MS;
    const [said, ...others] = runner.pieces;
    const spokenMs = runner.gate.lostMs();
    const handed = this.chain.handOver(said!, { ...inHand, spokenMs, neededMs: firstMs + RESERVE_MS });
    if (handed === undefined) return undefined;
    runner.handedOver = handed.rest === undefined ? others : [handed.rest, ...others];
    return handed.cut;
  }

  /** The higher, the later it is asked. */
  private doubtOf(link: ServedLink): number {
    if (link.apology !== undefined) return 4;
    if (this.failed.has(link)) return 3;
    if (this.broken.has(link)) return 2;
    return this.late.has(link) ? 1 : 0;
  }
  private next(runner: ChainRunner): ServedLink | undefined {
    if (runner.link.apology !== undefined) return undefined;
    return this.left().find(
      (link) => link !== runner.link && link.apology === undefined && !this.failed.has(link),
    );
  }
}
