// The playground in a real browser, with real audio of the embedded engine: what is played is what was sent, words light
// by the sound's own clock, an interrupt is silence, and nothing of the page needs a mouse, a third party or a fault.
import { mkdirSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ALAW_VALUES, MULAW_VALUES } from '../../src/audio/dsp/g711.ts';
import type { EventOf, ServerEvent } from '../../src/dialects/native-events.ts';
import { encodeText } from '../support/encode-text.ts';
import { type BrowserPage, type OpenPlayground, openPlayground, until } from '../support/open-playground.ts';

const QUANTUM = 128;
/** The audio thread's word that it has begun takes its time on a machine that is busy. */
const NEWS_SECONDS = 0.4;

type Shown = {
  readonly ms: number;
  /** Where in the text the lit word begins; −1: none is lit, −2: more than one. */
  readonly lit: number;
  /** The sound card's time, before and after the page drew. */
  readonly beforeSeconds: number;
  readonly afterSeconds: number;
};

let playground: OpenPlayground;
let page: BrowserPage;
let faults: readonly string[];
beforeAll(async () => {
  playground = await openPlayground();
});
afterAll(() => playground.close());
beforeEach(async () => {
  ({ page, faults } = await playground.page());
  await page.goto(playground.url);
  await until(page, `document.getElementById('voice').options.length > 0`);
});
afterEach(async () => {
  expect(await page.evaluate('violations')).toEqual([]);
  expect(faults).toEqual([]);
  await page.close();
});

const text = (id: string) => page.evaluate(`document.getElementById('${id}').textContent`) as Promise<string>;
const isState = (state: string) =>
  until(page, `document.getElementById('state').textContent === '${state}'`).catch(async (cause: Error) => {
    const types = (await events()).map(({ type }) => type).join(' ');
    throw new Error(
      `${cause.message}; it is “${await text('state')}” at ${await text('position')}: ${types}`,
    );
  });
const events = () => page.evaluate('tap.events') as Promise<ServerEvent[]>;
const isType =
  <T extends ServerEvent['type']>(type: T) =>
  (event: ServerEvent): event is EventOf<T> =>
    event.type === type;

/** Samples at 16-bit scale, as the gateway sent them for `turn`. */
async function sentSamples(format: 'raw' | 'mulaw' | 'alaw', turn: string): Promise<Int16Array> {
  const bytes = Buffer.from((await page.evaluate(`tap.sent('${turn}')`)) as string, 'base64');
  if (format === 'raw')
    return Int16Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readInt16LE(2 * i));
  return Int16Array.from(bytes, (code) => (format === 'mulaw' ? MULAW_VALUES : ALAW_VALUES)[code]!);
}

/** Everything that was rendered, at 16-bit scale, and the frame of the audio context where it begins. */
async function playedSamples(): Promise<{ frame: number; samples: Float64Array }> {
  const { frame, base64 } = (await page.evaluate('tap.played()')) as { frame: number; base64: string };
  const floats = new Float32Array(Uint8Array.from(Buffer.from(base64, 'base64')).buffer);
  return { frame, samples: Float64Array.from(floats, (sample) => sample * 32_768) };
}

type Move = { readonly type: 'moving' | 'still'; readonly frame: number; readonly played: number };
/** A stretch of sound without a gap: frames of the audio context, and the sample that it begins with. */
type Stretch = { readonly from: number; readonly to: number; readonly played: number };

/** What the audio thread told of its starts and stops: a machine that is slow makes gaps of its own. */
async function stretches(): Promise<readonly Stretch[]> {
  const told = (await page.evaluate('tap.moves')) as (Move | { readonly type: 'cut' | 'lost' })[];
  const moves = told.filter((move): move is Move => move.type === 'moving' || move.type === 'still');
  return moves.flatMap(({ type, frame, played }, at) => {
    const stop = moves[at + 1];
    return type === 'moving' && stop !== undefined ? [{ from: frame, to: stop.frame, played }] : [];
  });
}

/** What must have been rendered from frame `first` on, if every sample was played as it was sent. */
function rendered(sent: Int16Array, sound: readonly Stretch[], first: number, count: number): Float64Array {
  const samples = new Float64Array(count);
  for (const { from, to, played } of sound)
    for (let frame = from; frame < to; frame++) samples[frame - first] = sent[played + frame - from]!;
  return samples;
}

/** What was recorded is what was wanted, and nearly all was recorded. */
function expectRendered(samples: Float64Array, wanted: Float64Array): void {
  const isKnown = (sample: number) => !Number.isNaN(sample);
  const wrong = samples.findIndex((sample, at) => isKnown(sample) && sample !== wanted[at]);
  if (wrong >= 0) {
    // Which kind of gap it was (silence, a repeat, a shift) shows in what surrounds it.
    const around = (list: Float64Array) => [...list.subarray(Math.max(0, wrong - 4), wrong + QUANTUM + 4)];
    expect({ wrong, samples: around(samples) }).toEqual({ wrong: -1, samples: around(wanted) });
  }
  const [heard, recorded] = [[...wanted], [...samples]].map((list) =>
    list.filter((one) => one !== 0 && isKnown(one)),
  );
  expect(recorded!.length).toBeGreaterThan(0.8 * heard!.length);
}

describe('the playground', () => {
  it.each([
    ['studio', 'raw', 24_000],
    ['phone', 'mulaw', 8000],
  ] as const)(
    'plays %s exactly as it was sent, and lights each word in its frame',
    async (chosen, format, rate) => {
      await page.selectOption('#sound', chosen);
      // Ahead of time, so that a machine that is slow does not add silence of its own.
      await page.selectOption('#delivery', 'burst');
      await page.fill('#text', 'The ferry leaves at ten. It takes forty minutes.');
      await page.click('#say');
      await isState('Heard to the end');

      const sent = await sentSamples(format, 'turn-1');
      const sound = await stretches();
      const { frame, samples } = await playedSamples();
      expect(sent.some((sample) => Math.abs(sample) > 1000)).toBe(true);
      expect(await page.evaluate('tap.context.sampleRate')).toBe(rate);
      const last = sound.at(-1)!;
      expect(last.played + last.to - last.from).toBe(sent.length);
      const wanted = rendered(sent, sound, frame, samples.length);
      expectRendered(samples, wanted);

      const words = (await events()).filter(isType('caption')).flatMap((event) => event.words);
      expect(words.length).toBe(9);
      const quantumMs = (QUANTUM * 1000) / rate;
      let judged = 0;
      for (const { ms, lit, beforeSeconds, afterSeconds } of (await page.evaluate('tap.shown')) as Shown[]) {
        if (ms === 0 || ms >= (sent.length * 1000) / rate) continue;
        // The lit word is the one that is said at the position of this very frame: a word begins when it does, though
        // the one before it was thought to last a little longer.
        const begun = words.findLast(({ startMs }) => startMs <= ms);
        expect(lit).toBe(begun !== undefined && ms < begun.endMs ? begun.charStart : -1);
        // And the position is the sound card's own, once the page can know that it moves.
        const stretch = sound.find(
          ({ from, to }) => from <= beforeSeconds * rate && afterSeconds * rate < to,
        );
        if (stretch === undefined || beforeSeconds * rate - stretch.from < NEWS_SECONDS * rate) continue;
        const msAt = (seconds: number) => ((stretch.played + seconds * rate - stretch.from) * 1000) / rate;
        expect(ms).toBeGreaterThanOrEqual(msAt(beforeSeconds) - quantumMs);
        expect(ms).toBeLessThanOrEqual(msAt(afterSeconds) + quantumMs);
        judged += 1;
      }
      expect(judged).toBeGreaterThan(5);
    },
  );

  it('is silent after an interrupt, and tells what was heard', async () => {
    await page.selectOption('#delivery', 'burst');
    await page.click('#say');
    await until(page, `Number(document.getElementById('position').dataset.ms) > 600`);
    await page.click('#interrupt');
    await until(page, `document.querySelector('[data-part=unheard]')`);
    const heard = (await events()).find(isType('heard'))!;
    expect(heard.playedBy).toBe('client');
    expect(await text('state')).toBe('Interrupted');
    const shown = (part: string) =>
      page.evaluate(`document.querySelector('[data-part=${part}]').textContent`) as Promise<string>;
    expect(await shown('heard')).toBe(heard.spokenText.trimEnd());
    expect(await shown('unheard')).toBe(heard.remainingText.trim());
    expect(await text('told')).toMatch(
      /^Interrupted\. Heard: .*[^,.;:\s][.!?] Not heard: .*[^,.;:\s][.!?]$/s,
    );

    // Of all that had come, no more was played than the page told.
    const quanta = (await page.evaluate('tap.quanta.length')) as number;
    await until(page, `tap.quanta.length > ${quanta + 64}`);
    const sent = await sentSamples('raw', 'turn-1');
    const sound = await stretches();
    const played = sound.reduce((sum, { from, to }) => sum + to - from, 0);
    expect(Math.abs((played * 1000) / 24_000 - heard.playedMs)).toBeLessThanOrEqual(1);
    expect(sent.length).toBeGreaterThanOrEqual(played);
    const { frame, samples } = await playedSamples();
    const wanted = rendered(sent, sound, frame, samples.length);
    expectRendered(samples, wanted);
  });

  it('can be used with the keyboard alone', async () => {
    await page.evaluate(`document.getElementById('text').value = ''`);
    const focused = () => page.evaluate('document.activeElement.id') as Promise<string>;
    // Past the skip link, the mark, three views and the kind of text.
    for (let presses = 0; (await focused()) !== 'text'; presses++) {
      if (presses > 8) throw new Error('the text is not where the keyboard looks for it');
      await page.keyboard.press('Tab');
    }
    await page.keyboard.type('Typed by hand, and long enough to be interrupted in the middle of it.');
    await page.keyboard.press('Control+Enter');
    await until(page, `Number(document.getElementById('position').dataset.ms) > 200`);
    await page.keyboard.press('Escape');
    await until(page, `document.querySelector('[data-part=unheard]')`);
    expect((await events()).find(isType('ended'))?.outcome).toBe('cancelled');
    expect(await focused()).toBe('text');
  });

  it('speaks what is typed while it is typed, and both voices of a dialogue', async () => {
    await page.check('input[value=live]');
    await page.fill('#live', 'One, two');
    await page.fill('#live', 'One, two, three.');
    await page.click('#say');
    await until(page, `tap.events.some((event) => event.type === 'ended')`);
    await isState('Heard to the end');
    expect(await text('transcript')).toBe('One, two, three.');

    await page.check('input[value=dialogue]');
    await page.click('#say');
    await until(page, `document.querySelectorAll('#transcript p').length === 3`);
    await until(page, `tap.events.some((event) => event.type === 'caption' && event.words[0].speaker === 1)`);
    await page.keyboard.press('Escape');
    await isState('Interrupted');
  });

  it('pauses a narration, goes on, and moves to another paragraph', async () => {
    await page.fill(
      '#text',
      'The first part is short.\n\nThe second part is passed by.\n\nThe third ends it.',
    );
    const positionMs = () =>
      page.evaluate(`Number(document.getElementById('position').dataset.ms)`) as Promise<number>;
    await page.click('#say');
    await until(page, `Number(document.getElementById('position').dataset.ms) > 300`);
    await page.click('#pause');
    await until(page, `document.getElementById('pause').textContent === 'Resume'`);
    const quanta = (await page.evaluate('tap.quanta.length')) as number;
    await until(page, `tap.quanta.length > ${quanta + 32}`);
    const heldAt = await positionMs();
    await until(page, `tap.quanta.length > ${quanta + 64}`);
    expect(await positionMs()).toBe(heldAt);
    await page.click('#pause');
    await until(page, `Number(document.getElementById('position').dataset.ms) > ${heldAt}`);

    await page.click('#paragraph-on');
    await page.click('#paragraph-on');
    await until(page, `tap.events.filter((event) => event.type === 'sought').length === 2`);
    await isState('Heard to the end');
    expect(await text('paragraph')).toBe('Paragraph 3 of 3');
    const heard = (await events()).find(isType('heard'))!;
    expect(heard.spokenText.trim()).toBe('The third ends it.');
    expect(heard.remainingText).toBe('');
  });

  it('makes a PlayNote of a file in Windows-1252, and plays it', async () => {
    await page.click('a[data-view=playnote]');
    await page.setInputFiles('#note-file', {
      name: 'ferry.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from(
        encodeText(
          'A ferry leaves at ten from the café on the quay. It takes forty minutes to cross the bay. A lighthouse is seen all the way. Many guests eat crème brûlée on board.',
          'windows-1252',
        ),
      ),
    });
    await page.selectOption('#note-style', 'executive-briefing');
    await page.click('#note-make');
    await until(page, `document.querySelector('#notes audio')?.duration > 1`);
  });
});

/** For the README: `SCREENSHOTS=1 npx vitest run test/browser`. */
describe.runIf(process.env.SCREENSHOTS === '1')('its pictures', () => {
  const folder = new URL('../../docs/pictures/', import.meta.url);
  const picture = (name: string) => new URL(`${name}.png`, folder).pathname;
  it('are taken', async () => {
    mkdirSync(folder, { recursive: true });
    await page.setViewportSize({ width: 1240, height: 940 });
    await page.selectOption('#delivery', 'burst');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.click('#say');
      await until(page, `Number(document.getElementById('position').dataset.ms) > 4600`);
      await page.screenshot({ path: picture(`playground-${colorScheme}`) });
      await page.click('#interrupt');
      await until(page, `document.querySelector('[data-part=unheard]')`);
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 360, height: 780 });
    await page.evaluate(`document.querySelector('.stage').scrollIntoView(); scrollBy(0, -16)`);
    await page.screenshot({ path: picture('playground-phone') });
  });
});
