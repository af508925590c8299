// Which word is being said, what typing adds, and the small readers of what the gateway tells.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chaptersVtt } from '../../src/captions/web-vtt.ts';
import { createCaptionTrack } from '../../src/playground/caption-track.ts';
import { readGatewayOffer } from '../../src/playground/gateway-offer.ts';
import { readLiveText } from '../../src/playground/live-text.ts';
import { quotaLeft } from '../../src/playground/quota-left.ts';
import { readChapters } from '../../src/playground/views/chapter-list.ts';

const word = (startMs: number, endMs: number) => ({
  text: 'w',
  startMs,
  endMs,
  line: 0,
  charStart: 0,
  charEnd: 1,
});

describe('caption track', () => {
  it('lights the word whose time it is, and none between two', () => {
    const track = createCaptionTrack();
    track.add([word(100, 200), word(200, 250)]);
    track.add([word(300, 400)]);
    const at = (ms: number) => track.at(ms);
    expect(at(99)).toEqual({ begun: 0, lit: undefined });
    expect(at(100)).toEqual({ begun: 1, lit: 0 });
    expect(at(200)).toEqual({ begun: 2, lit: 1 });
    expect(at(250)).toEqual({ begun: 2, lit: undefined });
    expect(at(399.9)).toEqual({ begun: 3, lit: 2 });
    expect(at(400)).toEqual({ begun: 3, lit: undefined });
  });

  it('finds what a plain search finds', () => {
    const lengths = fc.array(fc.record({ gap: fc.nat(3), length: fc.integer({ min: 1, max: 5 }) }));
    fc.assert(
      fc.property(lengths, fc.nat(60), (parts, ms) => {
        const track = createCaptionTrack();
        let end = 0;
        const words = parts.map(({ gap, length }) => {
          const start = end + gap;
          end = start + length;
          return word(start, end);
        });
        track.add(words);
        const lit = words.findIndex(({ startMs, endMs }) => startMs <= ms && ms < endMs);
        expect(track.at(ms).lit).toBe(lit === -1 ? undefined : lit);
      }),
    );
  });

  it('takes back what will not be heard', () => {
    const track = createCaptionTrack();
    track.add([word(0, 100), word(100, 200), word(200, 300)]);
    expect(track.dropFrom(100)).toHaveLength(1);
    track.add([word(100, 150)]);
    expect(track.at(120)).toEqual({ begun: 2, lit: 1 });
  });
});

describe('live text', () => {
  it('sends what is added, once, and never half a character', () => {
    expect(readLiveText('Hello', 'Hello you')).toEqual({ kind: 'added', text: ' you' });
    expect(readLiveText('Hello', 'Hello')).toEqual({ kind: 'nothing' });
    expect(readLiveText('', '🙂'.slice(0, 1))).toEqual({ kind: 'nothing' });
    expect(readLiveText('', '🙂')).toEqual({ kind: 'added', text: '🙂' });
  });

  it('knows that what was sent cannot be changed', () => {
    expect(readLiveText('Hello', 'Hell')).toEqual({ kind: 'unsayable' });
    expect(readLiveText('Hello', 'Jello')).toEqual({ kind: 'unsayable' });
  });
});

describe('quota left', () => {
  const key = (used: number, limit?: number) => ({
    fingerprint: 'k',
    state: 'ready',
    used,
    ...(limit !== undefined && { limit }),
  });
  it('adds up the keys, and says nothing where nothing runs out', () => {
    expect(quotaLeft([key(2, 60), key(70, 60)])).toEqual({ left: 58, limit: 120 });
    expect(quotaLeft([key(2, 60), key(3)])).toBeUndefined();
    expect(quotaLeft([])).toBeUndefined();
  });
});

describe('chapter list', () => {
  it('reads the chapters that the gateway writes', () => {
    const written = chaptersVtt([
      { title: 'Salt & <pepper>', startMs: 0, endMs: 61_500 },
      { title: 'The end', startMs: 3_661_500, endMs: 3_700_000 },
    ]);
    expect(readChapters(written)).toEqual([
      { startSeconds: 0, title: 'Salt & <pepper>' },
      { startSeconds: 3661.5, title: 'The end' },
    ]);
  });
});

describe('gateway offer', () => {
  it('has what was named, and needs keys when they are named', () => {
    const offer = readGatewayOffer('keys service tokens');
    expect([offer.wants, offer.has('service'), offer.has('pool')]).toEqual(['keys', true, false]);
    expect(readGatewayOffer('').wants).toBe('nothing');
  });
});
