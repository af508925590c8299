// Barge-in as clients of several contexts do it: they close the old context, or merely leave it, and open another. The
// speech service speaks at a factor of real time, so that the old answer is long from being made when the new one begins.

import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/base/app-error.ts';
import { speechMp3 } from '../../support/codecs.ts';
import {
  close,
  codecAlone,
  contextOf,
  type ElevenLabsSession,
  elevenLabsSession,
  isFinal,
  speak,
} from '../../support/elevenlabs-rig.ts';
import { faultsOf } from '../../support/elevenlabs-transcript.ts';
import type { MemoryRequest } from '../../support/memory-upstream.ts';
import { scriptedAdmission } from '../../support/open-admission.ts';

const QUERY = 'output_format=pcm_24000';
const BYTES_PER_MS = 48;
const MS_PER_CHARACTER = 50;
const TTFB_MS = 80;
const PIECE_MS = 100;
/** Of MP3 at 64 kbit/s. */
const BODY_BYTES_PER_MS = 8;
/** 20 s in one request. */
const ANSWER = `${'so it goes on and on '.repeat(19)}.`;
const REPLY = 'Yes, of course. ';

/** A speech service that speaks `speed` times as fast as a listener hears. */
const speakingAt =
  (speed: number, rig: () => ElevenLabsSession, firstBytes: Map<string, number> = new Map()) =>
  (request: MemoryRequest): void => {
    const { clock } = rig().live;
    const bytes = speechMp3(request.body.text.length * MS_PER_CHARACTER);
    const pieceBytes = PIECE_MS * BODY_BYTES_PER_MS;
    const send = (from: number) => {
      if (from === 0) firstBytes.set(request.body.text.trim(), clock.now());
      request.send(bytes.subarray(from, from + pieceBytes));
      if (from + pieceBytes >= bytes.length) request.end();
      else clock.after(PIECE_MS / speed, () => send(from + pieceBytes));
    };
    clock.after(TTFB_MS, () => send(0));
  };

const flushed = (context: string, text: string) => [
  { text: ' ', context_id: context },
  { text, context_id: context, flush: true },
];
/** As LiveKit ends what it says. */
const ended = (context: string) => [{ text: '', context_id: context, flush: true }, close(context)];

const start = (speed: number, options: Parameters<typeof elevenLabsSession>[2] = {}) => {
  const firstBytes = new Map<string, number>();
  const rig: ElevenLabsSession = elevenLabsSession(
    { query: QUERY },
    speakingAt(speed, () => rig, firstBytes),
    options,
  );
  const requestOf = (text: string) =>
    rig.live.upstream.requests.filter(({ body }) => text.includes(body.text.trim()));
  const audioMs = (context: string) => rig.audioOf(context).length / BYTES_PER_MS;
  const firstAudioAt = (context: string) =>
    rig.got.find(({ message }) => contextOf(message) === context && message.audio)?.atMs;
  return { rig, firstBytes, requestOf, audioMs, firstAudioAt };
};

type Leaving = 'closes it in its audio' | 'had closed it with its last flush' | 'leaves it open';
const leavings: readonly Leaving[] = [
  'closes it in its audio',
  'had closed it with its last flush',
  'leaves it open',
];

describe('a client of several contexts that is interrupted', () => {
  it.each(leavings.flatMap((leaving) => [1.2, 3, 10].map((speed) => [leaving, speed] as const)))(
    '%s, and hears its reply as soon as there is some: speech at %s times real time',
    async (leaving, speed) => {
      const { rig, firstBytes, firstAudioAt } = start(speed);
      rig.send(...flushed('old', ANSWER));
      if (leaving === 'had closed it with its last flush') rig.send(...ended('old'));
      await rig.run(1000);
      expect(rig.audioOf('old').length).toBeGreaterThan(0);
      if (leaving === 'closes it in its audio') rig.send(close('old'));
      rig.send(...flushed('new', REPLY), ...ended('new'));
      await rig.run(3000);
      expect(firstAudioAt('new')! - firstBytes.get(REPLY.trim())!).toBeLessThanOrEqual(100);
      await rig.run(20_000);
      expect(rig.of('new').filter(isFinal)).toHaveLength(1);
      expect(
        faultsOf(
          rig.got.map(({ message }) => message),
          BYTES_PER_MS,
        ),
      ).toEqual([]);
      expect(rig.live.faults).toEqual([]);
    },
  );

  it('and closes the old context in its audio lets its speech go when the next one is given words', async () => {
    const { rig, requestOf, audioMs } = start(1.2);
    rig.send(...flushed('old', ANSWER));
    await rig.run(1000);
    rig.send(close('old'));
    // The vendor: what was flushed goes on.
    expect(requestOf(ANSWER).map(({ state }) => state)).toEqual(['open']);
    rig.send({ text: ' ', context_id: 'new' });
    expect(requestOf(ANSWER).map(({ state }) => state)).toEqual(['open']);
    rig.send({ text: REPLY, context_id: 'new' });
    await rig.run(0);
    expect(requestOf(ANSWER).map(({ state }) => state)).toEqual(['aborted']);
    expect(rig.of('old').filter(isFinal)).toHaveLength(1);
    const before = audioMs('old');
    rig.send(...ended('new'));
    await rig.run(5000);
    expect([audioMs('old'), audioMs('new') > 500]).toEqual([before, true]);
  });

  it('has all that was flushed of a closed context when nothing else is asked for', async () => {
    const { rig, audioMs } = start(1.2);
    rig.send(...flushed('old', ANSWER));
    await rig.run(1000);
    rig.send(close('old'));
    await rig.run(19_000);
    expect(rig.order()).toEqual(['audio old', 'final old']);
    expect(audioMs('old')).toBeGreaterThan(19_500);
  });

  it('has both of two contexts whole that were closed with their last flush, side by side', async () => {
    const { rig, audioMs } = start(1.2);
    rig.send(...flushed('one', ANSWER), ...ended('one'));
    await rig.run(1000);
    rig.send(...flushed('two', ANSWER), ...ended('two'));
    await rig.run(20_000);
    expect([audioMs('one') > 19_500, audioMs('two') > 19_500]).toEqual([true, true]);
    const order = rig.order();
    expect(order.lastIndexOf('audio one')).toBeGreaterThan(order.indexOf('audio two'));
    expect(order.filter((name) => name.startsWith('final'))).toEqual(['final one', 'final two']);
  });

  it('has its reply first when its socket is full of the old answer', async () => {
    const { rig, firstAudioAt } = start(10);
    rig.send(...flushed('old', ANSWER), ...ended('old'));
    await rig.run(300);
    rig.live.congest('congested');
    rig.send(...flushed('new', REPLY), ...ended('new'));
    await rig.run(3000);
    rig.live.congest('clear');
    const clearAtMs = rig.live.clock.now();
    const from = rig.got.length;
    await rig.run(100);
    expect(firstAudioAt('new')! - clearAtMs).toBeLessThanOrEqual(10);
    expect(contextOf(rig.got[from]!.message)).toBe('new');
  });

  it('has its reply though the old answer fills the memory of the session', async () => {
    const { rig, firstAudioAt, firstBytes } = start(10, { limits: { spoolBytes: 64 * 1024 } });
    rig.send(...flushed('old', ANSWER.repeat(3)), ...ended('old'));
    await rig.run(500);
    rig.live.congest('congested');
    await rig.run(2000);
    rig.send(...flushed('new', REPLY), ...ended('new'));
    await rig.run(500);
    rig.live.congest('clear');
    await rig.run(100);
    expect(firstAudioAt('new')! - firstBytes.get(REPLY.trim())!).toBeLessThanOrEqual(600);
  });

  it('is not refused for the answer that it interrupts, and counts for both', async () => {
    const admission = scriptedAdmission();
    const { rig } = start(1.2, { admission });
    rig.send(...flushed('old', ANSWER), ...ended('old'));
    await rig.run(500);
    admission.no = new AppError('busy', 'Full.', { retryAfterMs: 1000 });
    rig.send(...flushed('new', ANSWER));
    await rig.run(500);
    expect([admission.held, rig.of('new').some(({ error }) => error !== undefined)]).toEqual([2, false]);
    // A third one is more than an interruption.
    rig.send(...flushed('more', REPLY));
    await rig.run(500);
    expect(rig.of('more').find(({ error }) => error !== undefined)).toMatchObject({ error: 'busy' });
    rig.send(close('old'), { context_id: 'new', close_context: true });
    rig.send(...ended('new'));
    await rig.run(30_000);
    expect(admission.held).toBe(0);
  });

  it('has its place at a busy speech service from what it has closed', () => {
    const rig = codecAlone();
    const queued = (turn: string, reason: 'busy' | 'quota') =>
      rig.say({ type: 'queued', turn, reason, position: 1, etaMs: 5000 });
    rig.send(...speak('a'), close('a'), ...speak('b'), close('b'), ...speak('c'));
    rig.start('turn-0');
    rig.start('turn-1');
    // Hanging up gives back no quota.
    queued('turn-2', 'quota');
    expect(rig.commands.filter(({ type }) => type === 'cancel')).toEqual([]);
    queued('turn-2', 'busy');
    expect(rig.commands.filter(({ type }) => type === 'cancel')).toEqual([
      { type: 'cancel', turn: 'turn-0' },
    ]);
    expect(rig.order()).toEqual(['quiet c', 'quiet c', 'final a']);
    queued('turn-2', 'busy');
    queued('turn-2', 'busy');
    // What is open, and what was named later, keeps its own.
    queued('turn-0', 'busy');
    expect(rig.commands.filter(({ type }) => type === 'cancel')).toEqual([
      { type: 'cancel', turn: 'turn-0' },
      { type: 'cancel', turn: 'turn-1' },
    ]);
  });

  it('keeps a context that was closed in its audio when others only go on', () => {
    const rig = codecAlone();
    rig.send(...speak('a'), ...speak('b'));
    rig.start('turn-0');
    rig.sound('turn-0', 800);
    rig.send(close('a'), ...speak('b'), { context_id: 'c', text: ' ' });
    expect(rig.commands.filter(({ type }) => type === 'cancel')).toEqual([]);
    rig.send(...speak('c'));
    expect(rig.commands.filter(({ type }) => type === 'cancel')).toEqual([
      { type: 'cancel', turn: 'turn-0' },
    ]);
    expect(rig.order()).toEqual(['audio a', 'final a']);
  });
});
