import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AlignedWord, type Alignment, createAligner } from '../../../src/dialects/elevenlabs/aligner.ts';
import { speechMp3 } from '../../support/codecs.ts';
import {
  audioBytes,
  DIALOGUE,
  elevenLabsSession,
  MULTI,
  type VendorMessage,
} from '../../support/elevenlabs-rig.ts';
import { atOnce } from '../../support/memory-upstream.ts';

const word = (text: string, startMs: number, endMs: number): AlignedWord => ({ text, startMs, endMs });

/** What pipecat makes of alignments: words end at a space, and its clock moves by what a message spans. */
function asPipecat(alignments: readonly Alignment[], advance: 'always' | 'with-words') {
  const words: { text: string; startMs: number }[] = [];
  let clockMs = 0;
  let partial: { text: string; startMs: number } | undefined;
  for (const { chars, charStartTimesMs, charDurationsMs } of alignments) {
    const before = words.length;
    for (const [index, char] of chars.entries()) {
      if (char !== ' ') {
        partial ??= { text: '', startMs: clockMs + charStartTimesMs[index]! };
        partial.text += char;
      } else if (partial !== undefined) {
        words.push(partial);
        partial = undefined;
      }
    }
    const last = chars.length - 1;
    if (advance === 'always' || words.length > before)
      clockMs += charStartTimesMs[last]! + charDurationsMs[last]!;
  }
  return { words, clockMs };
}

const someWords = fc
  .array(
    fc.record({
      gap: fc.nat(900),
      length: fc.nat(700),
      text: fc.constantFrom('a', 'word', 'größer', '😀!', '说'),
    }),
    {
      minLength: 1,
      maxLength: 30,
    },
  )
  .map((list) => {
    let at = 0;
    return list.map(({ gap, length, text }) => {
      const startMs = at + gap;
      at = startMs + length;
      return word(text, startMs, at);
    });
  });

/** All alignments of `words` in messages of 40 ms, and how long the audio was when each of them went. */
function messagesOf(words: readonly AlignedWord[], clock: 'absolute' | 'relative') {
  const aligner = createAligner(clock);
  for (const each of words) aligner.add(each);
  const lengthMs = Math.ceil((words.at(-1)!.endMs + 1) / 40) * 40;
  const messages: { alignment: Alignment; endMs: number }[] = [];
  for (let endMs = 40; endMs <= lengthMs; endMs += 40) {
    const alignment = aligner.take(endMs);
    if (alignment !== undefined) messages.push({ alignment, endMs });
  }
  return messages;
}

describe('characters and their times', () => {
  it('are three lists of one length, in order, none before its time', () => {
    fc.assert(
      fc.property(someWords, fc.constantFrom('absolute', 'relative'), (words, clock) => {
        for (const { alignment } of messagesOf(words, clock)) {
          const { chars, charStartTimesMs, charDurationsMs } = alignment;
          expect([charStartTimesMs.length, charDurationsMs.length]).toEqual([chars.length, chars.length]);
          let at = 0;
          for (const [index, startMs] of charStartTimesMs.entries()) {
            expect(startMs).toBeGreaterThanOrEqual(at);
            at = startMs + charDurationsMs[index]!;
            expect(at).toBeGreaterThanOrEqual(startMs);
          }
        }
      }),
    );
  });

  it('are, to LiveKit, those of the context, wherever a message lies', () => {
    const aligner = createAligner('absolute');
    aligner.add(word('Hi,', 30, 90));
    aligner.add(word('you.', 130, 170));
    expect(aligner.take(40)).toEqual({
      chars: ['H', 'i', ',', ' '],
      charStartTimesMs: [30, 50, 70, 90],
      charDurationsMs: [20, 20, 20, 0],
    });
    expect(aligner.take(80)).toBeUndefined();
    expect(aligner.take(160)?.charStartTimesMs).toEqual([130, 140, 150, 160, 170]);
    expect(aligner.takeLoose(Number.POSITIVE_INFINITY)).toBeUndefined();
  });

  it('have no spaces to LiveKit where words stand without', () => {
    const aligner = createAligner('absolute');
    for (const text of ['今日', 'は', '天気。', 'OK', 'ไทย']) aligner.add(word(text, 0, 0));
    expect(aligner.take(40)?.chars.join('')).toBe('今日は天気。OK ไทย');
  });

  it('give pipecat every word at its own time, however its clock is moved on', () => {
    fc.assert(
      fc.property(someWords, fc.constantFrom('always', 'with-words'), (words, advance) => {
        const messages = messagesOf(words, 'relative');
        const { words: found } = asPipecat(
          messages.map(({ alignment }) => alignment),
          advance,
        );
        expect(found.map(({ text }) => text)).toEqual(words.map(({ text }) => text));
        for (const [index, { startMs }] of found.entries())
          expect(Math.abs(startMs - words[index]!.startMs)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('leave pipecat’s clock where the audio is, behind every message that has any', () => {
    fc.assert(
      fc.property(someWords, (words) => {
        const messages = messagesOf(words, 'relative');
        for (let count = 1; count <= messages.length; count += 1) {
          const { clockMs } = asPipecat(
            messages.slice(0, count).map(({ alignment }) => alignment),
            'always',
          );
          expect(clockMs).toBe(messages[count - 1]!.endMs);
        }
      }),
    );
  });
});

const TEXT = 'Good morning. How can I help you on this fine day? ';
const alignmentsOf = (messages: readonly VendorMessage[]) =>
  messages.flatMap(({ alignment }) => (alignment == null ? [] : [alignment as Alignment]));

describe('characters and their times before a whole session', () => {
  it.each([
    ['LiveKit', MULTI, 'output_format=pcm_24000&sync_alignment=true'],
    ['pipecat', MULTI, 'output_format=pcm_24000'],
    ['a dialogue', DIALOGUE, 'output_format=pcm_24000&sync_alignment=true'],
    ['mp3', MULTI, 'output_format=mp3_44100_128'],
    ['opus', MULTI, 'output_format=opus_48000_64'],
  ])('tell %s all words, none ahead of its audio by more than a message', async (client, path, query) => {
    const rig = elevenLabsSession(
      { path, query },
      atOnce((text) => speechMp3(text.length * 50)),
    );
    const isDialogue = path === DIALOGUE;
    for (const text of [TEXT, 'Second sentence here. '])
      rig.send(isDialogue ? { context_id: 'c', inputs: [{ text }] } : { context_id: 'c', text });
    rig.send({ context_id: 'c', flush: true }, { context_id: 'c', close_context: true });
    await rig.run(8000);
    expect(rig.order()).toEqual(isDialogue ? ['audio c', 'flushed c', 'final c'] : ['audio c', 'final c']);
    const messages = rig.of('c');
    const camel = (alignment: Alignment & Record<string, unknown>): Alignment =>
      isDialogue
        ? {
            chars: alignment.chars,
            charStartTimesMs: alignment.char_start_times_ms as number[],
            charDurationsMs: alignment.char_durations_ms as number[],
          }
        : alignment;
    const alignments = alignmentsOf(messages).map((alignment) => camel(alignment as never));
    const said = alignments.flatMap(({ chars }) => chars).join('');
    expect(said).toBe(`${TEXT}Second sentence here. `);
    if (!isDialogue)
      for (const { alignment, normalizedAlignment } of messages)
        expect(normalizedAlignment ?? null).toEqual(alignment ?? null);
    if (!['LiveKit', 'pipecat', 'a dialogue'].includes(client)) return;
    let sentMs = 0;
    let clockMs = 0;
    for (const message of messages) {
      const fromMs = sentMs;
      sentMs += audioBytes(message).length / 48;
      if (message.alignment == null) continue;
      const { charStartTimesMs } = camel(message.alignment as never);
      const startMs = charStartTimesMs[0]! + (client === 'LiveKit' ? 0 : clockMs);
      expect(startMs).toBeGreaterThanOrEqual(Math.floor(fromMs) - 1);
      expect(startMs).toBeLessThan(sentMs + 1);
      clockMs = sentMs;
    }
  });

  it('are not made for who does not want them', async () => {
    const rig = elevenLabsSession(
      { query: 'output_format=pcm_24000&sync_alignment=false' },
      atOnce((text) => speechMp3(text.length * 50)),
    );
    rig.send({ context_id: 'c', text: TEXT, flush: true });
    await rig.run(3000);
    expect([alignmentsOf(rig.of('c')), rig.audioOf('c').length > 0]).toEqual([[], true]);
    expect(rig.live.said('caption')).toEqual([]);
  });
});
