// What a carrier is sent of turns that play: gathered, marked, and told as played.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BYTES_PER_MS, codecOf, RULES, startLegPlayout as start } from '../support/leg-playout-rig.ts';
import '../support/property-seed.ts';

describe('audio that is played to a leg', () => {
  it('goes at once where it begins and is gathered then, and each turn begins anew', () => {
    const { play, messages, playout } = start();
    play('a', 120);
    expect(messages()).toEqual([20, 20, 20, 20, 20, 20]);
    play('a', 140);
    expect(messages().slice(6)).toEqual([60, 60]);
    playout.finish('a');
    expect(messages().slice(8)).toEqual([20]);
    play('b', 20);
    expect(messages().slice(9)).toEqual([20]);
  });

  it('goes as it comes while the far side has little to play, and is gathered once it has enough', () => {
    let nowMs = 0;
    const { play, messages } = start(codecOf(), () => nowMs);
    play('a', 60);
    expect(messages()).toEqual([20, 20, 20]);
    play('a', 60);
    expect(messages()).toEqual([20, 20, 20, 20, 20, 20]);
    play('a', 60);
    expect(messages().slice(6)).toEqual([60]);
    nowMs = 170; // a speech service that fell behind
    play('a', 20);
    expect(messages().slice(7)).toEqual([20]);
  });

  it('waits while it is corked, and goes as one message then', () => {
    const { play, messages, playout } = start();
    playout.cork();
    play('a', 200);
    expect(messages()).toEqual([]);
    playout.uncork();
    expect(messages()).toEqual([200]);
  });

  it('is filled up with silence to a whole step at the end of a turn', () => {
    const { play, playout, audio } = start();
    play('a', 210, 1);
    playout.finish('a');
    const bytes = Buffer.concat(audio());
    expect(bytes.length).toBe(220 * BYTES_PER_MS);
    expect(bytes.subarray(210 * BYTES_PER_MS).every((each) => each === 0xff)).toBe(true);
  });

  it('never makes a message that is longer than the platform takes', () => {
    const { play, playout, audio } = start(codecOf({ ...RULES, mostBytes: 1600 }));
    playout.cork();
    play('a', 1000);
    playout.uncork();
    playout.finish('a');
    expect(Math.max(...audio().map(({ length }) => length))).toBeLessThanOrEqual(1600);
    expect(Buffer.concat(audio())).toHaveLength(8000);
  });

  it('is kept as it was: the caller may use his bytes again', () => {
    const { playout, audio } = start();
    const bytes = new Uint8Array(160).fill(1);
    playout.cork();
    playout.play({ turn: 'a', atMs: 0, ms: 20, bytes });
    bytes.fill(9);
    playout.uncork();
    expect(audio()[0]![0]).toBe(1);
  });

  it('that is never reported is kept for ten seconds, and no longer', () => {
    const { play, playout } = start();
    play('a', 60_000);
    expect(playout.unheardMs()).toBeLessThanOrEqual(10_000);
    expect(playout.unheardMs()).toBeGreaterThan(9_900);
  });

  it('is the same bytes however it was cut up, odd pieces included', () => {
    const sound = Uint8Array.from({ length: 3333 }, (_, i) => (i * 7) % 251);
    const bytesOf = (lengths: readonly number[]) => {
      const { playout, audio } = start();
      let from = 0;
      for (let turn = 0; from < sound.length; turn += 1) {
        const bytes = sound.subarray(from, from + lengths[turn % lengths.length]!);
        const [atMs, ms] = [from / BYTES_PER_MS, bytes.length / BYTES_PER_MS];
        playout.play({ turn: 'a', atMs, ms, bytes });
        from += bytes.length;
      }
      playout.finish('a');
      return Buffer.concat(audio());
    };
    const expected = bytesOf([sound.length]);
    expect(expected.subarray(0, sound.length).equals(Buffer.from(sound))).toBe(true);
    const sizes = fc.array(fc.constantFrom(1, 3, 159, 160, 161, 480), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(sizes, (lengths) => bytesOf(lengths).equals(expected)),
      { numRuns: 60 },
    );
  });
});

describe('marks', () => {
  it('go about every 200 ms and at the end of a turn, and tell what was played', () => {
    const { play, marks, playout, played } = start();
    play('a', 500);
    expect(marks()).toHaveLength(2);
    playout.finish('a');
    expect(marks()).toHaveLength(3);
    for (const mark of marks()) playout.marked(mark, 'echoed');
    expect(played).toHaveLength(3);
    expect(played.at(-1)).toBe('a 500');
    expect(playout.unheardMs()).toBe(0);
  });

  it('count once, and only those that were sent', () => {
    const { play, marks, playout, played } = start();
    play('a', 260);
    playout.finish('a');
    playout.marked('9.9', 'echoed');
    expect(played).toEqual([]);
    playout.marked(marks()[0]!, 'echoed');
    playout.marked(marks()[0]!, 'echoed');
    expect(played).toHaveLength(1);
  });

  it('that a clear sends back do not count as played, ten of them pending', () => {
    const { play, marks, playout, played } = start();
    play('a', 3000);
    expect(marks().length).toBeGreaterThanOrEqual(10);
    playout.clear(() => undefined);
    for (const mark of marks()) playout.marked(mark, 'echoed');
    expect(played).toEqual([]);
    expect(playout.unheardMs()).toBe(0);
  });

  it('that the platform calls cleared do not count', () => {
    const { play, marks, playout, played } = start();
    play('a', 400);
    playout.marked(marks()[0]!, 'cleared');
    expect(played).toEqual([]);
  });

  it('have a name of their own each, whatever was cleared', () => {
    const { play, marks, playout } = start();
    for (let round = 0; round < 5; round += 1) {
      play('a', 400);
      playout.clear(() => undefined);
    }
    expect(marks().length).toBeGreaterThanOrEqual(5);
    expect(new Set(marks()).size).toBe(marks().length);
  });

  it('never tell more than was sent, whatever is cleared and echoed when', () => {
    const acts = fc.array(
      fc.oneof(
        fc.record({ do: fc.constant('play' as const), ms: fc.integer({ min: 1, max: 300 }) }),
        fc.record({ do: fc.constant('echo' as const), index: fc.nat(50) }),
        fc.record({ do: fc.constant('clear' as const), heardMs: fc.nat(2000) }),
        fc.record({ do: fc.constant('finish' as const) }),
      ),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(acts, (all) => {
        const { play, playout, played, marks } = start();
        let sentMs = 0;
        for (const act of all) {
          if (act.do === 'play') {
            play('a', act.ms);
            sentMs += act.ms;
          } else if (act.do === 'echo') {
            const mark = marks()[act.index];
            if (mark !== undefined) playout.marked(mark, 'echoed');
          } else if (act.do === 'clear') playout.clear(() => act.heardMs);
          else playout.finish('a');
          for (const each of played) expect(Number(each.split(' ')[1])).toBeLessThanOrEqual(sentMs + 1e-6);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('what a leg gives back', () => {
  it('is what one turn has not been heard of; what others have is sent again', () => {
    const { playout, sent, play, audio } = start();
    play('a', 200, 1);
    playout.finish('a');
    play('b', 100, 2);
    const from = sent.length;
    expect(playout.takeBack('b', (turn) => (turn === 'a' ? 100 : 0))).toBe(0);
    expect(sent[from]).toBe('clear');
    expect(audio(from).every((frame) => frame.every((byte) => byte !== 2))).toBe(true);
    expect(audio(from).reduce((sum, frame) => sum + frame.length, 0)).toBe(100 * BYTES_PER_MS);
    expect(playout.takeBack('b', () => 0)).toBeUndefined();
  });

  it('is nothing where the far side cannot be cleared', () => {
    const { playout, play } = start(codecOf(RULES, {}));
    play('a', 200);
    expect(playout.takeBack('a', () => 100)).toBeUndefined();
  });
});
