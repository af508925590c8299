// One place for one session: asked for by the turn that begins to speak, kept for those behind it, given back at the end.
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/app-error.ts';
import { speechMp3 } from '../support/codecs.ts';
import { startSession } from '../support/live-session.ts';
import { atOnce } from '../support/memory-upstream.ts';
import { scriptedAdmission } from '../support/open-admission.ts';

const BUSY = new AppError('busy', 'Full.', { retryAfterMs: 1234 });

const start = () => {
  const admission = scriptedAdmission();
  return { admission, live: startSession({ admission, auto: atOnce(() => speechMp3(500)) }) };
};
const speak = (turn: string) => ({ type: 'speak', turn, text: 'One.' });

describe('the place of a session', () => {
  it('is asked for once by turns that follow one another, and given back behind the last', async () => {
    const { admission, live } = start();
    for (const turn of ['a', 'b', 'c']) live.send(speak(turn));
    expect([admission.asked, admission.held]).toEqual([['turn'], 1]);
    await live.run(700);
    expect(admission.held).toBe(1);
    await live.run(3000);
    expect([live.figures.outcomes, admission.held]).toEqual([['complete', 'complete', 'complete'], 0]);
    live.send(speak('d'));
    expect([admission.asked, admission.held]).toEqual([['turn', 'turn'], 1]);
  });

  it('when there is none, fails the turn at once as busy with a time, and asks nobody for speech', async () => {
    const { admission, live } = start();
    admission.no = BUSY;
    live.send(speak('a'));
    live.send({ type: 'append', turn: 'b', text: 'Two.' });
    expect(live.order()).toEqual(['error a', 'ended a', 'error b', 'ended b']);
    expect(live.said('error')[0]).toMatchObject({
      code: 'busy',
      retryAfterMs: 1234,
      retryable: true,
      turn: 'a',
    });
    expect(live.said('ended')[0]).toMatchObject({ outcome: 'failed', requests: 0, sentMs: 0 });
    await live.run(1000);
    expect([live.upstream.requests, admission.held]).toEqual([[], 0]);
    admission.no = undefined;
    live.send(speak('c'));
    await live.run(2000);
    expect(live.said('ended', 'c')[0]!.outcome).toBe('complete');
  });

  it('keeps a call talking when everybody else is refused', async () => {
    const { admission, live } = start();
    live.send(speak('a'));
    admission.no = BUSY;
    live.send(speak('b'));
    await live.run(3000);
    expect(live.figures.outcomes).toEqual(['complete', 'complete']);
  });

  it.each([
    ['cancelled', { type: 'cancel' }],
    ['cancelled alone', { type: 'cancel', turn: 'a' }],
  ])('is given back by turns that are %s', async (_how, message) => {
    const { admission, live } = start();
    live.send(speak('a'));
    await live.run(100);
    expect(admission.held).toBe(1);
    live.send(message);
    await live.run(100);
    expect(admission.held).toBe(0);
  });

  it('is given back by turns that fail, and by a session that closes', async () => {
    const admission = scriptedAdmission();
    const live = startSession({ admission });
    live.send(speak('a'));
    await live.run(0);
    live.upstream.requests[0]!.fail(new AppError('upstream_rejected', 'No.'));
    await live.run(100);
    expect([live.figures.outcomes, admission.held]).toEqual([['failed'], 0]);
    live.send(speak('b'));
    expect(admission.held).toBe(1);
    live.session.close();
    expect(admission.held).toBe(0);
  });
});
