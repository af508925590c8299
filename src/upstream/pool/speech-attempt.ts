// One HTTP request on a granted send, and the reports of its result: to the store that counts, to the member, to the log and to
// the metrics. Each gets it once, whatever the order of events.

import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { OutgoingRequest } from '../../speech/speech-request.ts';
import type { QuotaReport, QuotaStore } from '../quota/quota-store.ts';
import type { Attempt, AttemptEnd, AttemptFailure, SpeechTransport } from '../speech-transport.ts';
import type { OpenOptions } from '../speech-upstream.ts';
import type { CoolDown } from './failure-policy.ts';
import type { PoolMembers } from './pool-members.ts';
import type { PoolMetrics } from './pool-metrics.ts';
import type { Send } from './send-grants.ts';

export type RunningAttempt = {
  /** As `SpeechTransport.send`. */
  readonly result: Promise<Attempt>;
  /** Cuts it; `result` rejects with `reason` if it is still open. */
  cancel(reason: Error): void;
};

export type AttemptStarter = (
  request: OutgoingRequest,
  send: Send,
  options: Pick<OpenOptions, 'signal' | 'onSent'>,
) => RunningAttempt;

export type AttemptStarterOptions = {
  readonly transport: SpeechTransport;
  readonly members: PoolMembers;
  readonly store: QuotaStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: PoolMetrics;
};

/** The body broke, or the reader gave it up because no audio came. */
const isBreak = (end: AttemptEnd, { reason }: AbortSignal): boolean =>
  end === 'aborted' ? reason instanceof AppError && reason.code === 'upstream_timeout' : end !== 'ok';

/** A 429 below this part of a known limit is not caused by the count. */
const CLEARLY_BELOW = 0.8;

export function createAttemptStarter(options: AttemptStarterOptions): AttemptStarter {
  const { transport, members, store, clock, log, metrics } = options;

  /** Whether a 429 is caused by the requests under way. */
  const isCrowded = ({ member }: Send, { advice }: AttemptFailure): 'surely' | 'perhaps' | 'no' => {
    if (member.inFlight() < 2) return 'no';
    if ((advice.remaining ?? 0) > 0 || member.inFlight() > (advice.concurrent ?? Number.POSITIVE_INFINITY))
      return 'surely';
    const state = store.state().find(({ quota }) => quota === member.quota);
    if (state === undefined || state.rule.kind === 'unlimited') return 'no';
    const isKnown = state.mode === 'sliding' || state.mode === 'phase';
    return isKnown && state.used < CLEARLY_BELOW * state.rule.limit ? 'perhaps' : 'no';
  };
  const judge = (send: Send, failure: AttemptFailure, sent: 'sent' | 'unsent'): QuotaReport => {
    if (sent === 'unsent') return { kind: 'unsent' };
    if (failure.error.code !== 'upstream_rate_limited') return { kind: 'failed' };
    const crowded = isCrowded(send, failure);
    if (crowded !== 'no') send.member.crowded(clock.now());
    if (crowded === 'surely') return { kind: 'failed' };
    const { advice } = failure;
    return crowded === 'perhaps'
      ? { kind: 'refused', advice, perhaps: 'concurrency' }
      : { kind: 'refused', advice };
  };
  const othersThan = ({ member }: Send) => members.all.filter((other) => other !== member);
  const noteCoolDown = ({ member }: Send, coolDown: CoolDown | undefined, status: number | undefined) => {
    if (coolDown === undefined) return;
    const { fingerprint: key } = member;
    log.warn('upstream_key_cools', { key, reason: coolDown.kind, status, coolMs: coolDown.ms });
  };

  return (request, send, { signal, onSent: tellSent }) => {
    const { fingerprint } = send.member;
    const controller = new AbortController();
    const follow = () => controller.abort(signal.reason);
    let sent: 'sent' | 'unsent' = 'unsent';
    let answered = false;

    const onSent = () => {
      sent = 'sent';
      tellSent?.();
    };
    const onClosed = (end: AttemptEnd) => {
      signal.removeEventListener('abort', follow);
      metrics.ended(typeof end === 'string' ? end : end.error.code);
      if (end === 'aborted') send.report({ kind: sent === 'sent' ? 'failed' : 'unsent' });
      else if (end !== 'ok' && !answered) {
        metrics.responded(fingerprint, end.status ?? 'none');
        const report = judge(send, end, sent);
        noteCoolDown(send, send.failed(end, clock.now(), othersThan(send)), end.status);
        send.report(report);
      }
      if (answered && end === 'ok') send.finished();
      else if (answered && isBreak(end, signal))
        noteCoolDown(send, send.broke(clock.now(), othersThan(send)), undefined);
      // An answered request has been reported below.
      send.release(end === 'aborted' ? 'aborted' : 'over');
    };
    const run = async () => {
      const result = await transport.send(request, send.credentials, {
        signal: controller.signal,
        onSent,
        onClosed,
      });
      if (!result.ok) return result;
      answered = true;
      metrics.responded(fingerprint, 200);
      metrics.firstByte(result.ttfbMs);
      send.answered(result.advice);
      send.report({ kind: 'accepted', advice: result.advice });
      return result;
    };

    signal.addEventListener('abort', follow, { once: true });
    if (signal.aborted) follow();
    return { result: run(), cancel: (reason) => controller.abort(reason) };
  };
}
