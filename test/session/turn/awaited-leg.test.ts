// What a client may say of turns that wait for their leg, and what it is told.
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/base/app-error.ts';
import type { CallLeg, LegPiece } from '../../../src/playout/call-leg.ts';
import type { LegBroker } from '../../../src/session/leg-broker.ts';
import { speechMp3 } from '../../support/codecs.ts';
import { type LiveSessionOptions, startSession } from '../../support/live-session.ts';
import { atOnce } from '../../support/memory-upstream.ts';

/** A session that has asked for a leg, which comes or is refused when the test says so. */
function start(options: LiveSessionOptions = {}) {
  const pieces: LegPiece[] = [];
  const acts: string[] = [];
  const leg: CallLeg = {
    id: 'leg-1',
    kind: 'twilio',
    callId: 'CA1',
    audio: () => ({ format: 'mulaw', sampleRate: 8000 }),
    leadMs: 300,
    reports: 'nothing',
    play: (piece) => void pieces.push({ ...piece, bytes: piece.bytes.slice() }),
    cork() {},
    uncork() {},
    isCongested: () => false,
    committedMs: () => undefined,
    finish() {},
    clear() {},
    hangUp: () => void acts.push('hang up'),
    release: () => void acts.push('release'),
  };
  let answer: Parameters<LegBroker['attach']>[2] | undefined;
  const broker: LegBroker = {
    tokenFor: () => 'token',
    attach(_user, _wanted, told) {
      answer = told;
      return () => void acts.push('not wanted any more');
    },
  };
  const live = startSession({ auto: atOnce(() => speechMp3(1000)), legs: broker, ...options });
  live.send({ type: 'attach', leg: { callSid: 'CA1' } });
  return {
    live,
    leg,
    acts,
    answer: () => answer!,
    say: (turn: string, fields: object = {}) =>
      live.send({ type: 'speak', turn, text: 'One two three.', ...fields }),
    append: (turn: string, text: string, fields: object = {}) =>
      live.send({ type: 'append', turn, text, ...fields }),
    come: () => void answer!.onAttached(leg),
    refuse: () => answer!.onRefused(new AppError('leg_not_found', 'None came.')),
    errors: () => live.said('error').map(({ code, turn }) => `${code} ${turn}`),
    outcomes: () => live.said('ended').map(({ turn, outcome }) => `${turn} ${outcome}`),
    playedTurns: () => [...new Set(pieces.map(({ turn }) => turn))],
  };
}

describe('a turn that waits for its leg', () => {
  it('is heard behind those that were named before `attach`, which are for the client', async () => {
    const { live, say, come, refuse, playedTurns } = start();
    refuse();
    say('a');
    live.send({ type: 'attach', leg: { callSid: 'CA1' } });
    say('b');
    await live.run(500);
    come();
    await live.run(4000);
    expect(live.frames('a').length).toBeGreaterThan(40);
    expect([playedTurns(), live.frames('b')]).toEqual([['b'], []]);
    expect(live.said('heard').map(({ turn }) => turn)).toEqual(['a', 'b']);
  });

  it('has the settings that were in force when it was named', async () => {
    const { live, say, come } = start();
    say('a');
    live.send({ type: 'configure', voice: 'another' });
    say('b');
    come();
    await live.run(4000);
    expect(live.upstream.requests.map(({ body }) => body.voice)).toEqual([undefined, 'another']);
  });

  it('counts among those in flight, and in memory', async () => {
    const { live, say, come, outcomes, errors } = start();
    for (let turn = 0; turn < 9; turn += 1) say(`${turn}`);
    expect([errors(), outcomes()]).toEqual([['busy 8'], ['8 failed']]);
    expect(live.session.turnsUnheard()).toBe(8);
    expect(live.session.bufferedBytes()).toBeGreaterThan(8 * 14);
    come();
    await live.run(20_000);
    expect(outcomes()).toHaveLength(9);
    expect([live.session.turnsUnheard(), live.session.bufferedBytes()]).toEqual([0, 0]);
  });

  it('may be cancelled, alone or with all others, and is never heard', async () => {
    const { live, say, come, outcomes, playedTurns, errors } = start();
    for (const turn of ['a', 'b', 'c']) say(turn);
    live.send({ type: 'cancel', turn: 'b' });
    expect(outcomes()).toEqual(['b cancelled']);
    live.send({ type: 'cancel' });
    expect(outcomes()).toEqual(['b cancelled', 'a cancelled', 'c cancelled']);
    say('d');
    come();
    await live.run(3000);
    expect(playedTurns()).toEqual(['d']);
    expect(live.said('heard').map(({ turn }) => turn)).toEqual(['d']);
    say('a');
    expect(errors()).toEqual(['turn_ended a']);
  });

  it('takes text, marks and flushes in their order, under the rules of any other', async () => {
    const { live, say, append, come, errors } = start();
    append('a', 'One two. ');
    append('a', 'Three.', { voice: 'another' });
    say('a');
    live.send({ type: 'mark', turn: 'a', name: 'middle' });
    append('a', 'Three four.');
    live.send({ type: 'end', turn: 'a' });
    append('a', 'Five.');
    expect(errors()).toEqual(['turn_open a', 'turn_open a', 'turn_ended a']);
    come();
    await live.run(5000);
    expect(errors()).toHaveLength(3);
    expect(live.said('mark', 'a')).toMatchObject([{ name: 'middle', outcome: 'played' }]);
    expect(live.said('heard', 'a')).toMatchObject([
      { spokenText: 'One two. Three four.', remainingText: '' },
    ]);
  });

  it('has room for as much text as any other', () => {
    const { append, errors } = start();
    append('a', 'word '.repeat(12_000));
    append('a', 'word '.repeat(12_000));
    expect(errors()).toEqual(['text_full a']);
  });

  it('has its call hung up when it has been heard', async () => {
    const { live, say, come, acts } = start();
    say('a');
    live.send({ type: 'hangup', after: 'a' });
    come();
    expect(acts).toEqual([]);
    await live.run(4000);
    expect(acts).toEqual(['hang up']);
  });

  it('fails when the leg is given up', async () => {
    const { live, say, acts, errors, outcomes } = start();
    say('a');
    live.send({ type: 'detach' });
    expect(acts).toEqual(['not wanted any more']);
    expect([errors(), outcomes()]).toEqual([['leg_not_found undefined', 'leg_not_found a'], ['a failed']]);
    say('b');
    await live.run(4000);
    expect(live.said('heard').map(({ turn }) => turn)).toEqual(['b']);
  });

  it('fails with its leg, once', async () => {
    const { live, say, refuse, errors, outcomes } = start();
    say('a');
    live.send({ type: 'mark', turn: 'a', name: 'm' });
    refuse();
    await live.run(4000);
    expect([errors(), outcomes()]).toEqual([['leg_not_found undefined', 'leg_not_found a'], ['a failed']]);
    expect(live.log.filter((entry) => 'audio' in entry)).toEqual([]);
  });

  it('is gone without a word when its client is', async () => {
    const { live, say, acts } = start();
    say('a');
    live.session.close();
    expect(acts).toEqual(['not wanted any more']);
    await live.run(20_000);
    expect(live.said('ended')).toEqual([]);
  });

  it('has its marks answered when it is never heard', () => {
    const { live, say, refuse } = start();
    for (const turn of ['a', 'b']) {
      say(turn);
      live.send({ type: 'mark', turn, name: `mark of ${turn}` });
    }
    live.send({ type: 'cancel', turn: 'a' });
    expect(live.said('mark')).toMatchObject([{ turn: 'a', name: 'mark of a', outcome: 'cleared' }]);
    refuse();
    expect(live.said('mark', 'b')).toMatchObject([{ name: 'mark of b', outcome: 'cleared' }]);
  });

  it.each([[{ turn: 'a' }], [{}]])(
    'has its call hung up when it is cut before the call comes: %j',
    async (which) => {
      const { live, say, come, acts } = start();
      say('a');
      live.send({ type: 'hangup', after: 'a' });
      live.send({ type: 'cancel', ...which });
      come();
      await live.run(0);
      expect(acts).toEqual(['hang up']);
    },
  );

  it('takes so much and no more, and text that comes in pieces as one', async () => {
    const { live, append, come, errors } = start();
    for (let piece = 0; piece < 5000; piece += 1) append('a', 'word ');
    expect(errors()).toEqual([]);
    for (let mark = 0; mark < 1100; mark += 1) live.send({ type: 'flush', turn: 'a' });
    expect(new Set(errors())).toEqual(new Set(['text_full a']));
    expect(errors().length).toBeLessThan(150);
    come();
    await live.run(0);
    expect(live.session.bufferedBytes()).toBeGreaterThan(25_000);
  });

  it('is told once that its text has ended', () => {
    const { append, live, errors } = start();
    append('a', 'One.');
    live.send({ type: 'end', turn: 'a' });
    for (let piece = 0; piece < 10; piece += 1) append('a', 'Two.');
    expect(errors()).toEqual(['turn_ended a']);
  });

  it('is heard when the gateway drains meanwhile', async () => {
    const { live, say, come, outcomes } = start();
    say('a');
    live.session.drain();
    come();
    await live.run(4000);
    expect(outcomes()).toEqual(['a complete']);
  });

  it('fails with a leg that goes at once', async () => {
    const { live, say, answer, leg, errors } = start();
    say('a');
    answer().onAttached(leg).onGone('hung up');
    await live.run(3000);
    expect(errors()).toEqual(['leg_gone a']);
    expect(live.said('heard')).toEqual([]);
  });

  it('belongs to the leg that was asked for last', async () => {
    const { live, say, answer, come, errors, playedTurns } = start();
    const first = answer();
    live.send({ type: 'detach' });
    live.send({ type: 'attach', leg: { callSid: 'CA2' } });
    say('b');
    first.onRefused(new AppError('leg_not_found', 'None came.'));
    expect(errors()).toEqual(['leg_not_found undefined']);
    come();
    await live.run(3000);
    expect(playedTurns()).toEqual(['b']);
  });
});
