import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/base/app-error.ts';
import { BodySpool } from '../../../src/pipeline/body-spool.ts';
import {
  type RecoveryPolicy,
  relayWholeBody,
  type WholeRequest,
} from '../../../src/pipeline/whole-body/whole-body.ts';
import type { OpenOptions, SpeechUpstream } from '../../../src/upstream/speech-upstream.ts';
import type { SpeechWork } from '../../../src/upstream/speech-work.ts';
import { reset } from '../../support/body-faults.ts';
import { codecs, speechMp3 } from '../../support/codecs.ts';
import { createFakeClock, settle } from '../../support/fake-clock.ts';
import { chunksOf } from '../../support/mp3-fixtures.ts';
import { trustingRecovery } from '../../support/trusting-recovery.ts';

const body = speechMp3(1000);
const request = { model: 'VoxDialog', text: 'One.', seed: 7 } as const;
const nothing = () => {};
const never = new AbortController().signal;

type Tools = RecoveryPolicy & Pick<WholeRequest, 'spool'> & SpeechUpstream;
const work: SpeechWork = { class: 'first', tenant: 't', deadlineMs: 9 };
const report = { queued: nothing, sent: nothing, answered: nothing, resumed: nothing, arrived: nothing };
const relay = (tools: Tools, signal = never) =>
  relayWholeBody({ request, letters: 3, work, upstream: tools, spool: tools.spool, report }, tools, signal);

/** Bodies in order of asking; a number is where one breaks. */
function toolsFor(breaks: readonly (number | 'never' | Error)[], clock = createFakeClock()) {
  const asked: OpenOptions[] = [];
  const spool = new BodySpool({ capacityBytes: () => 1e6 });
  const tools: Tools = {
    spool,
    clock,
    decoders: codecs.decoders,
    recovery: trustingRecovery(),
    remainingMs: () => 1000,
    passesThrough: () => false,
    open(_request, options) {
      const at = breaks[asked.push(options) - 1]!;
      if (at instanceof Error) return Promise.reject(at);
      async function* chunks() {
        for (const chunk of chunksOf(at === 'never' ? body : body.subarray(0, at as number), [500]))
          yield chunk;
        if (at !== 'never') throw reset();
      }
      return Promise.resolve({
        chunks: chunks(),
        queueMs: 0,
        ttfbMs: 1,
        attempts: 1,
        key: `key-${asked.length}`,
      });
    },
  };
  return { tools, asked, clock, spool };
}

describe('a whole body', () => {
  it('is asked for again as a resume, of the key that answered first', async () => {
    const { tools, asked } = toolsFor([2000, 4000, 'never']);
    const resume: SpeechWork = { class: 'resume', tenant: 't', deadlineMs: 5 };
    await relay({ ...tools, resumeWork: () => resume });
    expect(asked.map((options) => [options.work, options.prefer])).toEqual([
      [work, undefined],
      [resume, 'key-1'],
      [resume, 'key-1'],
    ]);
  });

  it('rejects with what the first answer was refused with, and puts nothing but a beginning into the spool', async () => {
    const refused = reset();
    const { tools, asked, spool } = toolsFor([refused]);
    await expect(relay(tools)).rejects.toBe(refused);
    expect([asked.length, spool.take(), spool.take()]).toEqual([1, { kind: 'begin' }, undefined]);
  });

  it('is asked for once more, and later, when the way is full for less time than the listener has audio for', async () => {
    const codes = ['busy', 'rate_limited', 'upstream_rate_limited'] as const;
    for (const code of codes) {
      const { tools, asked, clock } = toolsFor([
        2000,
        new AppError(code, 'full', { retryAfterMs: 900 }),
        'never',
      ]);
      const relaying = relay(tools);
      await clock.run(899);
      expect([code, asked.length]).toEqual([code, 2]);
      await clock.run(1);
      await relaying;
      expect([asked.length, clock.timers]).toEqual([3, 0]);
    }
  });

  it('is given up at once where the way is full for longer, and when it is full again', async () => {
    const full = (retryAfterMs?: number) =>
      new AppError('busy', 'full', retryAfterMs === undefined ? {} : { retryAfterMs });
    for (const [refusals, requests] of [
      [[full(1000)], 2],
      [[full()], 2],
      [[full(10), full(10)], 3],
    ] as const) {
      const { tools, asked, clock } = toolsFor([2000, ...refusals, 'never']);
      const relaying = relay(tools);
      const broken = expect(relaying).rejects.toMatchObject({ code: 'upstream_broken' });
      await clock.run(100);
      await broken;
      expect([asked.length, clock.timers]).toEqual([requests, 0]);
    }
  });

  it('that was kept was judged when it came: its end is listened to no more', async () => {
    const listened: string[] = [];
    const judging = async (attempts: number) => {
      const { tools, asked } = toolsFor(['never']);
      await relay({
        ...tools,
        recovery: {
          ...tools.recovery,
          soundOfEnd() {
            listened.push(`sound of ${attempts}`);
            return undefined;
          },
        },
        endings: {
          told() {},
          follow: () => void listened.push(`followed ${attempts}`),
          ending: async () => undefined,
          cutAt() {},
        },
        open: async (...how) => ({ ...(await tools.open(...how)), attempts }),
      });
      expect(asked).toHaveLength(1);
    };
    await judging(1);
    await judging(0);
    expect(listened).toEqual(['followed 1', 'sound of 1']);
  });

  it('ends with the turn while it waits to ask again', async () => {
    const gone = new Error('gone');
    const controller = new AbortController();
    const { tools, asked, clock } = toolsFor([2000, new AppError('busy', 'full', { retryAfterMs: 900 })]);
    const ended = expect(relay(tools, controller.signal)).rejects.toBe(gone);
    await clock.run(100);
    controller.abort(gone);
    await ended;
    expect([asked.length, clock.timers]).toEqual([2, 0]);
  });

  it('grows no more patient by a request that is never answered', async () => {
    const patience: number[] = [];
    const { tools, clock } = toolsFor([2000, 'never']);
    const recovery = {
      ...tools.recovery,
      stallLimitMs(_: number, stalls: number) {
        patience.push(stalls);
        return 1e6;
      },
    };
    let requests = 0;
    const open: SpeechUpstream['open'] = (asked, options) => {
      requests += 1;
      if (requests !== 2) return tools.open(asked, options);
      return new Promise((_, reject) => {
        options.signal.addEventListener('abort', () => reject(options.signal.reason as Error));
      });
    };
    const relaying = relay({ ...tools, recovery, open });
    await clock.run(10_000);
    await relaying;
    expect([requests, new Set(patience)]).toEqual([3, new Set([0])]);
  });

  it('ends with the turn wherever it is, and leaves no timer', async () => {
    const gone = new Error('gone');
    for (const state of ['before', 'within'] as const) {
      const controller = new AbortController();
      const { tools, clock } = toolsFor([2000, 'never']);
      const open: SpeechUpstream['open'] = async (asked, options) => {
        const answer = await tools.open(asked, options);
        async function* hanging() {
          yield body.subarray(0, 1000);
          await new Promise((_, reject) => {
            options.signal.addEventListener('abort', () => reject(options.signal.reason as Error));
          });
        }
        return { ...answer, chunks: hanging() };
      };
      if (state === 'before') controller.abort(gone);
      const relaying = relay({ ...tools, open }, controller.signal);
      const ended = expect(relaying).rejects.toBe(gone);
      await settle();
      controller.abort(gone);
      await ended;
      expect(clock.timers).toBe(0);
    }
  });

  it('leaves no timer when it is whole', async () => {
    const { tools, clock, spool } = toolsFor([3000, 'never']);
    await relay(tools);
    expect(clock.timers).toBe(0);
    const kinds = new Set<string>();
    for (let item = spool.take(); item !== undefined; item = spool.take()) kinds.add(item.kind);
    expect([...kinds]).toEqual(['begin', 'frame', 'end']);
  });
});
