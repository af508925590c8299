// Text is cut a piece at a time, and only what is wanted: no message holds the loop for all of it.
import { describe, expect, it } from 'vitest';
import { HARD_TEXTS, hardText, longestHardText } from '../../bench/lab/hard-texts.ts';
import { serveTurn } from '../../src/pipeline/speech-services.ts';
import { ComingText } from '../../src/session/coming-text.ts';
import type { CutInPieces } from '../../src/session/text-work.ts';
import { TurnScript } from '../../src/session/turn/turn-script.ts';
import { defaultSettings } from '../../src/session/turn-settings.ts';
import { AppendedText } from '../../src/text/appended-text.ts';
import { PIECE_UNITS, type TurnText } from '../../src/text/turn-text.ts';
import { startSession } from '../support/live-session.ts';
import { createMemoryUpstream } from '../support/memory-upstream.ts';
import { trustingRecovery } from '../support/trusting-recovery.ts';

const SERVED = serveTurn(
  { upstream: createMemoryUpstream(), recovery: trustingRecovery() },
  { synthesis: {}, defaultVoice: undefined, defaultVoice2: undefined },
  { tenant: 'ann', upstream: [] },
);

const KIB = 1024;

/** Text on its way, with a cutter that only counts, and work that is done when the test says so. */
function startCutting(room: () => boolean = () => true) {
  const done: string[] = [];
  let cut = 0;
  const cutter: TurnText = {
    append(text, speaker) {
      cut += text.length;
      done.push(speaker === undefined ? text : `${speaker}:${text}`);
    },
    flush: () => void done.push('flush'),
    idle: () => void done.push('idle'),
    end: () => void done.push('end'),
    appendedCodePoints: () => cut,
    heldCharacters: () => 0,
  };
  const waiting = new Set<CutInPieces>();
  const text = new AppendedText();
  const speakers: { unit: number; speaker: 1 | 2 }[] = [];
  const line = { wantsMore: room, flush() {}, end() {}, recheck() {}, fail() {} };
  const coming = new ComingText({
    text,
    from: { unit: 0, point: 0 },
    speakers,
    speaker: undefined,
    cutter,
    line,
    work: { add: (one) => void waiting.add(one) },
  });
  return {
    coming,
    text,
    speakers,
    done,
    cut: (): number => cut,
    /** One turn of the loop; false when there was nothing to do. */
    turn: () => {
      const [first] = waiting;
      if (first === undefined) return false;
      waiting.delete(first);
      first.cutOn();
      return true;
    },
  };
}

describe('text that comes', () => {
  it('is cut a piece in each turn of the loop, in order, and what was asked for stands in its place', () => {
    const { coming, text, done, cut, turn } = startCutting();
    text.append('a'.repeat(2000));
    coming.go();
    expect(cut()).toBe(PIECE_UNITS);
    coming.ask('flush');
    coming.ask('flush');
    text.append('b'.repeat(1000));
    coming.ask('end');
    coming.go();
    expect(cut()).toBe(PIECE_UNITS); // nothing more within the same turn
    for (let before = cut(); turn(); before = cut()) expect(cut() - before).toBeLessThanOrEqual(PIECE_UNITS);
    expect(done.join('').replaceAll(/a+/g, 'A').replaceAll(/b+/g, 'B')).toBe('AflushflushBend');
    expect([cut(), coming.isCut(), coming.waitingCharacters()]).toEqual([3000, true, 0]);
  });

  it('waits while nobody wants more, and is dropped when it is closed', () => {
    let wants = false;
    const { coming, text, cut, turn } = startCutting(() => wants);
    text.append('a'.repeat(5000));
    coming.go();
    expect([cut(), turn()]).toEqual([0, false]);
    wants = true;
    coming.go();
    expect(turn()).toBe(true);
    coming.close();
    const before = cut();
    while (turn());
    expect(cut()).toBe(before);
  });

  it('names each speaker where the change is', () => {
    const { coming, text, speakers, done, turn } = startCutting();
    for (const [speaker, said] of [
      [1, 'One.'],
      [2, 'Two.'],
      [1, 'Three.'],
    ] as const) {
      speakers.push({ unit: text.length(), speaker });
      text.append(said);
    }
    coming.go();
    while (turn());
    expect(done).toEqual(['1:One.', '2:Two.', '1:Three.']);
  });
});

describe('a seek in appended text', () => {
  it.each(HARD_TEXTS)('cuts nothing of it by itself: %s', (name) => {
    const waiting: CutInPieces[] = [];
    const script = new TurnScript(
      {
        settings: defaultSettings(200),
        seed: 1,
        served: SERVED,
        remainingMs: () => 0,
        work: { add: (one) => void waiting.push(one) },
      },
      undefined,
    );
    const head = 'One.\n\nTwo.\n\n';
    script.append(head + hardText(name, 90_000), undefined);
    for (let n = 0; n < 40; n += 1) {
      script.seek(1);
      // All of it still waits as text.
      expect(script.stretch().pendingCharacters()).toBe(head.length + 90_000 - 'One.\n\n'.length);
    }
    expect(waiting).toEqual([]);
    void script.stretch().requests.next(new AbortController().signal);
    // And the first piece is cut at once when somebody reads.
    expect(script.stretch().requests.waitingCharacters()).toBeLessThanOrEqual(PIECE_UNITS);
    expect(waiting.length).toBeLessThanOrEqual(1);
  });
});

describe('what the texts of a session take', () => {
  it.each(['prose', 'short words', 'Chinese', 'Thai', 'Hindi', 'emoji', 'links begun'])(
    'is told, and bounded: %s',
    async (name) => {
      const live = startSession({ limits: { textBytes: 2048 * KIB } });
      const text = longestHardText(name, 250 * KIB, 100_000);
      for (let n = 0; n < 8; n += 1) {
        for (let piece = 0; piece < 4; piece += 1)
          live.send({ type: 'append', turn: `t${n}`, text: text.slice(0, 25_000) });
      }
      await live.run(100);
      const bytesPerUnit = /[\u0100-\uffff]/.test(text) ? 2 : 1;
      const turns = live.session.turnsUnheard();
      expect(live.session.bufferedBytes()).toBeGreaterThanOrEqual(25_000 * bytesPerUnit);
      expect(live.session.bufferedBytes()).toBeLessThanOrEqual(2048 * KIB);
      if (turns < 8) expect(live.said('error')[0]).toMatchObject({ code: 'text_full', retryable: true });
      // What was cut makes room.
      live.send({ type: 'cancel' });
      await live.run(100);
      expect(live.session.bufferedBytes()).toBe(0);
      live.send({ type: 'append', turn: 'again', text: text.slice(0, 25_000) });
      expect(live.session.turnsUnheard()).toBe(1);
    },
  );

  it('never keeps out the one text of a session that is within the limits', () => {
    const live = startSession({ limits: { textBytes: 2048 * KIB } });
    live.send({ type: 'speak', turn: 'a', text: 'a '.repeat(100_000) });
    expect(live.said('error')).toEqual([]);
    live.send({ type: 'speak', turn: 'b', text: 'a '.repeat(100_000) });
    expect(live.said('error')).toMatchObject([{ code: 'text_full', turn: 'b', retryable: true }]);
    // It has not been taken: the same again is no other turn.
    live.send({ type: 'speak', turn: 'b', text: 'One.' });
    expect(live.session.turnsUnheard()).toBe(1);
  });
});

describe('appended text that fills the line', () => {
  it('loses nothing when its last piece is cut while a request is handed out', async () => {
    const waiting: CutInPieces[] = [];
    const cutAll = () => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) one.cutOn();
    };
    let remainingMs = 0;
    const script = new TurnScript(
      {
        settings: defaultSettings(200),
        seed: 1,
        served: SERVED,
        remainingMs: () => remainingMs,
        work: { add: (one) => void waiting.push(one) },
      },
      undefined,
    );
    const text = '今天天气很好我们去公园走走吧。'.repeat(400).slice(0, 5200);
    script.append(text, undefined);
    script.end();
    const line = script.stretch().requests;
    let said = '';
    for (let n = 0; ; n += 1) {
      const next = line.next(new AbortController().signal);
      cutAll();
      // The listener has plenty at first, so that the line fills before the next one is due.
      remainingMs = 29_000;
      line.recheck();
      cutAll();
      const item = await next;
      if (item === undefined) break;
      if (item.kind === 'request')
        said += item.text.parts.flatMap(({ segment }) => segment.runs.map((run) => run.text)).join('');
      remainingMs = n === 0 ? 2000 : 120_000;
    }
    expect(said).toBe(text);
  });
});
