// A listener who plays what he gets in order and drops what is cancelled, beside the gateway's own arithmetic.
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { speechMp3 } from '../../support/codecs.ts';
import { startSession } from '../../support/live-session.ts';
import { atOnce } from '../../support/memory-upstream.ts';

const LEAD_MS = 200;
const FRAME_MS = 20;

function createListener() {
  let frames: { readonly turn: string; readonly sentAtMs: number }[] = [];
  /** When the frame at the head begins, or began, to be heard, were it there in time. */
  let cursorMs = 0;
  const play = (nowMs: number) => {
    while (frames.length > 0) {
      const endMs = Math.max(cursorMs, frames[0]!.sentAtMs) + FRAME_MS;
      if (endMs > nowMs) return;
      cursorMs = endMs;
      frames.shift();
    }
  };
  return {
    /** What he holds beyond `nowMs` after this frame, and how long he had nothing before it. */
    get(turn: string, nowMs: number): { readonly heldMs: number; readonly dryMs: number } {
      play(nowMs);
      const dryMs = frames.length > 0 ? 0 : Math.max(0, nowMs - cursorMs);
      frames.push({ turn, sentAtMs: nowMs });
      const startMs = Math.max(cursorMs, frames[0]!.sentAtMs);
      return { heldMs: startMs + frames.length * FRAME_MS - nowMs, dryMs };
    },
    drop(turn: string | undefined, nowMs: number) {
      play(nowMs);
      const head = frames[0];
      frames = frames.filter((frame) => turn !== undefined && frame.turn !== turn);
      if (head !== undefined && frames[0] !== head) cursorMs = nowMs;
    },
  };
}

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('speak' as const), turn: id }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('cancel' as const), turn: fc.option(id, { nil: undefined }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('run' as const), ms: fc.constantFrom(7, 30, 110, 450) }),
  },
);

describe('one lead', () => {
  it('is never exceeded and never lost, whatever is cancelled', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 40, size: 'max' }), async (acts) => {
        const listener = createListener();
        let wrong: string | undefined;
        let last = '';
        const live = startSession({
          auto: atOnce(() => speechMp3(300)),
          preset: { leadMs: LEAD_MS },
          onEntry(entry) {
            if (!('audio' in entry)) return;
            const { heldMs, dryMs } = listener.get(entry.audio.turn, entry.atMs);
            if (heldMs > LEAD_MS + 0.1) wrong ??= `${heldMs} ms held`;
            if (dryMs > 0.1 && entry.audio.turn === last) wrong ??= `dry for ${dryMs} ms in ${last}`;
            last = entry.audio.turn;
          },
        });
        let names = 0;
        const named = new Map<string, string>();
        for (const step of acts) {
          if (step.do === 'run') await live.run(step.ms);
          else if (step.do === 'speak') {
            named.set(step.turn, `${step.turn}${names++}`);
            live.send({ type: 'speak', turn: named.get(step.turn), text: 'One two three.' });
          } else {
            const turn = step.turn === undefined ? undefined : named.get(step.turn);
            if (step.turn !== undefined && turn === undefined) continue;
            listener.drop(turn, live.clock.now());
            live.send({ type: 'cancel', ...(turn === undefined ? {} : { turn }) });
          }
          if (wrong !== undefined) throw new Error(wrong);
        }
        if (live.said('underrun').length > 0) throw new Error('an underrun');
      }),
      { numRuns: Number(process.env.FC_RUNS ?? 40) },
    );
  });
});
