// Those who look on at one session: they hear and read what its listener hears, once, and he never notices.
import { describe, expect, it } from 'vitest';
import type { AppError } from '../../../src/base/app-error.ts';
import { VTT_HEADER } from '../../../src/captions/growing-vtt.ts';
import type { ServerEvent } from '../../../src/dialects/native-events.ts';
import type { NumberedEvent } from '../../../src/session/observers/onlooker-words.ts';
import type { ChannelFormat } from '../../../src/session/observers/sound-channel.ts';
import { mp3Facts, speechMp3 } from '../../support/codecs.ts';
import { type LiveSession, type LiveSessionOptions, startSession } from '../../support/live-session.ts';
import { atOnce } from '../../support/memory-upstream.ts';
import { bookOf, startNarration } from '../../support/narrator.ts';
import { readVtt, untimely } from '../../support/read-vtt.ts';

const second = speechMp3(1000);
const speech = Buffer.concat(new Array<Uint8Array>(4).fill(second));
const speechMs = mp3Facts(speech).ms;
const start = (options: LiveSessionOptions = {}) =>
  startSession({ auto: atOnce(() => speech), onlookers: { onlookerJoinMs: 0 }, ...options });
const TEXT = 'The first sentence is here. And here we have the second one, which is a little longer.';

type Ear = { readonly bytes: () => Buffer; readonly closed: (AppError | undefined)[]; leave(): void };
function listen(live: LiveSession, output: ChannelFormat): Ear {
  const pieces: Uint8Array[] = [];
  const closed: (AppError | undefined)[] = [];
  const leave = live.session.audience.listen(output, {
    send: (bytes) => pieces.push(bytes),
    close(error) {
      closed.push(error);
      leave();
    },
  });
  return { bytes: () => Buffer.concat(pieces), closed, leave };
}
function readEvents(live: LiveSession, lastId?: number) {
  const events: NumberedEvent[] = [];
  const leave = live.session.audience.readEvents(
    { send: (event) => events.push(event), close: () => leave() },
    lastId,
  );
  return { events, leave, types: () => events.map(({ event }) => event.type) };
}
function readCues(live: LiveSession) {
  let vtt = VTT_HEADER;
  const leave = live.session.audience.readCues({
    send(cues) {
      vtt += cues.join('');
    },
    close: () => leave(),
  });
  return { vtt: () => vtt, leave };
}
const words = (events: readonly ServerEvent[]) =>
  events.flatMap((event) => (event.type === 'caption' ? event.words.map(({ text }) => text) : []));
/** The longest stretch of `bytes` without silence at its ends. */
const trimmed = (bytes: Buffer, silence: number) => {
  let from = 0;
  let to = bytes.length;
  while (from < to && bytes[from] === silence) from += 1;
  while (to > from && bytes[to - 1] === silence) to -= 1;
  return bytes.subarray(from, to);
};
const sent = (live: LiveSession) =>
  live.log.flatMap((entry) =>
    'audio' in entry ? [[entry.atMs, Buffer.from(entry.audio.bytes).toString('base64')]] : [],
  );
const RAW: ChannelFormat = { format: 'raw', sampleRate: 24_000 };
const MULAW: ChannelFormat = { format: 'mulaw', sampleRate: 8000 };

describe('fifty onlookers', () => {
  const play = async (onlookers: 'fifty' | 'none') => {
    const live = start({ preset: { captions: 'words' } });
    const formats: ChannelFormat[] = [
      MULAW,
      RAW,
      { format: 'wav', sampleRate: 16_000 },
      { format: 'mp3', sampleRate: 24_000 },
      { format: 'ogg', sampleRate: 24_000 },
      { format: 'flac', sampleRate: 24_000 },
      { format: 'alaw', sampleRate: 8000 },
    ];
    const ears: Ear[] = [];
    const readers: ReturnType<typeof readEvents>[] = [];
    if (onlookers === 'fifty') {
      for (let index = 0; index < 35; index += 1) ears.push(listen(live, formats[index % formats.length]!));
      for (let index = 0; index < 15; index += 1) readers.push(readEvents(live));
      expect(live.session.audience.onlookers()).toBe(50);
    }
    await live.run(7); // off the grid of their own ticks
    live.send({ type: 'speak', turn: 'a', text: TEXT });
    await live.run(1500);
    live.send({ type: 'speak', turn: 'b', text: 'Another turn.' });
    await live.run(9000);
    return { live, ears, readers, formats };
  };

  it('cost no request, and the listener gets the same bytes at the same times', async () => {
    const alone = await play('none');
    const watched = await play('fifty');
    expect(watched.live.upstream.requests.length).toBe(2);
    expect(alone.live.upstream.requests.length).toBe(2);
    expect(sent(watched.live)).toEqual(sent(alone.live));
    expect(
      watched.live.log.map(({ atMs, ...entry }) => ('event' in entry ? [atMs, entry.event] : atMs)),
    ).toEqual(alone.live.log.map(({ atMs, ...entry }) => ('event' in entry ? [atMs, entry.event] : atMs)));
    const { ears, formats, readers } = watched;
    for (const [index, ear] of ears.entries()) {
      const first = ears[index % formats.length]!;
      expect(ear.bytes().length).toBeGreaterThan(10_000);
      expect(ear.bytes().equals(first.bytes())).toBe(true);
    }
    for (const { events } of readers) expect(events).toEqual(readers[0]!.events);
    expect(readers[0]!.types().filter((type) => type !== 'caption')).toEqual([
      'started',
      'ended',
      'started',
      'heard',
      'ended',
      'heard',
    ]);
    expect(words(readers[0]!.events.map(({ event }) => event))).toEqual(
      words(watched.live.log.flatMap((entry) => ('event' in entry ? [entry.event] : []))),
    );
  });

  it('get everything while one of them is let go in the middle of being sent something', async () => {
    const play = async (slow: 'one' | 'none') => {
      const live = start();
      const before = listen(live, MULAW);
      if (slow === 'one') {
        let pieces = 0;
        const leave = live.session.audience.listen(MULAW, {
          send() {
            pieces += 1;
            if (pieces === 10) leave();
          },
          close() {},
        });
      }
      const after = listen(live, MULAW);
      live.send({ type: 'speak', turn: 'a', text: 'One.' });
      await live.run(2000);
      expect(live.session.audience.onlookers()).toBe(2);
      expect(after.bytes().equals(before.bytes())).toBe(true);
      return { bytes: after.bytes(), sent: sent(live) };
    };
    expect(await play('one')).toEqual(await play('none'));
  });

  it('leave nothing running when they are gone', async () => {
    const live = start();
    const leaving = [listen(live, MULAW), listen(live, RAW), readEvents(live), readCues(live)];
    live.send({ type: 'speak', turn: 'a', text: 'One.' });
    await live.run(speechMs + 500);
    for (const onlooker of leaving) onlooker.leave();
    expect(live.session.audience.onlookers()).toBe(0);
    await live.run(31_000);
    expect(live.clock.timers).toBe(0);
  });
});

describe('the sound', () => {
  it('in the samples of the turn is what was sent, byte for byte', async () => {
    const live = start();
    const ear = listen(live, MULAW);
    live.send({ type: 'speak', turn: 'a', text: 'One.' });
    await live.run(6000);
    expect(trimmed(ear.bytes(), 0xff).equals(trimmed(Buffer.from(live.audioOf('a')), 0xff))).toBe(true);
    // Real time, with silence around the turn.
    expect(Math.abs(ear.bytes().length - 6000 * 8)).toBeLessThanOrEqual(40 * 8);
  });

  it.each([
    ['mp3 as it came', {}],
    ['mp3', { format: 'mp3', sampleRate: 48_000 }],
    ['ogg', { format: 'ogg' }],
    ['raw at another rate', { format: 'raw', sampleRate: 16_000 }],
  ] as const)('of a turn in %s is heard once, in real time, in another format', async (name, preset) => {
    const live = start({ preset: name === 'mp3 as it came' ? { format: 'mp3' } : preset });
    const ear = listen(live, RAW);
    await live.run(500);
    live.send({ type: 'speak', turn: 'a', text: 'One.' });
    await live.run(speechMs + 1500);
    const heard = trimmed(ear.bytes(), 0);
    expect(Math.abs(heard.length / 48 - speechMs)).toBeLessThan(80);
    const from = ear.bytes().indexOf(heard) / 48;
    expect(from).toBeGreaterThan(490);
    expect(from).toBeLessThan(620);
  });

  it('is never ahead of what is heard, in a burst too', async () => {
    const live = start({ preset: { pace: 'burst', format: 'raw', sampleRate: 24_000 } });
    const ear = listen(live, RAW);
    const other = listen(live, { format: 'raw', sampleRate: 8000 });
    live.send({ type: 'speak', turn: 'a', text: 'One.' });
    await live.run(1000);
    expect(live.audioOf('a').length / 48).toBeGreaterThan(3000);
    expect(ear.bytes().length / 48).toBeLessThanOrEqual(1000);
    expect(other.bytes().length / 16).toBeLessThanOrEqual(1000);
    expect(trimmed(other.bytes(), 0).length / 16).toBeGreaterThan(850);
  });

  it.each(['realtime', 'burst'] as const)('ends where a %s turn is cut', async (pace) => {
    const live = start({ preset: { pace, format: 'raw', sampleRate: 24_000 } });
    const shared = listen(live, RAW);
    const made = listen(live, { format: 'raw', sampleRate: 16_000 });
    live.send({ type: 'speak', turn: 'a', text: 'One.' });
    await live.run(1000);
    live.send({ type: 'cancel', turn: 'a' });
    const { playedMs } = live.said('heard')[0]!;
    await live.run(3000);
    expect(trimmed(shared.bytes(), 0).length / 48).toBeLessThanOrEqual(playedMs + 1);
    expect(trimmed(made.bytes(), 0).length / 32).toBeLessThanOrEqual(playedMs + 2);
    expect(trimmed(made.bytes(), 0).length / 32).toBeGreaterThan(playedMs - 60);
    // And the next one is heard at once.
    live.send({ type: 'speak', turn: 'b', text: 'Two.' });
    await live.run(1000);
    expect(trimmed(shared.bytes().subarray(48 * 4000 - 4800), 0).length / 48).toBeGreaterThan(800);
  });

  it('begins in the middle of a turn for whoever comes late', async () => {
    const live = start();
    live.send({ type: 'speak', turn: 'a', text: 'One.' });
    await live.run(1500);
    const shared = listen(live, MULAW);
    const made = listen(live, RAW);
    await live.run(1500);
    expect(trimmed(shared.bytes(), 0xff).length / 8).toBeGreaterThan(1000);
    expect(trimmed(made.bytes(), 0).length / 48).toBeGreaterThan(800);
    const all = Buffer.from(live.audioOf('a'));
    const part = trimmed(shared.bytes(), 0xff);
    expect(all.indexOf(part)).toBeGreaterThan(0);
  });

  it('gives whoever joins the last seconds at once, the first one silence', async () => {
    const live = start({ onlookers: { onlookerJoinMs: 1000 } });
    const first = listen(live, MULAW);
    expect(first.bytes().length).toBe(8000);
    live.send({ type: 'speak', turn: 'a', text: 'One.' });
    await live.run(2000);
    const second = listen(live, MULAW);
    expect(second.bytes().length / 8).toBeGreaterThanOrEqual(1000);
    expect(second.bytes().length / 8).toBeLessThanOrEqual(1080);
    expect(first.bytes().subarray(-second.bytes().length).equals(second.bytes())).toBe(true);
  });

  it('is refused with busy when no dear encoder is free', () => {
    const live = start({ heavy: { isFull: () => true, open: () => 'busy' } });
    expect(() => listen(live, { format: 'ogg', sampleRate: 24_000 })).toThrow(/No encoder for ogg/);
    expect(live.session.audience.onlookers()).toBe(0);
  });

  it('ends with the session', async () => {
    const live = start();
    const ear = listen(live, MULAW);
    live.send({ type: 'speak', turn: 'a', text: 'One.' });
    await live.run(500);
    live.session.close();
    expect(ear.closed).toEqual([undefined]);
    expect(live.session.audience.onlookers()).toBe(0);
    await live.run(50);
    expect(live.clock.timers).toBe(0);
    expect(() => listen(live, MULAW)).toThrow('The session has ended;');
  });
});

describe('the words', () => {
  it('are told to onlookers though the client wants none, and as they are heard', async () => {
    const live = start({ preset: { pace: 'burst' } });
    const reader = readEvents(live);
    live.send({ type: 'speak', turn: 'a', text: TEXT });
    await live.run(1000);
    const early = words(reader.events.map(({ event }) => event));
    expect(early.length).toBeGreaterThan(1);
    expect(early.length).toBeLessThan(10);
    await live.run(5000);
    expect(live.said('caption')).toEqual([]);
    expect(words(reader.events.map(({ event }) => event)).join(' ')).toBe(TEXT);
    expect(reader.events.map(({ id }) => id)).toEqual(reader.events.map((_, index) => index + 1));
  });

  it('are given to whoever comes late, from the beginning of the turn', async () => {
    const live = start();
    live.send({ type: 'speak', turn: 'a', text: TEXT });
    await live.run(2000);
    const { events, types } = readEvents(live);
    expect(types().slice(0, 2)).toEqual(['started', 'caption']);
    expect(words(events.map(({ event }) => event)).slice(0, 3)).toEqual(['The', 'first', 'sentence']);
  });

  it('go on where a reader was who lost his connection', async () => {
    const live = start();
    const first = readEvents(live);
    live.send({ type: 'speak', turn: 'a', text: TEXT });
    await live.run(1000);
    const lastId = first.events.at(-1)!.id;
    first.leave();
    await live.run(1500);
    const again = readEvents(live, lastId);
    await live.run(5000);
    const all = [...first.events, ...again.events];
    expect(all.map(({ id }) => id)).toEqual(all.map((_, index) => index + 1));
    expect(words(all.map(({ event }) => event)).length).toBe(17);
  });

  it('are WebVTT on one time of the session, over turns', async () => {
    const live = start();
    const cues = readCues(live);
    live.send({ type: 'speak', turn: 'a', text: TEXT });
    await live.run(speechMs + 2000);
    const line = (speaker: 1 | 2, text: string) => ({ speaker, text });
    live.send({ type: 'speak', turn: 'b', dialogue: [line(1, 'Who is there?'), line(2, 'A & < me.')] });
    await live.run(speechMs + 2000);
    const read = readVtt(cues.vtt());
    expect(untimely(read, 2 * speechMs + 4000)).toBeUndefined();
    expect(read.map(({ text }) => text)).toEqual([
      'The first sentence is here.',
      'And here we have the second one,\nwhich is a little longer.',
      '<v Speaker 1>Who is there?',
      '<v Speaker 2>A &amp; &lt; me.',
    ]);
    expect(read[0]!.startMs).toBeLessThan(100);
    expect(read[2]!.startMs).toBeGreaterThan(speechMs + 1900);
  });

  it('that were cut before they were heard are in no cue', async () => {
    const live = start({ preset: { pace: 'burst' } });
    const cues = readCues(live);
    live.send({ type: 'speak', turn: 'a', text: TEXT });
    await live.run(1000);
    live.send({ type: 'cancel', turn: 'a' });
    await live.run(1000);
    const shown = readVtt(cues.vtt()).map(({ text }) => text);
    expect(shown.join(' ')).not.toContain('longer');
    expect(shown.join(' ')).toContain('The first');
  });
});

describe('bounds', () => {
  it('are those of one session and of all', () => {
    const live = start({ onlookers: { maxOnlookersPerSession: 2, maxOnlookers: 3 } });
    const ear = listen(live, MULAW);
    readEvents(live);
    expect(() => readCues(live)).toThrow('2 onlookers already');
    ear.leave();
    readCues(live);
    const all = start({ onlookers: { maxOnlookers: 0 } });
    expect(() => listen(all, MULAW)).toThrow('as many onlookers as it may');
  });
});

describe('a turn that is sought in', () => {
  const play = async (preset: LiveSessionOptions['preset']) => {
    const live = startNarration({
      preset: { captions: 'words', ...preset },
      onlookers: { onlookerJoinMs: 0 },
    });
    const ear = listen(live, RAW);
    const reader = readEvents(live);
    live.send({ type: 'speak', turn: 'a', text: bookOf(4).join('\n\n'), seed: 1 });
    await live.run(400);
    live.send({ type: 'seek', turn: 'a', paragraph: 3 });
    await live.run(8000);
    expect(live.said('sought')).toHaveLength(1);
    return { live, ear, reader, atMs: live.said('sought')[0]!.atMs };
  };

  it('is heard alike by who shares its sound and by who has it made anew', async () => {
    const shared = await play({ format: 'raw', sampleRate: 24_000 });
    const anew = await play({ format: 'mulaw', sampleRate: 8000 });
    expect(anew.atMs).toBe(shared.atMs);
    const [one, other] = [shared, anew].map(({ ear }) => trimmed(ear.bytes(), 0));
    // But for the moment of the seek, where one decoder ends and another begins.
    const before = one!.subarray(0, (shared.atMs - 40) * 48);
    expect(other!.subarray(0, before.length).equals(before)).toBe(true);
    const behindMs = shared.atMs + 100;
    const piece = one!.subarray(behindMs * 48, (behindMs + 200) * 48);
    expect(Math.abs(other!.indexOf(piece) / 48 - behindMs)).toBeLessThanOrEqual(1);
    expect(Math.abs(one!.length - other!.length) / 48).toBeLessThan(40);
  });

  it('is read from the paragraph on, at its place', async () => {
    const { live, reader, atMs } = await play({ format: 'mulaw' });
    const told = (list: readonly ServerEvent[]) =>
      list
        .flatMap((event) => (event.type === 'caption' ? event.words : []))
        .filter(({ startMs }) => startMs >= atMs - 1)
        .map(({ text, startMs, charStart }) => [text, startMs, charStart]);
    const read = told(reader.events.map(({ event }) => event));
    expect(read.length).toBe(10);
    expect(read).toEqual(told(live.log.flatMap((entry) => ('event' in entry ? [entry.event] : []))));
  });
});
