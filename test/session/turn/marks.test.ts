import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/base/app-error.ts';
import { speechMp3 } from '../../support/codecs.ts';
import { startSession } from '../../support/live-session.ts';
import { atOnce } from '../../support/memory-upstream.ts';

const marks = (live: ReturnType<typeof startSession>) =>
  live.said('mark').map(({ name, outcome }) => `${name} ${outcome}`);

describe('marks', () => {
  it('are so many at most, and the next one is refused until some have come back', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(400)) });
    live.send({ type: 'append', turn: 'a', text: 'One two three four. ' });
    for (let mark = 0; mark < 257; mark += 1) live.send({ type: 'mark', turn: 'a', name: `${mark}` });
    expect(live.said('error').map(({ code, turn, retryable }) => [code, turn, retryable])).toEqual([
      ['marks_full', 'a', true],
    ]);
    live.send({ type: 'end', turn: 'a' });
    await live.run(2000);
    expect(marks(live)).toHaveLength(256);
  });

  // What was left of a sum of fractions after the last frame passed for audio on its way.
  it.each([22_050, 44_100])(
    'come back in a pause of the caller when the upstream speaks at %i Hz',
    async (rate) => {
      const live = startSession({ auto: atOnce(() => speechMp3(1000, rate)) });
      live.send({ type: 'append', turn: 'a', text: 'One two three four. ' });
      live.send({ type: 'mark', turn: 'a', name: 'm' });
      await live.run(3500);
      expect(marks(live)).toEqual(['m played']);
    },
  );

  it('waits for text that has not been asked for yet', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(400)) });
    live.send({ type: 'append', turn: 'a', text: 'One two three four. ' });
    live.send({ type: 'flush', turn: 'a' });
    await live.run(100);
    live.send({ type: 'append', turn: 'a', text: 'And then there' });
    live.send({ type: 'mark', turn: 'a', name: 'm' });
    await live.run(900); // before the first second of quiet lets the rest go
    expect(marks(live)).toEqual([]);
    live.send({ type: 'end', turn: 'a' });
    await live.run(5000);
    expect(marks(live)).toEqual(['m played']);
  });

  it('is answered behind the words before it, while later text is still held', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(1500)) });
    live.send({ type: 'append', turn: 'a', text: 'One two three four. ' });
    live.send({ type: 'mark', turn: 'a', name: 'm' });
    live.send({ type: 'append', turn: 'a', text: 'And then' });
    await live.run(900);
    expect(marks(live)).toEqual([]);
    await live.run(800);
    expect(marks(live)).toEqual(['m played']);
  });

  it('on a text of several requests comes at its very end', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(1000)), limits: { spoolBytes: 1000 } });
    live.send({ type: 'speak', turn: 'a', text: 'Here is one more sentence. '.repeat(760) });
    live.send({ type: 'mark', turn: 'a', name: 'm' });
    await live.run(1800);
    expect(live.upstream.requests.length).toBeGreaterThan(1);
    expect(marks(live)).toEqual([]);
    await live.run(20_000);
    expect(live.order().slice(-2)).toEqual(['mark a', 'heard a']);
  });

  it('that has been passed before a cancel was played, the others are cleared', async () => {
    const live = startSession();
    live.send({ type: 'append', turn: 'a', text: 'One two three four. ' });
    live.send({ type: 'mark', turn: 'a', name: 'start' });
    live.send({ type: 'flush', turn: 'a' });
    await live.run(0);
    live.upstream.requests[0]!.send(speechMp3(1500));
    live.upstream.requests[0]!.end();
    live.send({ type: 'append', turn: 'a', text: 'Five six seven eight. ' });
    live.send({ type: 'mark', turn: 'a', name: 'end' });
    live.send({ type: 'flush', turn: 'a' });
    await live.run(0);
    live.upstream.requests[1]!.send(speechMp3(1500));
    await live.run(1000);
    live.send({ type: 'cancel', turn: 'a', playedMs: 1600 });
    // 1200 ms have been sent, so that is the most he can have heard.
    expect(marks(live)).toEqual(['start cleared', 'end cleared']);
  });

  it('lies before what the canceller says to have heard', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(1000)), preset: { leadMs: 2000 } });
    live.send({ type: 'append', turn: 'a', text: 'One two three four. ' });
    live.send({ type: 'mark', turn: 'a', name: 'start' });
    await live.run(0);
    live.send({ type: 'append', turn: 'a', text: 'Five six seven eight. ' });
    live.send({ type: 'flush', turn: 'a' });
    live.send({ type: 'mark', turn: 'a', name: 'end' });
    await live.run(100);
    live.send({ type: 'cancel', playedMs: 1100 });
    expect(marks(live)).toEqual(['start played', 'end cleared']);
    expect(live.said('heard')[0]).toMatchObject({ playedMs: 1100, playedBy: 'client' });
  });

  it('behind text that was never spoken is cleared, late ones too; one that was reached was played', async () => {
    const live = startSession();
    live.send({ type: 'append', turn: 'a', text: 'One two three four. ' });
    live.send({ type: 'mark', turn: 'a', name: 'spoken' });
    live.send({ type: 'flush', turn: 'a' });
    await live.run(0);
    live.upstream.requests[0]!.send(speechMp3(1000));
    live.upstream.requests[0]!.end();
    live.send({ type: 'append', turn: 'a', text: 'Five six seven eight. ' });
    live.send({ type: 'mark', turn: 'a', name: 'unspoken' });
    live.send({ type: 'end', turn: 'a' });
    await live.run(0);
    live.upstream.requests[1]!.fail(new AppError('unauthorized', 'The key is not known.'));
    await live.run(3000);
    live.send({ type: 'mark', turn: 'a', name: 'late' });
    expect(live.said('ended')).toMatchObject([{ outcome: 'truncated' }]);
    expect(marks(live)).toEqual(['spoken played', 'unspoken cleared', 'late cleared']);
  });

  it('of a turn that was cut while draining is cleared, late ones too', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(500)), preset: { leadMs: 1000 } });
    live.send({ type: 'speak', turn: 'a', text: 'One two three four.' });
    await live.run(100);
    expect(live.said('ended')[0]!.outcome).toBe('complete');
    live.send({ type: 'cancel', turn: 'a' });
    live.send({ type: 'mark', turn: 'a', name: 'late' });
    live.send({ type: 'speak', turn: 'b', text: 'One two three four.' });
    await live.run(2000);
    live.send({ type: 'mark', turn: 'b', name: 'after' });
    expect(marks(live)).toEqual(['late cleared', 'after played']);
  });

  it('in a turn that has said nothing yet is answered when it has', async () => {
    const live = startSession({ auto: atOnce(() => speechMp3(500)) });
    live.send({ type: 'append', turn: 'a', text: '' });
    live.send({ type: 'mark', turn: 'a', name: 'm' });
    live.send({ type: 'append', turn: 'a', text: 'One two three four. ' });
    live.send({ type: 'end', turn: 'a' });
    await live.run(100);
    expect(marks(live)).toEqual(['m played']);
  });
});
