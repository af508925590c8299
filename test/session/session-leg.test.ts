// A session and its leg: attached, played to, heard, hung up and lost. The leg is a log of what it was told to do.
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/app-error.ts';
import type { LegAudio } from '../../src/legs/leg.ts';
import type { CallLeg, LegListener, LegPiece } from '../../src/playout/call-leg.ts';
import type { LegBroker } from '../../src/session/leg-broker.ts';
import { speechMp3 } from '../support/codecs.ts';
import { type LiveSessionOptions, startSession } from '../support/live-session.ts';
import { atOnce } from '../support/memory-upstream.ts';

type FakeLeg = CallLeg & {
  readonly acts: readonly string[];
  readonly pieces: readonly LegPiece[];
  congested: boolean;
};

function createFakeLeg(reports: CallLeg['reports'] = 'marks', audio?: LegAudio): FakeLeg {
  const acts: string[] = [];
  const pieces: LegPiece[] = [];
  const leg: FakeLeg = {
    id: 'leg-1',
    kind: 'twilio',
    callId: 'CA1',
    audio: () => audio ?? { format: 'mulaw', sampleRate: 8000 },
    leadMs: 300,
    reports,
    acts,
    pieces,
    congested: false,
    play: (piece) => void pieces.push({ ...piece, bytes: piece.bytes.slice() }),
    cork() {},
    uncork() {},
    isCongested: () => leg.congested,
    committedMs: () => undefined,
    finish: (turn) => void acts.push(`finish ${turn}`),
    clear: (heardMs) => void acts.push(`clear a=${heardMs('a')} b=${heardMs('b')}`),
    takeBack(turn, heardMs) {
      const heard = heardMs(turn) ?? 0;
      acts.push(`take back ${turn}`);
      return pieces.find((piece) => piece.turn === turn && piece.atMs + piece.ms > heard)?.atMs;
    },
    hangUp: () => void acts.push('hang up'),
    release: () => void acts.push('release'),
  };
  return leg;
}

function start({ leg = createFakeLeg(), ...options }: LiveSessionOptions & { leg?: FakeLeg } = {}) {
  let listener: LegListener | undefined;
  const asked: object[] = [];
  const broker: LegBroker = {
    tokenFor: () => 'token',
    attach(userId, wanted, answer) {
      asked.push({ userId, ...wanted });
      listener = answer.onAttached(leg);
      return () => {};
    },
  };
  const live = startSession({ auto: atOnce(() => speechMp3(1000)), legs: broker, ...options });
  const say = (turn: string) => live.send({ type: 'speak', turn, text: 'One two three.' });
  return {
    live,
    leg,
    asked,
    say,
    attach: (fields: object = {}) => live.send({ type: 'attach', leg: { callSid: 'CA1' }, ...fields }),
    phone: () => listener!,
    playedMs: (turn: string) =>
      leg.pieces.filter((piece) => piece.turn === turn).reduce((sum, { ms }) => sum + ms, 0),
  };
}

describe('attach', () => {
  it('asks for the leg in the name of the session’s user and tells what it is', () => {
    const { live, asked, attach } = start();
    attach();
    expect(asked).toEqual([{ userId: 'anna', callSid: 'CA1' }]);
    expect(live.said('attached')).toEqual([
      { type: 'attached', leg: 'leg-1', kind: 'twilio', callSid: 'CA1', format: 'mulaw', sampleRate: 8000 },
    ]);
  });

  it('is refused while a leg is there', () => {
    const { live, attach } = start();
    attach();
    attach();
    expect(live.said('error')).toMatchObject([{ code: 'leg_taken', scope: 'session' }]);
  });

  it('gives the turns that are named from then on the leg’s own format, pace and lead', async () => {
    const leg = createFakeLeg('marks', { format: 'raw', sampleRate: 16_000 });
    const { live, attach, say, playedMs } = start({
      leg,
      preset: { format: 'mp3', pace: 'burst', leadMs: 5000, flow: 'credit' },
    });
    attach();
    say('a');
    await live.run(100);
    expect(live.said('started')).toMatchObject([{ format: 'raw', sampleRate: 16_000 }]);
    // 100 ms have been heard, 300 ms are ahead.
    expect(playedMs('a')).toBeGreaterThanOrEqual(380);
    expect(playedMs('a')).toBeLessThanOrEqual(420);
    expect(leg.pieces[0]!.bytes).toHaveLength(640);
  });

  it('leaves turns that were named before to the client', async () => {
    const { live, leg, attach, say } = start();
    say('a');
    attach();
    say('b');
    await live.run(3000);
    expect(live.frames('a').length).toBeGreaterThan(40);
    expect(live.frames('b')).toEqual([]);
    expect(new Set(leg.pieces.map(({ turn }) => turn))).toEqual(new Set(['b']));
  });

  it('with monitor sends the client the same bytes', async () => {
    const { live, leg, attach, say } = start();
    attach({ monitor: true });
    say('a');
    await live.run(2500);
    expect(live.audioOf('a').length).toBeGreaterThan(7000);
    expect(Buffer.concat(leg.pieces.map(({ bytes }) => bytes)).equals(live.audioOf('a'))).toBe(true);
  });

  it('tells of one that never came, and may be asked again', () => {
    let refuse = (_error: AppError) => {};
    const { live, attach } = start({
      legs: {
        tokenFor: () => 'token',
        attach(_user, _wanted, answer) {
          refuse = (error) => answer.onRefused(error);
          return () => {};
        },
      },
    });
    attach();
    attach();
    expect(live.said('error').map(({ code }) => code)).toEqual(['leg_taken']);
    refuse(new AppError('leg_not_found', 'none'));
    attach();
    expect(live.said('error').map(({ code }) => code)).toEqual(['leg_taken', 'leg_not_found']);
  });
});

describe('what a caller says', () => {
  it('is dropped unless it is asked for', () => {
    const { live, attach, phone } = start();
    attach();
    phone().onAudio(new Uint8Array(160));
    expect(live.said('inbound')).toEqual([]);
  });

  it('is handed on with its place in the call', () => {
    const { live, attach, phone } = start();
    attach({ inbound: 'forward' });
    phone().onAudio(new Uint8Array(160).fill(7));
    phone().onAudio(new Uint8Array(160).fill(8));
    expect(live.said('inbound').map(({ seq, ms, format }) => ({ seq, ms, format }))).toEqual([
      { seq: 0, ms: 0, format: 'mulaw' },
      { seq: 1, ms: 20, format: 'mulaw' },
    ]);
    expect(Buffer.from(live.said('inbound')[1]!.data, 'base64')).toEqual(Buffer.alloc(160, 8));
  });

  it('begins anew with each leg that is attached', () => {
    const { live, attach, phone } = start();
    attach({ inbound: 'forward' });
    phone().onAudio(new Uint8Array(800));
    live.send({ type: 'detach' });
    attach({ inbound: 'forward' });
    phone().onAudio(new Uint8Array(160));
    phone().onAudio(new Uint8Array(160));
    expect(live.said('inbound').map(({ seq, ms }) => `${seq} ${ms}`)).toEqual(['0 0', '0 0', '1 20']);
  });

  it('waits for a client that is slow, the last second of it, and the gap shows', () => {
    const { live, attach, phone } = start();
    attach({ inbound: 'forward' });
    live.congest('congested');
    for (let index = 0; index < 200; index += 1) phone().onAudio(new Uint8Array(160));
    expect(live.said('inbound')).toEqual([]);
    live.congest('clear');
    phone().onAudio(new Uint8Array(160));
    expect(live.said('inbound').map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, i) => 151 + i));
    expect(live.said('inbound')[0]!.ms).toBe(151 * 20);
  });

  it('by keys is told as it comes', () => {
    const { live, attach, phone } = start();
    attach();
    phone().onDigit('#');
    expect(live.said('dtmf')).toEqual([{ type: 'dtmf', digit: '#' }]);
  });
});

describe('what has been heard', () => {
  it('is what the leg says, and a turn is over when its last mark is back', async () => {
    const { live, leg, attach, say, phone, playedMs } = start();
    attach();
    say('a');
    await live.run(1500);
    expect(leg.acts).toEqual(['finish a']);
    expect(live.said('heard')).toEqual([]);
    phone().onPlayed('a', playedMs('a'));
    await live.run(10);
    expect(live.said('heard')).toMatchObject([{ turn: 'a', playedBy: 'mark', remainingText: '' }]);
  });

  it('is told within a second of its end when marks do not come back', async () => {
    const { live, attach, say } = start();
    attach();
    say('a');
    await live.run(2200);
    expect(live.said('heard')).toMatchObject([{ turn: 'a', playedBy: 'clock' }]);
  });

  it('is told by the clock, without any wait, where a leg has no marks', async () => {
    const { live, attach, say } = start({ leg: createFakeLeg('nothing') });
    attach();
    say('a');
    await live.run(1100);
    expect(live.said('heard')).toMatchObject([{ turn: 'a', playedBy: 'clock' }]);
  });

  it('is never more than was sent', async () => {
    const { live, attach, say, phone } = start();
    attach();
    say('a');
    await live.run(100);
    phone().onPlayed('a', 60_000);
    live.send({ type: 'cancel', turn: 'a' });
    const [heard, ended] = [live.said('heard')[0]!, live.said('ended')[0]!];
    expect(heard.playedMs).toBeLessThanOrEqual(ended.sentMs);
  });
});

describe('a cut', () => {
  it('clears the leg at once: what is cut has no future there, what goes on has', async () => {
    const { live, leg, attach, say } = start();
    attach();
    say('a');
    say('b');
    await live.run(400);
    live.send({ type: 'cancel', turn: 'a' });
    expect(leg.acts.at(-1)).toBe('clear a=undefined b=0');
    expect(live.said('ended', 'a')).toMatchObject([{ outcome: 'cancelled' }]);
  });

  it('of everything clears when all has been sent already', async () => {
    const { live, leg, attach, say } = start();
    attach();
    say('a');
    await live.run(1000);
    expect(live.said('ended', 'a')).toHaveLength(1);
    expect(live.said('heard', 'a')).toHaveLength(0);
    live.send({ type: 'cancel' });
    expect(leg.acts.at(-1)).toBe('clear a=undefined b=undefined');
    expect(live.said('heard', 'a')).toHaveLength(1);
  });

  it('clears when no turn is there at all: the far side may know better', () => {
    const { live, leg, attach } = start();
    attach();
    live.send({ type: 'cancel' });
    expect(leg.acts).toEqual(['clear a=undefined b=undefined']);
  });
});

describe('hangup', () => {
  it('ends the call at once', () => {
    const { live, leg, attach } = start();
    attach();
    live.send({ type: 'hangup' });
    expect(leg.acts).toEqual(['hang up']);
  });

  it('after a turn waits until it has been heard', async () => {
    const { live, leg, attach, say, phone, playedMs } = start();
    attach();
    say('a');
    live.send({ type: 'hangup', after: 'a' });
    await live.run(1400);
    expect(live.said('ended')).toHaveLength(1);
    expect(leg.acts).toEqual(['finish a']);
    phone().onPlayed('a', playedMs('a'));
    await live.run(10);
    expect(leg.acts).toEqual(['finish a', 'hang up']);
  });

  it('after a turn that has been heard, or was never there, does not wait', async () => {
    const { live, leg, attach } = start();
    attach();
    live.send({ type: 'hangup', after: 'nobody' });
    expect(leg.acts).toEqual(['hang up']);
  });

  it('after a turn that is cut comes with the cut', async () => {
    const { live, leg, attach, say } = start();
    attach();
    say('a');
    live.send({ type: 'hangup', after: 'a' });
    await live.run(300);
    live.send({ type: 'cancel', turn: 'a' });
    expect(leg.acts).toContain('hang up');
  });

  it('after a turn that fails, or ends before its first sound, does not wait for ever', async () => {
    for (const end of ['fail', 'cancel'] as const) {
      const { live, leg, attach, say } = start({ auto: () => {} });
      attach();
      say('a');
      live.send({ type: 'hangup', after: 'a' });
      await live.run(10);
      if (end === 'fail') live.upstream.requests[0]!.fail(new AppError('upstream_broken', 'no'));
      else live.send({ type: 'cancel', turn: 'a' });
      await live.run(100);
      expect([end, ...leg.acts]).toContain('hang up');
    }
  });

  it('after a turn that fails comes behind its end: no more of it is waited for', async () => {
    const { live, leg, attach, say } = start({ auto: () => {} });
    attach();
    say('a');
    live.send({ type: 'hangup', after: 'a' });
    await live.run(10);
    live.upstream.requests[0]!.fail(new AppError('upstream_broken', 'no'));
    await live.run(100);
    expect(live.said('ended', 'a')).toMatchObject([{ outcome: 'failed' }]);
    expect(leg.acts).toEqual(['finish a', 'hang up']);
  });

  it('without a leg is refused', () => {
    const { live } = start();
    live.send({ type: 'hangup' });
    live.send({ type: 'detach' });
    expect(live.said('error').map(({ code }) => code)).toEqual(['leg_not_found', 'leg_not_found']);
  });
});

describe('a leg that goes', () => {
  it('ends the turns that cannot be heard any more as truncated, and those that wait as failed', async () => {
    const { live, attach, say, phone } = start();
    attach();
    say('a');
    say('b');
    await live.run(300);
    phone().onGone('the call is over');
    expect(live.said('detached')).toMatchObject([{ leg: 'leg-1', reason: 'the call is over' }]);
    await live.run(20);
    expect(live.said('ended', 'a')).toMatchObject([{ outcome: 'truncated' }]);
    expect(live.said('heard', 'a')).toHaveLength(1);
    expect(live.said('ended', 'b')).toMatchObject([{ outcome: 'failed' }]);
    expect(live.said('error').map(({ code, turn }) => `${code} ${turn}`)).toEqual([
      'leg_gone a',
      'leg_gone b',
    ]);
    expect(live.session.turnsUnheard()).toBe(0);
  });

  it.each(['the caller hangs up', 'the session detaches'] as const)(
    'tells at once how far a turn was heard that had been sent to its end, when %s',
    async (what) => {
      const { live, attach, say, phone, playedMs } = start();
      attach();
      say('a');
      // 750 ms of a second have been heard, all of it has been sent.
      await live.run(750);
      expect(live.said('ended')).toMatchObject([{ turn: 'a', outcome: 'complete' }]);
      if (what === 'the caller hangs up') phone().onGone('the call is over');
      else live.send({ type: 'detach' });
      expect(live.said('heard')).toMatchObject([{ turn: 'a', playedBy: 'clock' }]);
      const [heard] = live.said('heard');
      expect(heard!.playedMs).toBeLessThanOrEqual(760);
      expect(heard!.playedMs).toBeLessThan(playedMs('a') - 200);
      expect(live.said('ended')).toHaveLength(1);
      expect(live.said('error')).toEqual([]);
      expect(live.session.turnsUnheard()).toBe(0);
    },
  );

  it('gives the turns that are named afterwards back to the client', async () => {
    const { live, attach, say, phone } = start();
    attach();
    phone().onGone('the call is over');
    say('c');
    await live.run(1500);
    expect(live.frames('c').length).toBeGreaterThan(40);
  });

  it('by detach is let go, and may be had again', () => {
    const { live, leg, attach } = start();
    attach();
    live.send({ type: 'detach' });
    expect(leg.acts).toEqual(['release']);
    expect(live.said('detached')).toMatchObject([{ reason: 'detached' }]);
    attach();
    expect(live.said('attached')).toHaveLength(2);
  });

  it('is let go when the session ends', () => {
    const { live, leg, attach } = start();
    attach();
    live.session.close();
    expect(leg.acts).toEqual(['release']);
  });

  it('that takes nothing holds its turns back', async () => {
    const { live, leg, attach, say, playedMs } = start();
    attach();
    leg.congested = true;
    say('a');
    await live.run(500);
    expect(playedMs('a')).toBe(0);
    leg.congested = false;
    await live.run(100);
    expect(playedMs('a')).toBeGreaterThan(300);
  });
});

describe('a pause on a leg', () => {
  it('is silent at once, and what was not heard comes again', async () => {
    const { live, leg, say, attach } = start();
    attach();
    say('a');
    await live.run(500);
    const sentMs = leg.pieces.at(-1)!.atMs + leg.pieces.at(-1)!.ms;
    live.send({ type: 'pause', turn: 'a' });
    expect(leg.acts.at(-1)).toBe('take back a');
    const { atMs } = live.said('paused')[0]!;
    expect(atMs).toBeLessThan(sentMs);
    const before = leg.pieces.length;
    await live.run(5000);
    expect(leg.pieces.length).toBe(before);
    live.send({ type: 'resume', turn: 'a' });
    await live.run(2000);
    expect(leg.pieces[before]!.atMs).toBe(atMs);
    const again = leg.pieces.slice(before);
    const whole = start();
    whole.attach();
    whole.say('a');
    await whole.live.run(2000);
    const joined = (pieces: readonly LegPiece[]) => Buffer.concat(pieces.map(({ bytes }) => bytes));
    expect(Buffer.compare(joined(again), joined(whole.leg.pieces).subarray(atMs * 8))).toBe(0);
    expect(live.said('ended')).toMatchObject([
      { outcome: 'complete', sentMs: whole.live.said('ended')[0]!.sentMs },
    ]);
  });

  it('gives a client who listens along nothing twice', async () => {
    const { live, leg, say, attach } = start();
    attach({ monitor: true });
    say('a');
    await live.run(500);
    live.send({ type: 'pause', turn: 'a' });
    live.send({ type: 'resume', turn: 'a' });
    await live.run(2000);
    const { sentMs } = live.said('ended')[0]!;
    expect(live.audioOf('a').length).toBe(sentMs * 8);
    expect(leg.pieces.reduce((sum, { ms }) => sum + ms, 0)).toBeGreaterThan(sentMs);
  });

  it('a seek takes back what was not heard, and the new place follows there', async () => {
    const { live, leg, attach } = start();
    attach();
    live.send({ type: 'speak', turn: 'a', text: 'One two.\n\nThree four.' });
    await live.run(500);
    const sentMs = leg.pieces.at(-1)!.atMs + leg.pieces.at(-1)!.ms;
    const before = leg.pieces.length;
    live.send({ type: 'seek', turn: 'a', paragraph: 1 });
    const { atMs } = live.said('sought')[0]!;
    expect(atMs).toBeLessThan(sentMs);
    await live.run(200);
    expect(leg.pieces[before]!.atMs).toBe(atMs);
    expect(live.upstream.requests.at(-1)!.body.text).toBe('Three four.');
  });
});
