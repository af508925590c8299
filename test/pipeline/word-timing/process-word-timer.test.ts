// The process that times words, and its other end. What it does with a speech is tested in speech-timing.test.ts; here it
// is who may have one, what happens when it is slow, silent or dead, and what it leaves behind.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import type { TranscoderItem } from '../../../src/audio/transcoder.ts';
import { type Log, type LogFields, silentLog } from '../../../src/base/log.ts';
import type { WordEstimate } from '../../../src/captions/alignment/word-estimate.ts';
import {
  createProcessWordTimer,
  type ProcessWordTimer,
  type ProcessWordTimerOptions,
} from '../../../src/pipeline/word-timing/process-word-timer.ts';
import { gatherMs } from '../../../src/pipeline/word-timing/sent-speech.ts';
import type { TimedSpeech, WordTiming } from '../../../src/pipeline/word-timing/word-timer.ts';
import { espeakCommand } from '../../../src/speech-program/speech-command.ts';
import type { AlignedText } from '../../../src/text/aligned-text.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { mp3Fixture, parseMp3 } from '../../support/mp3-fixtures.ts';

const { frames, tags } = parseMp3([mp3Fixture('lame-cbr-24k.mp3')]);
const frameItems = frames.map((frame): TranscoderItem => ({ kind: 'frame', frame }));
const BODY: readonly TranscoderItem[] = [
  { kind: 'begin' },
  { kind: 'tag', tag: tags[0]! },
  ...frameItems,
  { kind: 'end' },
];
const FRAME_MS = 24;
/** Where the levels of the sound show that its words begin. */
const SPOKEN_MS = [0, 235, 1160, 1310, 1655, 2065];
const TEXT: AlignedText = {
  text: 'Good evening. The last train to',
  turnPrefix: undefined,
  turnPrefix2: undefined,
  wordAt: [0, 5, 14, 18, 23, 29],
  weights: [5.5, 8.5, 4.5, 5.5, 6.5, 3.5],
  pauses: [0, 5, 0, 0, 0, 0],
};
const FAKE_PROGRAM = fileURLToPath(new URL('../../speech-program/fake-speech-program.mjs', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'word-timer-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

let fakes = 0;
/** A process that does `code` with every order, given as `order`, and stops when it is told to. */
function timingProcess(code: string): URL {
  const path = join(scratch, `timer-${fakes++}.mjs`);
  writeFileSync(
    path,
    `const tell = (answer) => process.send(answer);
    process.on('disconnect', () => process.exit());
    process.on('message', (message) => {
      if (message.kind === 'stop') process.exit();
      for (const order of message.orders ?? []) { ${code} }
    });`,
  );
  return pathToFileURL(path);
}
const SILENT = timingProcess('');
const TAKING = timingProcess(`
  const { kind, speech } = order;
  if (kind === 'items') tell({ kind: 'taken', speech });
  if (kind === 'settle') tell({ kind: 'settled', speech });`);

type Line = { readonly level: string; readonly event: string; readonly fields: LogFields | undefined };
const timers: ProcessWordTimer[] = [];
afterEach(async () => {
  for (const timer of timers.splice(0)) await timer.close();
});

function timerWith(options: Partial<ProcessWordTimerOptions> = {}) {
  const lines: Line[] = [];
  const clock = { ...createFakeClock(), soon: (task: () => void) => void setImmediate(task) };
  const say = (level: string) => (event: string, fields?: LogFields) => lines.push({ level, event, fields });
  const log: Log = { ...silentLog, info: say('info'), warn: say('warn'), error: say('error') };
  const timer = createProcessWordTimer({
    log,
    clock,
    command: undefined,
    when: 'always',
    most: 4,
    ...options,
  });
  timers.push(timer);
  return { timer, clock, lines, events: () => lines.map(({ event }) => event) };
}

function speechOf(urgency: TimedSpeech['urgency'] = 'captions') {
  const told: { readonly index: number; readonly estimate: WordEstimate }[] = [];
  const timed: TimedSpeech = {
    language: 'english',
    speed: 1,
    voice: 'anna',
    passesThrough: () => false,
    urgency,
    whenBehind: 'give-up',
    onCaughtUp: () => {},
    wants: 'words',
    onEstimate: (index, estimate) => told.push({ index, estimate }),
  };
  return { timed, told };
}
const opened = (timer: ProcessWordTimer, timed: TimedSpeech = speechOf().timed): WordTiming => {
  const timing = timer.open(timed);
  if (timing === undefined) throw new Error('it was not opened');
  return timing;
};
const add = (timing: WordTiming, items: readonly TranscoderItem[]) => {
  for (const item of items) timing.tap.add(item);
};
/** So much audio, nothing else. */
const addMs = (timing: WordTiming, ms: number) => {
  for (let at = 0; at * FRAME_MS < ms; at += 1) timing.tap.add(frameItems[at % frameItems.length]!);
};
const until = (isSo: () => boolean) => vi.waitUntil(isSo, { timeout: 15_000, interval: 5 });

describe('word timer, its process', () => {
  // A machine that is busy with other things may not let the program finish its first sentence in time.
  it('tells the words of each request, and is settled when it has told the last', { retry: 2 }, async () => {
    const { timer, clock, lines } = timerWith({ command: espeakCommand() });
    const { timed, told } = speechOf();
    const timing = opened(timer, timed);
    for (let turn = 0; turn < 2; turn += 1) {
      timing.request(turn, TEXT);
      add(timing, BODY.slice(0, 50));
      timing.tap.add({ kind: 'flush', count: 1 });
      // Something is sent that never comes.
      add(timing, BODY.slice(60, 70));
      timing.tap.takeBack(10);
      add(timing, BODY.slice(50));
    }
    await timing.settled();
    for (const index of [0, 1]) {
      const { startsMs, reached } = told.findLast((each) => each.index === index)!.estimate;
      expect(reached).toBe(SPOKEN_MS.length);
      for (const [word, ms] of SPOKEN_MS.entries()) expect(Math.abs(startsMs[word]! - ms)).toBeLessThan(40);
    }
    timing.close();
    expect([timer.openSpeeches(), clock.timers, lines]).toEqual([0, 0, []]);
  });

  it('does without an engine, and without words', async () => {
    const { timer, lines } = timerWith();
    const { timed, told } = speechOf();
    const timing = opened(timer, timed);
    timing.request(0, { ...TEXT, text: '…', wordAt: [], weights: [], pauses: [] });
    add(timing, BODY);
    timing.request(1, TEXT);
    add(timing, BODY);
    await timing.settled();
    expect(new Set(told.map(({ index }) => index))).toEqual(new Set([1]));
    expect(lines).toEqual([]);
  });

  it('adds the delay of the encoder where MP3 goes out as it is', async () => {
    const { timer } = timerWith();
    const [cut, heard] = [speechOf(), speechOf()];
    const timings = [
      opened(timer, cut.timed),
      opened(timer, { ...heard.timed, passesThrough: (sampleRate) => sampleRate === 24_000 }),
    ];
    for (const timing of timings) {
      timing.request(0, TEXT);
      add(timing, BODY);
      await timing.settled();
    }
    const startsOf = ({ told }: typeof cut) => Array.from(told.at(-1)!.estimate.startsMs);
    const leadMs = ((tags[0]!.encoderDelay! + 529) * 1000) / 24_000;
    for (const [word, ms] of startsOf(cut).entries())
      expect(startsOf(heard)[word]).toBeCloseTo(ms + leadMs, 6);
  });

  it('goes on for others when one speech cannot be decoded, and logs no word of it', async () => {
    const { timer, lines } = timerWith({ command: [process.execPath, FAKE_PROGRAM, 'fine'] });
    const [broken, whole] = [speechOf(), speechOf()];
    const secret = { ...TEXT, text: 'REFUSE to say hush' };
    const timings = [opened(timer, broken.timed), opened(timer, whole.timed)];
    for (const timing of timings) timing.request(0, secret);
    add(timings[0]!, BODY.slice(2)); // outside a stream
    add(timings[1]!, BODY);
    await Promise.all(timings.map((timing) => timing.settled()));
    expect(broken.told).toEqual([]);
    expect(whole.told.at(-1)!.estimate.startsMs).toHaveLength(SPOKEN_MS.length);
    expect(new Set(lines.map(({ event }) => event))).toEqual(
      new Set(['word_timing_failed', 'engine_sentence_refused', 'reference_speech_failed']),
    );
    expect(JSON.stringify(lines)).not.toMatch(/hush|refuse to|will not say/i);
  });
});

describe('word timer, who gets a place', () => {
  it('gives half of the places to speech without captions, and takes them back at once', () => {
    const { timer } = timerWith({ most: 3, program: SILENT });
    const heard = opened(timer, speechOf('heard-text').timed);
    expect(timer.open(speechOf('heard-text').timed)).toBeUndefined();
    const captions = [opened(timer), opened(timer)];
    expect(timer.open(speechOf().timed)).toBeUndefined();
    expect(timer.openSpeeches()).toBe(3);
    captions[0]!.close();
    captions[0]!.close();
    expect(timer.openSpeeches()).toBe(2);
    expect(timer.open(speechOf('heard-text').timed)).toBeUndefined();
    opened(timer).close();
    heard.close();
    captions[1]!.close();
    expect(timer.openSpeeches()).toBe(0);
    opened(timer, speechOf('heard-text').timed);
  });

  it.each([
    ['never', [false, false]],
    ['captions', [true, false]],
    ['always', [true, true]],
  ] as const)('times %s what it is told to', (when, wanted) => {
    const { timer } = timerWith({ when, program: SILENT });
    const got = (['captions', 'heard-text'] as const).map((urgency) => timer.open(speechOf(urgency).timed));
    expect(got.map((timing) => timing !== undefined)).toEqual(wanted);
  });

  it('starts no process that nothing wants, and one beforehand when asked to', async () => {
    const program = new URL('file:///no/such/program.mjs');
    const never = timerWith({ when: 'never', program });
    never.timer.warm();
    const unasked = timerWith({ program });
    const warm = timerWith({ program });
    warm.timer.warm();
    warm.timer.warm();
    await until(() => warm.lines.length > 0);
    expect(warm.events()).toEqual(['word_timer_died']);
    expect([never.lines, unasked.lines]).toEqual([[], []]);
    // One that cannot even start would only die again.
    expect(warm.timer.open(speechOf().timed)).toBeUndefined();
  });
});

describe('word timer, when its process fails', () => {
  it('does no harm to a speech when it dies, and starts again for the next', async () => {
    const program = timingProcess(`
      const { kind, speech } = order;
      if (kind === 'take-back') throw new RangeError('spoken words');
      if (kind === 'items') tell({ kind: 'taken', speech });
      if (kind === 'items') tell({ kind: 'log', event: 'taken', cause: '' });
      if (kind === 'settle' && speech > 2) tell({ kind: 'settled', speech });`);
    const { timer, lines, clock } = timerWith({ program });
    const [doomed, companion] = [opened(timer), opened(timer)];
    for (const timing of [doomed, companion]) {
      timing.request(0, TEXT);
      add(timing, BODY);
    }
    const waiting = Promise.all([doomed.settled(), companion.settled()]);
    await until(() => lines.length >= 4);
    doomed.tap.takeBack(1);
    await waiting;
    // 'taken' proved the process before.
    expect(lines.filter(({ event }) => event !== 'taken')).toEqual([
      { level: 'error', event: 'word_timer_died', fields: { cause: 'exit 1', speeches: 2 } },
    ]);
    expect([timer.openSpeeches(), clock.timers]).toEqual([0, 0]);
    for (const timing of [doomed, companion]) {
      timing.request(0, TEXT);
      add(timing, BODY);
      timing.tap.takeBack(1);
      await timing.settled();
      timing.close();
    }
    // It rests first, so that what kills it again and again costs little.
    expect(timer.open(speechOf().timed)).toBeUndefined();
    clock.advance(1000);
    lines.length = 0;
    const next = opened(timer);
    next.request(0, TEXT);
    add(next, BODY);
    await next.settled();
    expect(new Set(lines.map(({ event }) => event))).toEqual(new Set(['taken']));
  });

  it('lets nobody wait longer than twenty seconds for a process that is silent', async () => {
    const { timer, clock } = timerWith({ program: SILENT });
    const timing = opened(timer);
    timing.request(0, TEXT);
    add(timing, BODY);
    let hasSettled = false;
    const settled = timing.settled().then(() => {
      hasSettled = true;
    });
    await clock.run(19_999);
    expect(hasSettled).toBe(false);
    await clock.run(1);
    await settled;
    expect(clock.timers).toBe(0);
    timing.close();
    await timing.settled();
  });

  it('stops its timers when the speech is closed while somebody waits', async () => {
    const { timer, clock } = timerWith({ program: SILENT });
    const timing = opened(timer);
    const settled = timing.settled();
    timing.close();
    await settled;
    expect(clock.timers).toBe(0);
  });

  it('gives a speech up that is three minutes ahead of it, and no other', async () => {
    const { timer, lines } = timerWith({ program: SILENT });
    const [long, short] = [opened(timer), opened(timer)];
    long.request(0, TEXT);
    short.request(0, TEXT);
    addMs(long, 179_900);
    addMs(short, 1000);
    expect([timer.openSpeeches(), lines.length]).toEqual([2, 0]);
    addMs(long, 200);
    expect(lines.map(({ level, event }) => [level, event])).toEqual([['warn', 'word_timer_behind']]);
    expect(timer.openSpeeches()).toBe(1);
    addMs(long, 100_000);
    long.request(0, TEXT);
    await long.settled();
    expect(lines).toHaveLength(1);
  });

  it('gives a speech of many short requests up as well, though each of them is sent at its end', () => {
    const { timer, lines } = timerWith({ program: SILENT });
    const timing = opened(timer);
    for (let ms = 0; ms < 190_000; ms += 1000) {
      timing.request(0, TEXT);
      addMs(timing, 1000);
      timing.tap.add({ kind: 'end' });
    }
    expect(lines.map(({ event }) => event)).toEqual(['word_timer_behind']);
    expect(timer.openSpeeches()).toBe(0);
  });

  it('keeps a speech of any length that it follows', async () => {
    const { timer, lines } = timerWith({ program: TAKING });
    const timing = opened(timer);
    for (let minute = 0; minute < 5; minute += 1) {
      timing.request(0, TEXT);
      addMs(timing, 30_000);
      timing.tap.add({ kind: 'end' });
      await timing.settled();
    }
    expect([lines, timer.openSpeeches()]).toEqual([[], 1]);
  });

  it('holds a speech back whose reader waits for its words, until they are not far behind', async () => {
    const slow = timingProcess(`
      const { kind, speech } = order;
      globalThis.taken ??= [];
      if (kind === 'items') taken.push(speech);
      if (kind === 'settle') {
        for (const one of taken.splice(0)) tell({ kind: 'taken', speech: one });
        tell({ kind: 'log', event: 'taken', cause: '' });
      }`);
    const { timer, events, clock } = timerWith({ program: slow });
    let caughtUp = 0;
    const waiting = {
      ...speechOf('file').timed,
      whenBehind: 'hold-back',
      onCaughtUp: () => (caughtUp += 1),
    } as const;
    const timing = opened(timer, waiting);
    timing.request(0, TEXT);
    addMs(timing, 19_900);
    expect(timing.isBehind()).toBe(false);
    addMs(timing, 200);
    expect([timing.isBehind(), caughtUp]).toEqual([true, 0]);
    const settled = timing.settled();
    await until(() => events().includes('taken') && caughtUp > 0);
    expect([timing.isBehind(), caughtUp, timing.isClosed()]).toEqual([false, 1, false]);
    timing.close();
    await settled;
    expect(clock.timers).toBe(0);
  });

  it('gives a speech up for which nothing has been done in two minutes, and lets its reader go on', async () => {
    const { timer, events, clock } = timerWith({ program: SILENT });
    let caughtUp = 0;
    const waiting = {
      ...speechOf('file').timed,
      whenBehind: 'hold-back',
      onCaughtUp: () => (caughtUp += 1),
    } as const;
    const timing = opened(timer, waiting);
    timing.request(0, TEXT);
    addMs(timing, 400_000);
    expect(timing.isBehind()).toBe(true);
    await clock.run(119_999);
    expect([timing.isBehind(), timing.isClosed()]).toEqual([true, false]);
    await clock.run(1);
    expect([timing.isBehind(), timing.isClosed(), caughtUp]).toEqual([false, true, 1]);
    expect(events()).toEqual(['word_timer_behind']);
    expect(clock.timers).toBe(0);
  });

  it('has a place for every reader that waits, whatever the places for captions', () => {
    const { timer } = timerWith({ program: SILENT, most: 1 });
    const waiting = { ...speechOf('file').timed, whenBehind: 'hold-back' } as const;
    for (let speech = 0; speech < 8; speech += 1) opened(timer, waiting);
    opened(timer, speechOf('captions').timed);
    expect(timer.open(speechOf('captions').timed)).toBeUndefined();
    expect(timerWith({ when: 'never' }).timer.open(waiting)).toBeUndefined();
  });

  it('sends in few messages what comes at once', async () => {
    const counting = timingProcess(`
      if (order.kind === 'items') {
        const ms = order.items.flatMap((item) => item.frames?.lengths ?? []).length * ${FRAME_MS};
        tell({ kind: 'log', event: String(ms), cause: '' });
        tell({ kind: 'taken', speech: order.speech });
      }`);
    const { timer, events } = timerWith({ program: counting });
    const timing = opened(timer);
    timing.request(0, TEXT);
    for (let at = 0; at < 90; at += 1) timing.tap.add(frameItems[at]!);
    timing.tap.add({ kind: 'end' });
    const sentMs = () => events().reduce((sum, ms) => sum + Number(ms), 0);
    await until(() => sentMs() === 90 * FRAME_MS);
    const [first, ...others] = events().map(Number);
    expect(first).toBeLessThan(150);
    expect(others.length).toBeLessThan(5);
  });

  it('gathers a quarter of what it is ahead, from 50 ms to half a second', () => {
    expect([-100, 0, 400, 1200, 9000].map(gatherMs)).toEqual([50, 50, 100, 300, 500]);
  });
});

describe('word timer, closed', () => {
  it('lets everybody go, complains of nothing, and times no more', async () => {
    const { timer, lines, clock } = timerWith({ program: SILENT });
    const timing = opened(timer);
    timing.request(0, TEXT);
    add(timing, BODY);
    const settled = timing.settled();
    const closed = timer.close();
    await settled;
    await closed;
    expect([timer.openSpeeches(), clock.timers, lines]).toEqual([0, 0, []]);
    expect(timer.open(speechOf().timed)).toBeUndefined();
    add(timing, BODY);
    timing.close();
    await timer.close();
  });

  let programs = 0;
  /** A speech program that tells its process id and then does `code`. */
  const knownProgram = (code: string) => {
    const file = join(scratch, `pid-${programs++}`);
    const start = `import { writeFileSync } from 'node:fs';
      writeFileSync(${JSON.stringify(file)}, String(process.pid)); ${code}`;
    const pid = () => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);
    return { command: [process.execPath, '--input-type=module', '--eval', start], pid };
  };
  /** Neither ended nor waiting for somebody to hear of its end. */
  const isRunning = (pid: number) => {
    try {
      process.kill(pid, 0);
    } catch {
      return false;
    }
    const status = `/proc/${pid}/stat`;
    return !existsSync(status) || !/^\d+ \(.*\) [ZX]/.test(readFileSync(status, 'utf8'));
  };
  const expectGone = async (pid: number) => {
    try {
      await until(() => !isRunning(pid));
    } finally {
      if (isRunning(pid)) process.kill(pid, 'SIGKILL');
    }
  };
  const READS_ON = `await import(${JSON.stringify(new URL('../../speech-program/fake-speech-program.mjs', import.meta.url).href)});`;
  const IS_DEAF = 'setInterval(() => {}, 1000);';

  it.each([
    ['reads on', READS_ON],
    ['is deaf', IS_DEAF],
  ])('leaves no speech program behind that %s', async (_how, code) => {
    const { command, pid } = knownProgram(code);
    const { timer, clock } = timerWith({ command });
    timer.warm();
    opened(timer);
    await until(() => pid() > 0);
    expect(isRunning(pid())).toBe(true);
    await timer.close();
    // Its end has been heard of, too: nothing of it is left.
    expect(existsSync(`/proc/${pid()}`)).toBe(false);
    await expectGone(pid());
    expect(clock.timers).toBe(0);
  });

  it('leaves no speech program behind when its process dies', async () => {
    const { command, pid } = knownProgram(IS_DEAF);
    const { timer, events } = timerWith({ command });
    const timing = opened(timer);
    await until(() => pid() > 0);
    timing.request(0, { ...TEXT, weights: undefined as never });
    await timing.settled();
    expect(events()).toEqual(['word_timer_failed', 'word_timer_died']);
    await expectGone(pid());
  });

  it('does not wait for a process that does not stop', async () => {
    const busy = timingProcess('for (;;);');
    const { timer, clock } = timerWith({ program: busy });
    opened(timer).request(0, TEXT);
    let hasClosed = false;
    const closed = timer.close().then(() => {
      hasClosed = true;
    });
    await clock.run(1999);
    expect(hasClosed).toBe(false);
    await clock.run(1);
    await closed;
    expect(clock.timers).toBe(0);
  });
});

describe('word timer, asked for endings alone', () => {
  const ENDING = { missingCost: 3 };
  const TELLING = timingProcess(`
    const { kind, speech } = order;
    if (kind === 'items') tell({ kind: 'taken', speech });
    if (kind === 'ending') tell({ kind: 'ending', speech, ending: ${JSON.stringify(ENDING)} });`);
  const endingsOf = (): TimedSpeech => ({ ...speechOf('heard-text').timed, wants: 'endings' });
  const withEngine = (program: URL, more: Partial<ProcessWordTimerOptions> = {}) =>
    timerWith({ command: ['never started'], when: 'never', program, ...more });

  it('needs an engine, and neither a setting nor a place of those who want words', () => {
    expect(timerWith({ when: 'always' }).timer.open(endingsOf())).toBeUndefined();
    expect(withEngine(SILENT, { endings: 'never' }).timer.open(endingsOf())).toBeUndefined();
    const { timer } = withEngine(SILENT, { when: 'always', most: 2 });
    opened(timer, speechOf('captions').timed);
    opened(timer, speechOf('captions').timed);
    expect(timer.open(speechOf('captions').timed)).toBeUndefined();
    // As many places of its own.
    opened(timer, endingsOf());
    opened(timer, endingsOf());
    expect(timer.open(endingsOf())).toBeUndefined();
    expect(withEngine(SILENT).timer.open(speechOf().timed)).toBeUndefined();
  });

  it('is answered, and sends what has come in pieces of two seconds', async () => {
    const { timer, clock } = withEngine(TELLING);
    const timing = opened(timer, endingsOf());
    timing.request(0, TEXT);
    addMs(timing, 700);
    expect(await timing.ending(1000, 'asked')).toEqual(ENDING);
    expect(clock.timers).toBe(0);
  });

  it('waits no longer than it was told to, and takes a late answer for none of the next', async () => {
    const late = timingProcess(`
      const { kind, speech } = order;
      if (kind === 'ending') {
        globalThis.asked = (globalThis.asked ?? 0) + 1;
        if (globalThis.asked === 2)
          for (const missingCost of [1, 2]) tell({ kind: 'ending', speech, ending: { missingCost } });
      }`);
    const { timer, clock, events } = withEngine(late);
    const timing = opened(timer, endingsOf());
    timing.request(0, TEXT);
    const first = timing.ending(500, 'asked');
    await clock.run(500);
    // It may have just been started, which is no news.
    expect([await first, events()]).toEqual(['late', []]);
    expect(await timing.ending(500, 'asked')).toEqual({ missingCost: 2 });
    const third = timing.ending(500, 'asked');
    await clock.run(500);
    expect([await third, events()]).toEqual(['late', ['speech_endings_late']]);
  });

  it('warns of no late ending where endings are not to be judged by words', async () => {
    const once = timingProcess(`
      const { kind, speech } = order;
      if (kind === 'ending' && !globalThis.asked) {
        globalThis.asked = true;
        tell({ kind: 'ending', speech, ending: ${JSON.stringify(ENDING)} });
      }`);
    const { timer, clock, events } = withEngine(once, { when: 'always', endings: 'never' });
    const timing = opened(timer, speechOf('captions').timed);
    timing.request(0, TEXT);
    expect(await timing.ending(500, 'asked')).toEqual(ENDING);
    const late = timing.ending(500, 'asked');
    await clock.run(500);
    expect([await late, events()]).toEqual(['late', []]);
  });

  it('takes no more speeches when too many endings are awaited, until they are told or given up', async () => {
    const { timer } = withEngine(SILENT, { most: 100 });
    const timings = Array.from({ length: 32 }, () => opened(timer, endingsOf()));
    const endings = timings.map((timing) => {
      timing.request(0, TEXT);
      return timing.ending(1000, 'asked');
    });
    expect(timer.open(endingsOf())).toBeUndefined();
    for (const timing of timings) timing.close();
    expect(new Set(await Promise.all(endings))).toEqual(new Set([undefined]));
    opened(timer, endingsOf());
  });

  it('answers nobody when its process dies', async () => {
    const { timer } = withEngine(timingProcess(`if (order.kind === 'ending') process.exit(3);`));
    const timing = opened(timer, endingsOf());
    timing.request(0, TEXT);
    expect(await timing.ending(60_000, 'asked')).toBeUndefined();
    expect(timer.openSpeeches()).toBe(0);
  });
});
