// The codec before the real session core: what only the two together can show.

import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/base/app-error.ts';
import { speechMp3 } from '../../support/codecs.ts';
import { contextOf, DIALOGUE, elevenLabsSession, isFinal, SINGLE } from '../../support/elevenlabs-rig.ts';
import { faultsOf } from '../../support/elevenlabs-transcript.ts';
import { atOnce } from '../../support/memory-upstream.ts';

const RAW = 'output_format=pcm_24000';
const MS_PER_CHARACTER = 50;
const speech = atOnce((text) => speechMp3(text.length * MS_PER_CHARACTER));
/** About half a minute. */
const LONG = 'This is a sentence of a long reply. '.repeat(17);

const whole = (context: string, text: string) => [
  { text, context_id: context, flush: true },
  { context_id: context, close_context: true },
];

describe('an ElevenLabs session', () => {
  it('begins a context at once, though nobody said that the closed one before it is not heard any more', async () => {
    const rig = elevenLabsSession({ query: RAW }, speech);
    rig.send(...whole('old', LONG));
    await rig.run(1000);
    rig.send(...whole('new', 'Yes? '));
    const askedAtMs = rig.live.clock.now();
    await rig.run(9000);
    const firstAtMs = rig.got.find(({ message }) => contextOf(message) === 'new')!.atMs;
    // LiveKit gives up on a context without audio after 10 s, pipecat after 3.
    expect(firstAtMs - askedAtMs).toBeLessThan(2500);
    expect(rig.order()).toEqual(['audio old', 'final old', 'audio new', 'final new']);
    expect(rig.audioOf('old').length / 48).toBeGreaterThan(29_000);
  });

  it('sends no faster than it is heard when the caller wants it so', async () => {
    const rig = elevenLabsSession({ query: `${RAW}&voxgate_pace=realtime&voxgate_lead_ms=500` }, speech);
    rig.send(...whole('c', LONG));
    await rig.run(3000);
    const sentMs = rig.audioOf('c').length / 48;
    expect([sentMs > 3000, sentMs <= 3600]).toEqual([true, true]);
  });

  it('speaks to a listener’s pace where there is but one context, and closes behind the last word', async () => {
    const rig = elevenLabsSession({ path: SINGLE, query: RAW }, speech);
    rig.send(
      { text: ' ' },
      { text: 'This is a sentence of a long reply, and it goes on for a while. ' },
      { text: '' },
    );
    await rig.run(1500);
    expect(rig.audioOf('default').length / 48).toBeLessThan(2700);
    expect(rig.closed).toBeUndefined();
    await rig.run(4000);
    expect(rig.closed?.code).toBe(1000);
    expect(isFinal(rig.got.at(-1)!.message)).toBe(true);
    expect(rig.audioOf('default').length / 48).toBeGreaterThan(3000);
  });

  it('keeps the timers of those who wait from firing', async () => {
    const rig = elevenLabsSession({ query: RAW }, undefined);
    rig.send(...whole('c', 'One. '));
    await rig.run(20);
    for (let n = 0; n < 4; n += 1) {
      rig.live.upstream.requests[0]!.queued({ reason: 'quota', position: 3, etaMs: 9000 });
      await rig.run(2000);
    }
    expect(rig.order().filter((name) => name === 'quiet c')).toHaveLength(4);
    expect(rig.got[0]!.message).toEqual({
      audio: null,
      alignment: null,
      normalizedAlignment: null,
      contextId: 'c',
    });
    // A close does not overtake what has not begun.
    rig.live.upstream.requests[0]!.send(speechMp3(500));
    rig.live.upstream.requests[0]!.end();
    await rig.run(2000);
    expect(rig.order().slice(-2)).toEqual(['audio c', 'final c']);
  });

  it('tells one context that the speech service failed, and speaks the others', async () => {
    const rig = elevenLabsSession({ query: RAW }, (request) =>
      request.body.text.startsWith('Bad')
        ? request.fail(new AppError('upstream_rate_limited', 'Too many.'))
        : speech(request),
    );
    rig.send(...whole('a', 'Good. '), ...whole('b', 'Bad. '), ...whole('c', 'Good again. '));
    await rig.run(5000);
    const orderOf = (context: string) => [
      ...new Set(rig.order().filter((name) => name.endsWith(` ${context}`) && !name.startsWith('quiet'))),
    ];
    expect(['a', 'b', 'c'].map(orderOf)).toEqual([
      ['audio a', 'final a'],
      ['error upstream_rate_limited b', 'final b'],
      ['audio c', 'final c'],
    ]);
    expect(rig.of('b').find((message) => message.error !== undefined)).toMatchObject({
      code: 1011,
      message: 'Too many; come back later, the operator may add keys.',
    });
    expect(rig.closed).toBeUndefined();
  });

  it('says of speech that broke off that it did, behind what was heard of it', async () => {
    const rig = elevenLabsSession({ query: RAW }, (request) => {
      request.send(speechMp3(600).subarray(0, 2400));
      request.fail(new AppError('upstream_broken', 'Broken.'));
    });
    rig.send(...whole('c', 'This will break off in the middle. '));
    await rig.run(60_000);
    const order = rig.order();
    expect(order.at(-1)).toBe('final c');
    expect(order.at(-2)).toMatch(/^error upstream_[a-z_]+ c$/);
  });

  it('answers text without a word in it by a short silence', async () => {
    for (const text of ['… ', '😀 ', '?!']) {
      const rig = elevenLabsSession({ query: RAW }, speech);
      rig.send(...whole('c', text));
      await rig.run(2000);
      expect([text, ...rig.order()]).toEqual([text, 'audio c', 'final c']);
      expect(rig.audioOf('c').length).toBeGreaterThan(0);
    }
  });

  it('keeps a context that is kept alive, and speaks in it again after a long pause', async () => {
    const rig = elevenLabsSession({ query: RAW }, speech);
    rig.send({ text: 'One. ', context_id: 'c', flush: true });
    // The session itself takes text of 20 s ago to be the last.
    for (let n = 0; n < 5; n += 1) {
      await rig.run(9000);
      rig.send({ text: '', context_id: 'c' });
    }
    const before = rig.audioOf('c').length;
    expect([rig.order(), rig.live.said('ended').length]).toEqual([['audio c'], 1]);
    rig.send(...whole('c', 'Two. '));
    await rig.run(3000);
    expect(rig.order()).toEqual(['audio c', 'final c']);
    expect(rig.audioOf('c').length).toBeGreaterThan(before + 4000);
  });

  it('does not let an open context hold up those behind it', async () => {
    const rig = elevenLabsSession({ query: RAW }, speech);
    rig.send({ text: 'One. ', context_id: 'a', flush: true }, { text: 'And then', context_id: 'a' });
    rig.send(...whole('b', 'Two. '));
    await rig.run(4500);
    expect(rig.of('b').some(isFinal)).toBe(true);
    rig.send({ text: ' three. ', context_id: 'a', flush: true }, { context_id: 'a', close_context: true });
    await rig.run(3000);
    expect(rig.order().at(-1)).toBe('final a');
    expect(rig.live.upstream.requests.map(({ body }) => body.text.trim())).toEqual([
      'One.',
      'Two.',
      'And then',
      'three.',
    ]);
  });

  it('survives a storm of contexts: one too many costs the oldest that drains, never the socket', async () => {
    const rig = elevenLabsSession({ query: `${RAW}&voxgate_pace=realtime` }, speech);
    for (let n = 0; n < 100; n += 1) {
      rig.send({ text: ' ', context_id: `c${n}` }, ...whole(`c${n}`, 'This is a sentence of a long reply. '));
      await rig.run(50);
    }
    await rig.run(20_000);
    expect(rig.closed).toBeUndefined();
    expect(rig.got.filter(({ message }) => message.error !== undefined)).toEqual([]);
    expect(rig.got.filter(({ message }) => isFinal(message))).toHaveLength(100);
    expect(
      faultsOf(
        rig.got.map(({ message }) => message),
        48,
      ),
    ).toEqual([]);
    // The last ones were not in anybody's way.
    for (const id of ['c96', 'c97', 'c98', 'c99']) expect(rig.audioOf(id).length / 48).toBeGreaterThan(1500);
  });

  it('does not keep its first context waiting for an agent’s greeting, of which its client knows nothing', async () => {
    const rig = elevenLabsSession({ path: SINGLE, query: RAW }, speech);
    rig.live.session.handle({ type: 'speak', turn: 'greeting', text: LONG });
    await rig.run(300);
    rig.send({ text: 'Hello. ' }, { text: '' });
    await rig.run(1500);
    expect(rig.order()).toEqual(['audio', 'final']);
    expect(rig.live.said('ended', 'greeting')[0]).toMatchObject({ outcome: 'cancelled' });
  });

  it('gives two voices their lines', async () => {
    const rig = elevenLabsSession({ path: DIALOGUE, query: RAW }, speech);
    rig.send(
      { context_id: 'c', voices: ['v1', 'v2'] },
      {
        context_id: 'c',
        inputs: [
          { text: 'Who goes there? ', voice_id: 'v1' },
          { text: 'Me. ', voice_id: 'v2' },
        ],
      },
      { context_id: 'c', flush: true },
      { context_id: 'c', close_context: true },
    );
    await rig.run(4000);
    const bodies = rig.live.upstream.requests.map(({ body }) => body);
    for (const body of bodies) expect(body).toMatchObject({ voice: 'v1', voice2: 'v2' });
    expect(bodies.map(({ text }) => text).join(' ')).toMatch(/Who goes there\?[\s\S]*Me\./);
    expect(rig.order()).toEqual(['audio c', 'flushed c', 'final c']);
  });

  it.each([
    ['ulaw_8000', 8],
    ['alaw_8000', 8],
    ['pcm_8000', 16],
    ['pcm_16000', 32],
    ['pcm_22050', 44.1],
    ['pcm_24000', 48],
    ['pcm_32000', 64],
    ['pcm_44100', 88.2],
    ['pcm_48000', 96],
  ])('sends %s in messages of whole samples and at most 200 ms', async (format, bytesPerMs) => {
    const rig = elevenLabsSession({ query: `output_format=${format}` }, speech);
    rig.send(...whole('c', 'This is a sentence of a long reply. '));
    await rig.run(4000);
    const messages = rig.got.map(({ message }) => message);
    expect(faultsOf(messages, bytesPerMs)).toEqual([]);
    expect(Math.abs(rig.audioOf('c').length / bytesPerMs - 1800)).toBeLessThan(100);
  });

  it.each([
    ['mp3_44100_128', [0xff, 0xfb]],
    ['mp3_22050_32', [0xff, 0xf3]],
    ['opus_48000_64', [0x4f, 0x67, 0x67, 0x53]],
  ])('sends %s as such', async (format, head) => {
    const rig = elevenLabsSession({ query: `output_format=${format}` }, speech);
    rig.send(...whole('c', 'This is a sentence of a long reply. '));
    await rig.run(4000);
    expect([...rig.audioOf('c').subarray(0, head.length)]).toEqual(head);
    expect(rig.order()).toEqual(['audio c', 'final c']);
  });
});
