// The codec by itself: texts, sounds and flushes of a context, against a session that says what the test says.

import { describe, expect, it } from 'vitest';
import type { ClientCommand } from '../../../src/dialects/native-messages.ts';
import { ended } from '../../support/session-events.ts';
import { end, openCodec, orderOf, say, soundOf } from '../cartesia-fixture.ts';

const types = (commands: readonly ClientCommand[]) => commands.map(({ type }) => type);

describe('cartesia codec, text', () => {
  it('makes a context a turn, its transcripts one text, and continue: false its end', () => {
    const { send, commands, turns } = openCodec();
    send(say('c', 'Hello '), say('c', 'wor'), say('c', 'ld. '), end('c'));
    expect(commands).toEqual([
      {
        type: 'append',
        turn: turns[0],
        text: 'Hello ',
        format: 'raw',
        sampleRate: 16_000,
        voice: 'anna',
        language: 'english',
      },
      { type: 'append', turn: turns[0], text: 'wor' },
      { type: 'append', turn: turns[0], text: 'ld. ' },
      { type: 'end', turn: turns[0] },
    ]);
  });

  it('takes a message without continue for a whole text', () => {
    const { send, commands } = openCodec();
    const { continue: _goesOn, ...whole } = say('c', 'All of it.');
    send(whole);
    expect(types(commands)).toEqual(['append', 'end']);
  });

  it('sets word times by configure before the turn that wants others than the last', () => {
    const { send, commands } = openCodec();
    send(
      say('a', 'One.', { add_timestamps: true }),
      say('b', 'Two.', { add_timestamps: true }),
      say('c', 'Three.'),
    );
    expect(types(commands)).toEqual(['configure', 'append', 'append', 'configure', 'append']);
    expect(commands.filter(({ type }) => type === 'configure')).toEqual([
      { type: 'configure', captions: 'words' },
      { type: 'configure', captions: 'off' },
    ]);
  });

  it('keeps what a context began with, whatever later messages say', () => {
    const { send, commands, messages } = openCodec();
    send(
      say('c', 'One.'),
      say('c', ' Two.', { voice: 'ben', output_format: 7, add_timestamps: true, language: 'xx' }),
    );
    expect(commands.at(-1)).toEqual({ type: 'append', turn: 'turn-1', text: ' Two.' });
    expect(messages).toEqual([]);
  });

  it('refuses text behind the end once, and the context plays on', () => {
    const { send, sound, event, messages, commands, turns } = openCodec();
    send(say('c', 'One.', { continue: false }), say('c', ' Two.'), say('c', ' Three.'), end('c'));
    expect(messages).toMatchObject([{ type: 'error', done: false, status_code: 409, context_id: 'c' }]);
    expect(types(commands)).toEqual(['append', 'end']);
    sound(turns[0]!, 1, 2);
    event(ended(turns[0]!));
    expect(orderOf(messages)).toEqual(['error c', 'chunk c', 'done c']);
  });

  it('passes over fields that it does not know', () => {
    const { codec, messages, commands } = openCodec();
    const message = say('c', 'One', {
      use_normalized_timestamps: false,
      add_phoneme_timestamps: true,
      max_buffer_delay_ms: 0,
      pronunciation_dict_id: null,
      normalization: 'auto',
    });
    // Neither a number without end nor this name survives an object of ours.
    codec.receive(`${JSON.stringify(message).slice(0, -1)},"duration":1e309,"__proto__":{"flush":true}}`);
    expect(types(commands)).toEqual(['append']);
    expect(messages).toEqual([]);
  });
});

describe('cartesia codec, sound', () => {
  it('sends chunks with all that a strict client insists on', () => {
    const { send, sound, messages, turns } = openCodec();
    send(say('c"\n', 'One.'));
    sound(turns[0]!, 1, 2, 3, 4);
    expect(messages).toEqual([
      {
        type: 'chunk',
        data: Buffer.from([1, 2, 3, 4]).toString('base64'),
        done: false,
        status_code: 206,
        step_time: 0,
        context_id: 'c"\n',
        flush_id: 1,
      },
    ]);
  });

  it('sends 32-bit floats to who asked for them, four whole bytes a sample', () => {
    const { send, sound, messages, turns } = openCodec();
    send(say('c', 'One.', { output_format: { container: 'raw', encoding: 'pcm_f32le', sample_rate: 8000 } }));
    sound(turns[0]!, 0x00, 0x80, 0xff, 0x7f, 0x00, 0x00, 0x00, 0x40);
    const floats = soundOf(messages, 'c');
    expect(floats.length).toBe(16);
    expect([0, 4, 8, 12].map((at) => floats.readFloatLE(at))).toEqual([-1, 32_767 / 32_768, 0, 0.5]);
  });

  it('gives word times in seconds from the first sample of the context', () => {
    const { send, event, messages, turns } = openCodec();
    send(say('c', 'One two.', { add_timestamps: true }));
    const word = { charStart: 0, charEnd: 3 };
    const words = [
      { text: 'One', startMs: 0, endMs: 250, ...word },
      { text: 'two.', startMs: 1250, endMs: 1600, ...word },
    ];
    event({ type: 'caption', turn: turns[0]!, line: 0, words, estimated: true });
    expect(messages).toMatchObject([
      {
        type: 'timestamps',
        word_timestamps: { words: ['One', 'two.'], start: [0, 1.25], end: [0.25, 1.6] },
      },
    ]);
  });
});

describe('cartesia codec, flushes', () => {
  it('answers each with its own number, and counts chunks by them', () => {
    const { send, event, sound, messages, commands, turns } = openCodec();
    send(say('c', 'One.'), say('c', '', { flush: true }), say('c', ' Two.', { flush: true }));
    expect(types(commands)).toEqual(['append', 'flush', 'append', 'flush']);
    const turn = turns[0]!;
    sound(turn, 1, 2);
    event({ type: 'flushed', turn });
    sound(turn, 3, 4);
    event({ type: 'flushed', turn });
    expect(messages.map(({ type, flush_id }) => [type, flush_id])).toEqual([
      ['chunk', 1],
      ['flush_done', 1],
      ['chunk', 2],
      ['flush_done', 2],
    ]);
  });

  it('that come with the end go before it', () => {
    const { send, commands } = openCodec();
    send(say('c', 'One.', { flush: true, continue: false }));
    expect(types(commands)).toEqual(['append', 'flush', 'end']);
  });

  it('and ends of nothing are answered at once, without a turn', () => {
    const { send, messages, commands } = openCodec();
    send(
      say('a', '', { flush: true }),
      say('b', ' ', { continue: false }),
      say('d', '', { flush: true, continue: false }),
    );
    expect(orderOf(messages)).toEqual(['flush_done a', 'done b', 'flush_done d', 'done d']);
    expect(commands).toEqual([]);
  });

  it('and ends of what is over are not answered again', () => {
    const { send, event, messages, turns } = openCodec();
    send(say('a', 'One.', { continue: false }));
    event(ended(turns[0]!));
    send(end('a'), say('a', '', { flush: true }), end('a'), end('b'), end('b'));
    expect(orderOf(messages)).toEqual(['done a', 'done b']);
  });

  it('beyond 256 that wait for their answer are dropped, which is told once', () => {
    const { send, event, messages, commands, turns } = openCodec();
    send(say('c', 'One '));
    const flush = { context_id: 'c', transcript: '', flush: true, continue: true };
    for (let at = 0; at < 300; at += 1) send(flush);
    const flushes = () => commands.filter(({ type }) => type === 'flush').length;
    expect(flushes()).toBe(256);
    expect(messages).toMatchObject([
      { type: 'error', done: false, error_code: 'text_full', status_code: 503, context_id: 'c' },
    ]);
    event({ type: 'flushed', turn: turns[0]! });
    send(flush, flush, end('c'));
    expect(flushes()).toBe(257);
    expect(orderOf(messages)).toEqual(['error c', 'flush_done c', 'error c']);
    expect(types(commands).at(-1)).toBe('end');
  });

  it('of blank text open nothing', () => {
    const { send, messages, commands } = openCodec();
    send(say('a', ''), say('a', ' \n'));
    expect([commands, messages]).toEqual([[], []]);
  });
});

describe('cartesia codec, a client that gathers sentences itself', () => {
  const unbuffered = { max_buffer_delay_ms: 0 };

  it('has its first one spoken without waiting for the next, and hears nothing of that flush', () => {
    const { send, event, messages, commands, turns } = openCodec();
    send(
      say('c', 'Good morning! ', unbuffered),
      say('c', 'Two. ', unbuffered),
      say('c', '', { flush: true }),
    );
    expect(types(commands)).toEqual(['append', 'flush', 'append', 'flush']);
    event({ type: 'flushed', turn: turns[0]! });
    expect(messages).toEqual([]);
    event({ type: 'flushed', turn: turns[0]! });
    expect(messages).toMatchObject([{ type: 'flush_done', flush_done: true, flush_id: 1 }]);
  });

  it('has it only where a sentence ends, and where nothing else ends it', () => {
    const { send, commands } = openCodec();
    send(say('a', 'Good morn', unbuffered), say('b', 'Good morning.', { max_buffer_delay_ms: 3000 }));
    send(say('d', 'Good morning.', { ...unbuffered, continue: false }));
    send(say('e', 'Good morning.', { ...unbuffered, flush: true }));
    expect(types(commands)).toEqual(['append', 'append', 'append', 'end', 'append', 'flush']);
  });
});
