// Turns whose encoders run elsewhere and may be refused, slow or dead.
import { describe, expect, it } from 'vitest';
import type { HeavyEncoderEvents, HeavyEncoders } from '../../../src/audio/heavy-encoders.ts';
import { AppError } from '../../../src/base/app-error.ts';
import { codecs, speechMp3 } from '../../support/codecs.ts';
import { startSession } from '../../support/live-session.ts';
import { atOnce } from '../../support/memory-upstream.ts';

const FORMATS = ['ogg', 'flac'] as const;

/** The real encoders, counted, with what a test does to them. */
function countedEncoders(most: number) {
  const open = new Set<HeavyEncoderEvents>();
  let mostOpen = 0;
  let failure: AppError | undefined;
  const heavy: HeavyEncoders = {
    isFull: () => open.size >= most,
    open(output, events) {
      if (open.size >= most) return 'busy';
      const encoder = codecs.heavy.open(output, events);
      if (encoder === 'busy') return encoder;
      open.add(events);
      mostOpen = Math.max(mostOpen, open.size);
      return {
        push(samples) {
          if (failure !== undefined) throw failure;
          encoder.push(samples);
        },
        release: () => (failure === undefined ? encoder.release() : Promise.reject(failure)),
        async flush() {
          open.delete(events);
          if (failure !== undefined) throw failure;
          await encoder.flush();
        },
        close() {
          open.delete(events);
          encoder.close();
        },
        pendingSamples: () => 0,
      };
    },
  };
  return {
    heavy,
    open,
    get mostOpen() {
      return mostOpen;
    },
    breakDown(cause: AppError | undefined) {
      failure = cause;
    },
  };
}

describe.each(FORMATS)('%s', (format) => {
  const preset = { format };

  it('is spoken, one encoder for the turns of a session one after another', async () => {
    const encoders = countedEncoders(10);
    const live = startSession({ auto: atOnce(() => speechMp3(1000)), preset, heavy: encoders.heavy });
    for (const turn of ['a', 'b', 'c']) live.send({ type: 'speak', turn, text: 'One two three.' });
    await live.run(200);
    // All three are asked for ahead, and only the one that is heard holds an encoder.
    expect(live.upstream.requests).toHaveLength(3);
    await live.run(6000);
    expect(live.said('ended').map(({ turn, outcome }) => [turn, outcome])).toEqual([
      ['a', 'complete'],
      ['b', 'complete'],
      ['c', 'complete'],
    ]);
    expect([encoders.mostOpen, encoders.open.size]).toEqual([1, 0]);
    expect(live.said('underrun')).toEqual([]);
  });

  it('takes no encoder ahead for a turn that has nothing to say', async () => {
    const encoders = countedEncoders(10);
    const live = startSession({ auto: atOnce(() => speechMp3(1000)), preset, heavy: encoders.heavy });
    live.send({ type: 'speak', turn: 'a', text: 'One two three.' });
    await live.run(100);
    live.send({ type: 'append', turn: 'b', text: '' });
    live.send({ type: 'end', turn: 'b' });
    await live.run(5000);
    expect(live.said('ended').map(({ turn, outcome }) => [turn, outcome])).toEqual([
      ['a', 'complete'],
      ['b', 'complete'],
    ]);
    expect([encoders.mostOpen, encoders.open.size]).toEqual([1, 0]);
  });

  it('is refused as busy, before anything is asked of the upstream, when no encoder is free', async () => {
    const live = startSession({
      auto: atOnce(() => speechMp3(1000)),
      preset,
      heavy: countedEncoders(0).heavy,
    });
    live.send({ type: 'speak', turn: 'a', text: 'One two three.' });
    live.send({ type: 'speak', turn: 'b', text: 'One two three.', format: 'mulaw' });
    await live.run(3000);
    expect(live.said('error').map(({ code, turn, retryable }) => [code, turn, retryable])).toEqual([
      ['busy', 'a', true],
    ]);
    expect(live.said('ended').map(({ turn, outcome }) => [turn, outcome])).toEqual([
      ['a', 'failed'],
      ['b', 'complete'],
    ]);
    expect(live.upstream.requests).toHaveLength(1);
  });

  it('ends truncated when its encoder dies, and the next turn plays', async () => {
    const encoders = countedEncoders(10);
    const live = startSession({ preset, heavy: encoders.heavy });
    live.send({ type: 'speak', turn: 'a', text: 'One two three.' });
    await live.run(0);
    live.upstream.requests[0]!.send(speechMp3(1000));
    await live.run(500);
    encoders.breakDown(new AppError('internal', 'The encoder of this turn has broken down.'));
    live.upstream.requests[0]!.send(speechMp3(1000));
    live.upstream.requests[0]!.end();
    await live.run(4000);
    encoders.breakDown(undefined);
    live.send({ type: 'speak', turn: 'b', text: 'One two three.', format: 'mulaw' });
    await live.run(0);
    live.upstream.requests[1]!.send(speechMp3(1000));
    live.upstream.requests[1]!.end();
    await live.run(3000);
    expect(live.said('ended').map(({ turn, outcome }) => [turn, outcome])).toEqual([
      ['a', 'truncated'],
      ['b', 'complete'],
    ]);
    expect(live.said('heard')).toHaveLength(2);
    expect(encoders.open.size).toBe(0);
  });

  it('is cut by a cancel at any moment, and holds no encoder after it', async () => {
    for (const afterMs of [0, 10, 100, 900, 1100]) {
      const encoders = countedEncoders(10);
      const live = startSession({ auto: atOnce(() => speechMp3(1000)), preset, heavy: encoders.heavy });
      live.send({ type: 'speak', turn: 'a', text: 'One two three.' });
      await live.run(afterMs);
      live.send({ type: 'cancel', turn: 'a' });
      const entries = live.log.length;
      await live.run(2000);
      expect(live.log.slice(entries).filter((entry) => 'audio' in entry)).toEqual([]);
      expect([live.said('ended').length, encoders.open.size]).toEqual([1, 0]);
    }
  });

  it('waits for the listener under credit', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(3000)), preset: { format, flow: 'credit' } });
    live.send({ type: 'speak', turn: 'a', text: 'One two three.' });
    await live.run(2000);
    const sentMs = () => live.frames('a').length;
    const before = sentMs();
    await live.run(2000);
    expect(sentMs()).toBe(before);
    for (let report = 0; report < 60; report += 1) {
      live.send({ type: 'played', turn: 'a', ms: 60_000 }); // all that has been sent
      await live.run(50);
    }
    expect(live.said('ended').map(({ outcome }) => outcome)).toEqual(['complete']);
  });
});

describe('mp3 as it comes', () => {
  it('takes an encoder for a turn that has nothing to say, and not before its time', async () => {
    const encoders = countedEncoders(10);
    const preset = { format: 'mp3' } as const;
    const live = startSession({ auto: atOnce(() => speechMp3(1000)), preset, heavy: encoders.heavy });
    live.send({ type: 'speak', turn: 'a', text: 'One two three.' });
    await live.run(100);
    live.send({ type: 'append', turn: 'b', text: '' });
    live.send({ type: 'end', turn: 'b' });
    await live.run(100);
    expect(encoders.mostOpen).toBe(0);
    await live.run(5000);
    expect(live.said('ended').map(({ turn, outcome }) => [turn, outcome])).toEqual([
      ['a', 'complete'],
      ['b', 'complete'],
    ]);
    expect([encoders.mostOpen, encoders.open.size]).toEqual([1, 0]);
  });
});

describe('mp3 at another rate', () => {
  it('is refused as busy when the first frame shows that it has to be encoded', async () => {
    const preset = { format: 'mp3', sampleRate: 16_000 } as const;
    const live = startSession({
      auto: atOnce(() => speechMp3(1000)),
      preset,
      heavy: countedEncoders(0).heavy,
    });
    live.send({ type: 'speak', turn: 'a', text: 'One two three.' });
    await live.run(2000);
    expect(live.said('error').map(({ code }) => code)).toEqual(['busy']);
    expect(live.said('ended').map(({ outcome }) => outcome)).toEqual(['failed']);
  });
});
