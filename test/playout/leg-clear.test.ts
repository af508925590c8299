// What a carrier is sent when turns are cut, and of those that go on.
import { describe, expect, it } from 'vitest';
import { BYTES_PER_MS, codecOf, RULES, startLegPlayout as start } from '../support/leg-playout-rig.ts';

describe('a clear', () => {
  it('goes out even when nothing seems to be left at the far side', () => {
    const { playout, sent } = start();
    playout.clear(() => undefined);
    expect(sent).toEqual(['clear']);
  });

  it('does not go out where the far side has only what goes on: it would stutter', () => {
    const { play, playout, sent, audio, marks, played } = start();
    play('a', 100, 1);
    const before = sent.length;
    playout.clear((turn) => (turn === 'a' ? 30 : undefined));
    expect(sent.slice(before)).toEqual([]);
    play('a', 100, 1);
    playout.finish('a');
    expect(Buffer.concat(audio())).toEqual(Buffer.alloc(200 * BYTES_PER_MS, 1));
    for (const mark of marks()) playout.marked(mark, 'echoed');
    expect(played.at(-1)).toBe('a 200');
  });

  it('drops what was gathered of a turn that is cut, and leaves alone what was sent before it', () => {
    const { play, playout, sent, audio } = start();
    play('a', 100, 1);
    playout.finish('a');
    playout.cork();
    play('b', 100, 2);
    const before = sent.length;
    playout.clear((turn) => (turn === 'a' ? 30 : undefined));
    playout.uncork();
    playout.finish('b');
    play('c', 20, 3);
    expect(sent.slice(before).filter((frame) => typeof frame === 'string')).toEqual([]);
    expect(Buffer.concat(audio(before))).toEqual(Buffer.alloc(20 * BYTES_PER_MS, 3));
    expect(playout.unheardMs()).toBe(120);
  });

  it('drops what was gathered and not sent', () => {
    const { play, playout, sent } = start();
    play('a', 60);
    const before = sent.length;
    playout.clear(() => undefined);
    playout.finish('a');
    expect(sent.slice(before)).toEqual(['clear']);
  });

  it('has a turn that goes on sent again from the first piece that was not heard', () => {
    const { play, playout, sent, audio } = start();
    play('a', 100, 1);
    play('b', 100, 2);
    const before = sent.length;
    playout.clear((turn) => (turn === 'b' ? 30 : undefined));
    expect(sent[before]).toBe('clear');
    playout.finish('b');
    expect(Buffer.concat(audio(before))).toEqual(Buffer.alloc(80 * BYTES_PER_MS, 2));
  });

  it('lets the marks behind it speak of the turn that goes on', () => {
    const { play, playout, played, marks } = start();
    play('a', 60, 1);
    play('b', 200, 2);
    const before = marks().length;
    playout.clear((turn) => (turn === 'b' ? 0 : undefined));
    playout.finish('b');
    for (const mark of marks().slice(before)) playout.marked(mark, 'echoed');
    expect(played.at(-1)).toBe('b 200');
  });

  it('leaves a far side alone that cannot clear: it plays what it has', () => {
    const { play, playout, sent } = start(codecOf(RULES, {}));
    play('a', 200);
    const before = sent.length;
    playout.clear(() => 0);
    expect(sent.slice(before)).toEqual([]);
  });
});
