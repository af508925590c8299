import { describe, expect, it } from 'vitest';
import { TextPatience } from '../../../src/session/turn/text-patience.ts';

/** One that is tended when it says that it is due, until `untilMs`. */
function patienceFrom(openedAtMs: number) {
  const done: string[] = [];
  let ended = false;
  let nowMs = openedAtMs;
  const patience = new TextPatience(
    {
      input: () => (ended ? 'ended' : 'open'),
      idle: (pause) => void done.push(`${nowMs} ${pause}`),
      end() {
        ended = true;
        done.push(`${nowMs} end`);
      },
    },
    openedAtMs,
  );
  return {
    patience,
    done,
    runTo: (untilMs: number) => {
      for (; patience.dueMs() <= untilMs; patience.tend(nowMs)) nowMs = patience.dueMs();
      nowMs = untilMs;
    },
  };
}

describe('a turn that gets no more text', () => {
  it('is spoken after a second, after three whatever it is, and ends after twenty', () => {
    const { runTo, done } = patienceFrom(500);
    runTo(60_000);
    expect(done).toEqual(['1500 short', '3500 long', '20500 end']);
  });

  it('waits anew whenever text comes', () => {
    const { patience, runTo, done } = patienceFrom(0);
    runTo(2000);
    patience.touch(2000);
    runTo(2999);
    patience.touch(2999);
    runTo(10_000);
    expect(done).toEqual(['1000 short', '3999 short', '5999 long']);
  });

  it('does at once what was due meanwhile, each once', () => {
    const { patience, done } = patienceFrom(0);
    patience.tend(5000);
    patience.tend(6000);
    patience.tend(25_000);
    patience.tend(26_000);
    expect(done.map((what) => what.split(' ')[1])).toEqual(['long', 'end']);
    expect(patience.dueMs()).toBe(Number.POSITIVE_INFINITY);
  });
});
