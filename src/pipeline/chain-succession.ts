// What happens when the service that is heard breaks off: whether it is asked once more, who goes on otherwise, and where its audio is cut.

import type { SwitchReason } from '../speech/upstream-names.ts';
import type { ChainRunner } from './chain-runner.ts';
import type { HandOver } from './hand-over.ts';
import type { TurnChain } from './service-chain.ts';
import { type ServedLink, voiceOf } from './speech-services.ts';
import type { RestInHand } from './whole-body/whole-body.ts';

/** First speech of a service of which nothing is known, ms; and what is kept in hand beyond it. */
const UNKNOWN_FIRST_SPEECH_MS = 600;
const RESERVE_MS = 250;
/** The answer to a second request of the only service that is left. */
const LAST_ANSWER_MS = 10_000;

/** One for each text that the caller gave. */
export class ChainSuccession {
  private readonly chain: TurnChain;
  /** Services that broke off in the text: none goes on in it twice. */
  private readonly broken = new Map<ServedLink, SwitchReason>();
  /** Services that failed at it before they spoke: what has begun is not given to them. */
  private readonly failed = new Set<ServedLink>();

  constructor(chain: TurnChain) {
    this.chain = chain;
  }

  /** Those that have not broken off, in order. */
  left(): ServedLink[] {
    return this.chain.served.inOrder().filter((link) => !this.broken.has(link));
  }
  brokeOff(link: ServedLink, reason: SwitchReason): void {
    this.broken.set(link, reason);
  }
  failedAt(link: ServedLink): void {
    this.failed.add(link);
  }
  reasonOf(link: ServedLink): SwitchReason | undefined {
    return this.broken.get(link);
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

  private next(runner: ChainRunner): ServedLink | undefined {
    if (runner.link.apology !== undefined) return undefined;
    return this.left().find(
      (link) => link !== runner.link && link.apology === undefined && !this.failed.has(link),
    );
  }
}
