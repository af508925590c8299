// One service that is asked for a text while others may be asked for the same: its body waits behind a gate, and nothing that happens to it is
// told of the turn before it is the one that is heard.

import type { Clock } from '../base/clock.ts';
import type { RequestText } from '../text/request-text.ts';
import type { QueuedNotice, SpeechBody, SpeechUpstream } from '../upstream/speech-upstream.ts';
import type { HandOver } from './hand-over.ts';
import type { RequestVoice } from './say-request.ts';
import { type GateOpening, SpeechGate, type SpeechGateOptions } from './speech-gate.ts';
import type { ServedLink } from './speech-services.ts';
import type { RecoveryPolicy, RestInHand } from './whole-body/whole-body.ts';
import type { EndingWatch } from './word-timing/speech-words.ts';

export type ChainRunnerOptions = {
  readonly link: ServedLink;
  /** The text as this service takes it; the first of them is asked for. */
  readonly pieces: readonly RequestText[];
  readonly gate: SpeechGateOptions;
  /** Why it was asked: the one before it failed, or was only late. */
  readonly why: 'next' | 'rival';
  readonly clock: Clock;
  readonly onQueued: (notice: QueuedNotice) => void;
  /** Once it is heard: whether a body in trouble is asked for again, and where it is cut when another service goes on. */
  readonly resumes: NonNullable<RecoveryPolicy['asksAgain']>;
  readonly handOver: (inHand: RestInHand) => HandOver | undefined;
  /** A request is on its way; once per attempt. */
  readonly onSent: () => void;
};

/** Speech is held no longer than this for its level, and goes on when only so much else is left to be heard, ms. */
const MAX_HELD_MS = 3_000;
const KEPT_MS = 200;

export class ChainRunner {
  private readonly options: ChainRunnerOptions;
  private readonly controller = new AbortController();
  private timers: (() => void)[] = [];
  private state: 'behind-gate' | 'heard' = 'behind-gate';
  private wantsEnding = false;

  readonly link: ServedLink;
  readonly pieces: readonly RequestText[];
  readonly why: 'next' | 'rival';
  readonly gate: SpeechGate;
  readonly signal: AbortSignal = this.controller.signal;
  sentAtMs: number | undefined;
  body: SpeechBody | undefined;
  lateTimes = 0;
  /** Audio of it has gone into the spool. */
  hasAudio = false;
  /** There was speech behind its gate. */
  isHeard = false;
  /** Its speech was asked for once more. */
  hasResumed = false;
  /** What of its text is left for another service. */
  handedOver: readonly RequestText[] | undefined;

  constructor(options: ChainRunnerOptions) {
    this.options = options;
    this.link = options.link;
    this.pieces = options.pieces;
    this.why = options.why;
    this.gate = new SpeechGate(options.gate);
  }

  after(ms: number, task: () => void): void {
    this.timers.push(this.options.clock.after(ms, task));
  }
  /** It is the one that is heard. */
  win(): void {
    this.state = 'heard';
    this.disarm();
  }
  /** Its speech goes on to where the gate opens to; `inHandMs`: so much else is to be heard meanwhile. */
  open(opening: GateOpening, inHandMs: number): void {
    this.gate.open(opening);
    if (!this.gate.isHolding()) return;
    this.after(Math.min(MAX_HELD_MS, Math.max(0, inHandMs - KEPT_MS)), () => this.gate.hurry());
  }
  /** It wanted to follow how its body ends, before that could be followed. */
  follows(): boolean {
    return this.wantsEnding;
  }
  stop(reason: Error): void {
    this.close();
    this.controller.abort(reason);
  }
  close(): void {
    this.disarm();
    // What it has said is heard, however it ends.
    this.gate.release();
    this.gate.close();
  }

  /** `voice` of its service, with the gate before the spool. */
  gated(voice: RequestVoice): RequestVoice {
    const { report, recoveryPolicy } = voice;
    const { endings } = recoveryPolicy;
    const { onQueued, onSent, resumes, handOver } = this.options;
    return {
      ...voice,
      spool: this.gate,
      upstream: this.askedOnce(voice.upstream),
      recoveryPolicy: {
        ...recoveryPolicy,
        // Until it is heard, another service is the second try.
        asksAgain: () => (this.state === 'heard' ? resumes() : undefined),
        handOver: (inHand) => (this.state === 'heard' ? handOver(inHand) : undefined),
        ...(endings === undefined ? {} : { endings: this.gatedEndings(endings) }),
      },
      report: {
        queued(notice) {
          report.queued(notice);
          onQueued(notice);
        },
        sent() {
          report.sent();
          onSent();
        },
        answered: (body) => {
          if (this.state === 'heard') report.answered(body);
          else this.body = body;
        },
        resumed: (kind) => {
          if (this.state === 'heard') report.resumed(kind);
        },
        arrived: (knownMs, state) => {
          if (this.state !== 'heard') return;
          if (knownMs > 0) this.hasAudio = true;
          report.arrived(knownMs, state);
        },
      },
    };
  }

  private askedOnce(upstream: SpeechUpstream): SpeechUpstream {
    return {
      ...upstream,
      open: (request, options) =>
        upstream.open(request, this.state === 'heard' ? options : { ...options, elsewhere: true }),
    };
  }
  private gatedEndings(endings: EndingWatch): EndingWatch {
    return {
      follow: () => {
        if (this.state === 'heard' && !this.gate.isHolding()) endings.follow();
        else this.wantsEnding = true;
      },
      ending: async (...how) => {
        // What is held has not been followed yet.
        this.gate.release();
        return this.state === 'heard' ? endings.ending(...how) : undefined;
      },
      told: (words) => {
        if (this.state === 'heard') endings.told(words);
      },
      cutAt: (ending) => {
        if (this.state === 'heard') endings.cutAt(ending);
      },
    };
  }
  private disarm(): void {
    for (const cancel of this.timers) cancel();
    this.timers = [];
  }
}
