// Callers who want more than there is: each speaks one short turn after another, until its gateway has nothing to
// give. First at an even pace below the quota, so that the places in it are spread over the window; then without one.

import { connectSession } from '../../src/client/voxgate-client.ts';
import { openClientGroup } from './client-group.ts';
import { monotonicMs } from './monotonic.ts';

export type QuotaCallersOptions = {
  readonly sessionUrls: readonly string[];
  readonly count: number;
  /** Between two turns of all callers together, while they hold back. */
  readonly gapMs: number;
  readonly signal: AbortSignal;
};

export type QuotaTally = {
  /** What each turn that was spoken had waited for a key, by its gateway. */
  readonly waitsMs: number[];
  /** How long a caller knew nothing: until the turn was sent, refused, or told how long it would wait. */
  readonly silences: { readonly atMs: number; readonly tookMs: number }[];
  /** Turned away, because the wait would have been too long. */
  refused: number;
  /** Codes of what else went wrong. */
  readonly failures: string[];
};

export type QuotaCallers = {
  /** From now on everyone asks as soon as it can. */
  press(): void;
  /** Begins a new count and answers with it. */
  count(): QuotaTally;
  stop(): Promise<void>;
};

const LEAST_REST_MS = 250;
const MOST_REST_MS = 2000;

const newTally = (): QuotaTally => ({ waitsMs: [], silences: [], refused: 0, failures: [] });

export async function startQuotaCallers(options: QuotaCallersOptions): Promise<QuotaCallers> {
  const { sessionUrls, count, signal } = options;
  const group = openClientGroup(signal);
  const { until, clients, wait } = group;
  let tally = newTally();
  let gapMs = options.gapMs;
  let nextTurnMs = monotonicMs();

  /** Resolves when it is the caller's time; the order of asking is the order of going. */
  const toBeLet = async () => {
    const nowMs = monotonicMs();
    nextTurnMs = Math.max(nowMs, nextTurnMs + gapMs);
    if (nextTurnMs > nowMs) await wait(nextTurnMs - nowMs);
  };

  const call = async (index: number): Promise<void> => {
    let askedAtMs = 0;
    let isTold = false;
    let restMs = 0;
    const isOver = (tookMs: number) => {
      if (!isTold) tally.silences.push({ atMs: askedAtMs, tookMs });
      isTold = true;
    };
    const client = await connectSession({
      url: `${sessionUrls[index % sessionUrls.length]}?format=mulaw&sampleRate=8000&pace=burst`,
      onEvent(event) {
        if (event.type === 'queued' && event.reason !== 'previous-turn') isOver(monotonicMs() - askedAtMs);
        else if (event.type === 'started') {
          tally.waitsMs.push(event.timings.queueMs);
          isOver(event.timings.queueMs);
        } else if (event.type === 'error') {
          isOver(monotonicMs() - askedAtMs);
          if (event.code === 'busy') tally.refused += 1;
          else tally.failures.push(event.code);
          restMs = Math.min(MOST_REST_MS, Math.max(LEAST_REST_MS, event.retryAfterMs ?? 0));
        }
      },
    });
    clients.add(client);
    const speakOn = async () => {
      for (let turn = 1; !until.aborted; turn++) {
        await toBeLet();
        restMs = 0;
        isTold = false;
        const id = `turn-${turn}`;
        const ended = client.next('ended', (event) => event.turn === id);
        askedAtMs = monotonicMs();
        client.send({ type: 'speak', turn: id, text: 'Hello there.', seed: index });
        await ended;
        if (restMs > 0) await wait(restMs);
      }
    };
    speakOn().catch(() => {
      if (!until.aborted) tally.failures.push('connection_lost');
    });
  };

  for (let index = 0; index < count; index++) await call(index);
  return {
    press() {
      gapMs = 0;
    },
    count() {
      tally = newTally();
      return tally;
    },
    stop: group.stop,
  };
}
