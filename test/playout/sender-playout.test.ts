// What a leg without a clock of its own is sent, and when: on a fake clock, before a codec that keeps what it is given.
import { describe, expect, it } from 'vitest';
import { audioSocketLeg } from '../../src/legs/audiosocket-leg.ts';
import { createFrameMeter } from '../../src/playout/frame-meter.ts';
import { createPlayoutClock } from '../../src/playout/playout-clock.ts';
import { createSenderPlayout } from '../../src/playout/sender-playout.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const FRAME_MS = 20;
const FRAME_BYTES = 320;
const LEAD_MS = 60;
const TICK_MS = 5;
/** Frames of silence are the only ones that hold no other sample. */
const LOUD = 8000;

type Sent = { readonly atMs: number; readonly samples: Int16Array };

function start({ caller = 'speaks' }: { caller?: 'speaks' | 'silent' } = {}) {
  const fake = createFakeClock(10_000);
  let stalledMs = 0;
  const clock = { ...fake, now: () => fake.now() + stalledMs };
  const startMs = clock.now();
  const sent: Sent[] = [];
  const playout = createPlayoutClock({
    clock,
    tickMs: TICK_MS,
    onFault: (_player, fault) => {
      throw fault;
    },
  });
  const codec = audioSocketLeg.open();
  const write = (frame: Uint8Array) => {
    const bytes = Buffer.from(frame);
    expect(bytes.subarray(0, 3).toString('hex')).toBe('100140');
    const audio = new Uint8Array(bytes.subarray(3));
    expect(audio.length).toBe(FRAME_BYTES);
    sent.push({ atMs: clock.now() - startMs, samples: new Int16Array(audio.buffer) });
  };
  const sender = createSenderPlayout({
    codec,
    meter: (memory) => createFrameMeter({ memory, rules: codec.rules(), write, playout, now: clock.now }),
    audio: { format: 'raw', sampleRate: 8000 },
    playout,
    now: clock.now,
    lastHeardMs: () => (caller === 'speaks' ? clock.now() : startMs),
  });
  /** The loop does nothing for so long: what is due meanwhile is late. */
  const stall = (ms: number) => {
    stalledMs += ms;
  };
  const play = (turn: string, ms: number, level = LOUD) => {
    const bytes = new Uint8Array(new Int16Array(ms * 8).fill(level).buffer);
    sender.play({ turn, atMs: 0, ms, bytes });
  };
  /** Plays a turn as a session does: so far ahead, a frame every 20 ms. */
  const playAhead = (turn: string, ms: number, level = LOUD) => {
    for (let at = 0; at < ms; at += FRAME_MS) {
      if (at >= sender.leadMs) clock.advance(FRAME_MS);
      play(turn, FRAME_MS, level);
    }
  };
  const loud = () => sent.filter(({ samples }) => samples.some((sample) => sample !== 0));
  const silent = () => sent.filter(({ samples }) => samples.every((sample) => sample === 0));
  /** How much has been sent that would not be heard by now, at the worst moment. */
  const mostAheadMs = () => {
    let playsUntilMs = 0;
    return Math.max(
      ...sent.map(({ atMs }) => {
        playsUntilMs = Math.max(playsUntilMs, atMs) + FRAME_MS;
        return playsUntilMs - atMs;
      }),
    );
  };
  return { clock, fake, playout, sender, sent, stall, play, playAhead, loud, silent, mostAheadMs };
}

describe('pacing by the sender', () => {
  it('sends its lead at once, then a frame every 20 ms, each exactly one', () => {
    const { clock, sent, play, sender, mostAheadMs } = start();
    play('a', 200);
    expect(sent).toHaveLength(3);
    clock.advance(300);
    sender.finish('a');
    expect(sent.slice(0, 10).map(({ atMs }) => Math.floor(atMs / FRAME_MS) * FRAME_MS)).toEqual([
      0, 0, 0, 20, 40, 60, 80, 100, 120, 140,
    ]);
    expect(mostAheadMs()).toBe(LEAD_MS);
  });

  it('has drifted by less than a frame after a minute', () => {
    const { clock, sent, playAhead, sender, mostAheadMs } = start();
    playAhead('a', 60_000);
    sender.finish('a');
    clock.advance(500);
    expect(sent).toHaveLength(3000);
    const expectedMs = 60_000 - LEAD_MS;
    expect(Math.abs(sent.at(-1)!.atMs - expectedMs)).toBeLessThanOrEqual(FRAME_MS);
    expect(mostAheadMs()).toBeLessThanOrEqual(LEAD_MS);
  });

  it.each([10, 25, 50])(
    'makes up for a loop that stands still for %i ms, and nothing is missing',
    (stallMs) => {
      const { clock, sent, loud, stall, playAhead, sender, mostAheadMs } = start();
      for (let round = 0; round < 20; round += 1) {
        playAhead(`t${round}`, 100);
        stall(stallMs);
      }
      sender.finish('t19');
      clock.advance(3000);
      expect(loud()).toHaveLength(100);
      expect(sent.length - loud().length).toBeLessThanOrEqual(100);
      expect(mostAheadMs()).toBeLessThanOrEqual(LEAD_MS);
    },
  );

  it('skips slots after a long stall: no more than the lead comes in a burst', () => {
    const { clock, sent, stall, play, mostAheadMs } = start();
    play('a', 2000);
    stall(700);
    const before = sent.length;
    clock.advance(TICK_MS);
    expect(sent.length - before).toBe(LEAD_MS / FRAME_MS);
    clock.advance(100);
    expect(mostAheadMs()).toBe(LEAD_MS);
  });

  it.each([1, 3, 19, 21])('cuts pieces of %i ms into whole frames, and fills up the last', (pieceMs) => {
    const { clock, sender, play, loud, silent } = start();
    for (let ms = 0; ms < 210; ms += pieceMs) play('a', Math.min(pieceMs, 210 - ms));
    sender.finish('a');
    clock.advance(400);
    expect(loud()).toHaveLength(11);
    expect(silent()).toEqual([]);
    const last = loud().at(-1)!.samples;
    expect([...last.subarray(0, 80)].every((sample) => sample === LOUD)).toBe(true);
    expect([...last.subarray(80)].every((sample) => sample === 0)).toBe(true);
  });

  it('never mixes two turns in a frame', () => {
    const { clock, sender, play, loud } = start();
    play('a', 30);
    play('b', 30, 100);
    sender.finish('b');
    clock.advance(200);
    expect(loud().map(({ samples }) => [samples[0], samples[159]])).toEqual([
      [LOUD, LOUD],
      [LOUD, 0],
      [100, 100],
      [100, 0],
    ]);
  });

  it('fills with silence while an open turn is starved, and only then', () => {
    const { clock, sender, play, silent, sent } = start();
    play('a', 40);
    clock.advance(39);
    expect(silent()).toEqual([]);
    clock.advance(101);
    expect(silent()).toHaveLength(6);
    play('a', 20);
    sender.finish('a');
    clock.advance(900);
    expect(silent()).toHaveLength(6);
    expect(sent).toHaveLength(9);
  });

  it('takes a turn that gets nothing for two seconds for one that is over', () => {
    const { clock, play, silent } = start();
    play('a', 40);
    clock.advance(10_000);
    expect(silent()).toHaveLength(100);
  });

  it('keeps a call alive by a frame a second when neither side says anything', () => {
    const quiet = start({ caller: 'silent' });
    quiet.clock.advance(10_050);
    expect(quiet.silent()).toHaveLength(10);
    const spoken = start();
    spoken.clock.advance(10_050);
    expect(spoken.sent).toEqual([]);
  });

  it('fades the next frame within 8 ms when the turn that plays is cut, and sends nothing of it behind that', () => {
    const { clock, sender, playAhead, sent, mostAheadMs } = start();
    playAhead('a', 400);
    const before = sent.length;
    sender.clear(() => undefined);
    clock.advance(500);
    expect(sent).toHaveLength(before + 1);
    const { samples } = sent.at(-1)!;
    expect(samples[0]).toBeGreaterThan(LOUD * 0.9);
    for (let at = 1; at < samples.length; at += 1) expect(samples[at]).toBeLessThanOrEqual(samples[at - 1]!);
    expect(samples.indexOf(0)).toBeGreaterThan(32);
    expect(samples.indexOf(0)).toBeLessThanOrEqual(64);
    expect(mostAheadMs()).toBeLessThanOrEqual(LEAD_MS);
    expect(sender.unheardMs()).toBe(0);
  });

  it('tells how far a turn is heard that is cut now: what has been sent of it', () => {
    const { clock, sender, play } = start();
    play('a', 90);
    expect(sender.committedMs('a')).toBe(60);
    clock.advance(25);
    expect(sender.committedMs('a')).toBe(80);
    sender.play({ turn: 'a', atMs: 90, ms: 5, bytes: new Uint8Array(80) });
    sender.finish('a');
    play('b', 40);
    expect(sender.committedMs('b')).toBe(0);
    clock.advance(40);
    expect(sender.committedMs('a')).toBe(Number.POSITIVE_INFINITY);
    expect(sender.committedMs('b')).toBe(20);
  });

  it('goes on with the turn behind the one that is cut', () => {
    const { clock, sender, playAhead, play, loud } = start();
    playAhead('a', 400);
    const before = loud().length;
    play('b', 100, 100);
    sender.clear((turn) => (turn === 'b' ? 0 : undefined));
    sender.finish('b');
    clock.advance(400);
    const levels = loud()
      .slice(before)
      .map(({ samples }) => samples[159]);
    expect(levels).toEqual([0, 100, 100, 100, 100, 100]);
  });

  it('leaves the turn that plays alone when another is cut', () => {
    const { clock, sender, playAhead, loud } = start();
    playAhead('a', 400);
    sender.clear((turn) => (turn === 'a' ? 300 : undefined));
    sender.finish('a');
    clock.advance(400);
    expect(loud()).toHaveLength(20);
    expect(loud().every(({ samples }) => samples[159] === LOUD)).toBe(true);
  });

  it('says that it is behind when more waits than it was to be given', () => {
    const { clock, sender, play } = start();
    play('a', sender.leadMs + LEAD_MS);
    expect(sender.isBehind()).toBe(false);
    play('a', FRAME_MS);
    expect(sender.isBehind()).toBe(true);
    clock.advance(2 * FRAME_MS);
    expect(sender.isBehind()).toBe(false);
  });

  it('leaves no timer behind', () => {
    const { clock, fake, sender, play, playout, sent } = start();
    play('a', 400);
    sender.close();
    expect(playout.players()).toBe(0);
    const before = sent.length;
    clock.advance(1000);
    expect(sent).toHaveLength(before);
    expect(fake.timers).toBe(0);
  });
});
