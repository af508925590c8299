import { describe, expect, it } from 'vitest';
import { askThread } from '../../../src/base/processes/ask-thread.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const programOf = (text: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort, workerData } from 'node:worker_threads';${text}`)}`,
  );
const never = new AbortController().signal;

function open(text: string) {
  const clock = createFakeClock();
  const ask = (signal: AbortSignal = never) =>
    askThread(
      {
        program: programOf(text),
        name: 'test',
        question: { a: 1 },
        memory: { maxOldGenerationSizeMb: 16 },
        deadlineMs: 1000,
        clock,
      },
      signal,
    );
  return { clock, ask };
}
const WAITS = 'parentPort.on("message", () => {})';

describe('a question to a thread', () => {
  it('is answered, and nothing is left running', async () => {
    const { clock, ask } = open('parentPort.postMessage([workerData, process.env])');
    expect(await ask()).toEqual([{ a: 1 }, {}]);
    expect(clock.timers).toBe(0);
  });

  it('ends with its signal, before and after it was asked', async () => {
    const { clock, ask } = open(WAITS);
    await expect(ask(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
    const stop = new AbortController();
    const answer = ask(stop.signal);
    stop.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
    expect(clock.timers).toBe(0);
  });

  it('has a time in which to be answered', async () => {
    const { clock, ask } = open(WAITS);
    const answer = ask();
    clock.advance(1000);
    await expect(answer).rejects.toThrow('not answered in time');
  });

  it.each([
    ['throw new Error("gone")', 'gone'],
    ['process.exit(0)', 'has ended'],
    ['const all = []; for (;;) all.push(new Array(1e5).fill({}))', 'memory'],
  ])('%s: it fails', async (text, why) => {
    await expect(open(text).ask()).rejects.toThrow(why);
  });
});
