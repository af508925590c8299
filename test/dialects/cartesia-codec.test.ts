import { describe, expect, it } from 'vitest';
import type { ServerEvent } from '../../src/dialects/native-events.ts';
import type { ClientCommand } from '../../src/dialects/native-messages.ts';
import { end, isKeepAlive, isTerminal, openCodec, orderOf, say, soundOf } from './cartesia-fixture.ts';

const started = (turn: string): ServerEvent => ({
  type: 'started',
  turn,
  format: 'raw',
  sampleRate: 16_000,
  seed: 1,
  timings: { queueMs: 0, upstreamTtfbMs: 0, firstAudioMs: 0 },
});
const ended = (turn: string, outcome: 'complete' | 'cancelled' | 'truncated' | 'failed' = 'complete') =>
  ({ type: 'ended', turn, outcome, audioMs: 0, sentMs: 0, requests: 1, resumes: 0, cached: false }) as const;
const heard = (turn: string, spokenText = '', remainingText = ''): ServerEvent => ({
  type: 'heard',
  turn,
  playedMs: 420,
  playedBy: 'clock',
  spokenText,
  remainingText,
});
const failed = (turn: string | undefined, code: string, retryable = false): ServerEvent => ({
  type: 'error',
  code,
  message: 'It went wrong.',
  ...(turn !== undefined && { turn }),
  scope: turn === undefined ? 'session' : 'turn',
  retryable,
});
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

describe('cartesia codec, cancel', () => {
  it('answers once with what was heard, and lets nothing follow', () => {
    const { send, event, sound, messages, turns } = openCodec((command) =>
      command.type === 'cancel' && command.turn !== undefined
        ? [ended(command.turn, 'cancelled'), heard(command.turn, 'One', 'two.')]
        : [],
    );
    send(say('c', 'One two.'));
    const turn = turns[0]!;
    event(started(turn));
    sound(turn, 1, 2);
    send({ context_id: 'c', cancel: true });
    sound(turn, 3, 4);
    event({ type: 'flushed', turn });
    event(ended(turn));
    send({ context_id: 'c', cancel: true }, say('c', ' three.'), end('c'), say('c', '', { flush: true }));
    expect(messages.filter(isTerminal)).toHaveLength(1);
    expect(messages.at(-1)).toEqual({
      type: 'done',
      done: true,
      status_code: 200,
      context_id: 'c',
      cancelled: true,
      audio_played_ms: 420,
      text_spoken: 'One',
      text_remaining: 'two.',
    });
    expect(orderOf(messages)).toEqual(['chunk c', 'done c']);
  });

  it('of what has not begun says that nothing was heard', () => {
    const { send, messages } = openCodec((command) =>
      command.type === 'cancel' && command.turn !== undefined ? [ended(command.turn, 'cancelled')] : [],
    );
    send(say('c', 'One.'), { context_id: 'c', cancel: true });
    expect(messages).toMatchObject([{ type: 'done', cancelled: true, audio_played_ms: 0, text_spoken: '' }]);
    expect(messages[0]).not.toHaveProperty('text_remaining');
  });

  it('takes the client’s word for what was played, and cancels without it when it is none', () => {
    const { send, commands } = openCodec();
    send(say('a', 'One.'), { context_id: 'a', cancel: true, played_ms: 250.5 });
    send(say('b', 'One.'), { context_id: 'b', cancel: true, played_ms: -1, transcript: 'x', voice: 7 });
    expect(commands.filter(({ type }) => type === 'cancel')).toEqual([
      { type: 'cancel', turn: 'turn-1', playedMs: 250.5 },
      { type: 'cancel', turn: 'turn-2' },
    ]);
  });

  it('of an unknown context leaves no trace', () => {
    const { send, messages, commands } = openCodec();
    send({ context_id: 'never', cancel: true });
    expect([messages, commands]).toEqual([[], []]);
    send(say('never', 'One.'));
    expect(types(commands)).toEqual(['append']);
  });

  it('of a context that is done and still being heard reaches the session, and is not answered', () => {
    const { send, event, messages, commands, turns } = openCodec();
    send(say('c', 'One.', { continue: false }));
    event(started(turns[0]!));
    event(ended(turns[0]!));
    send({ context_id: 'c', cancel: true }, { context_id: 'c', cancel: true });
    expect(orderOf(messages)).toEqual(['done c']);
    expect(commands.slice(-1)).toEqual([{ type: 'cancel', turn: turns[0] }]);
    expect(types(commands).filter((type) => type === 'cancel')).toHaveLength(1);
  });
});

describe('cartesia codec, ends', () => {
  it('lets an id be used again when its context is done, and keeps the two apart', () => {
    const { send, event, sound, messages, turns } = openCodec();
    send(say('c', 'One.', { continue: false }));
    event(started(turns[0]!));
    event(ended(turns[0]!));
    send(say('c', 'Two.', { continue: false }));
    expect(turns).toHaveLength(2);
    event(heard(turns[0]!, 'One.'));
    sound(turns[0]!, 9, 9);
    sound(turns[1]!, 1, 2);
    event(ended(turns[1]!));
    expect(orderOf(messages)).toEqual(['done c', 'chunk c', 'done c']);
    expect(soundOf(messages, 'c')).toEqual(Buffer.from([1, 2]));
  });

  it('forgets ids that were over long ago', () => {
    const { send, messages } = openCodec();
    send(end('first'), end('first'));
    expect(orderOf(messages)).toEqual(['done first']);
    for (let at = 0; at < 256; at += 1) send(end(`c${at}`));
    const before = messages.length;
    send(end('c0'), end('first'));
    expect(orderOf(messages.slice(before))).toEqual(['done first']);
  });

  it('tells overload as 5xx and a bad request as 4xx, in both shapes', () => {
    const statuses: Record<string, number> = {};
    for (const [code, retryable] of [
      ['upstream_rate_limited', true],
      ['upstream_timeout', true],
      ['upstream_unreachable', true],
      ['upstream_rejected', false],
      ['text_full', true],
      ['busy', true],
      ['shutting_down', true],
      ['text_too_long', false],
      ['invalid_request', false],
      ['something_new', false],
    ] as const) {
      const { send, event, messages, turns } = openCodec();
      send(say('c', 'One.'));
      event({ ...failed(turns[0]!, code, retryable), retryAfterMs: 700 } as ServerEvent);
      event(ended(turns[0]!, 'failed'));
      send(say('c', ' Two.'), end('c'));
      expect(messages).toHaveLength(1);
      expect(messages[0]).toMatchObject({
        type: 'error',
        done: true,
        error: 'It went wrong.',
        message: 'It went wrong.',
        error_code: code,
        request_id: 'session-1',
        context_id: 'c',
        retryable,
        retry_after_ms: 700,
      });
      statuses[code] = messages[0]!.status_code;
    }
    expect(statuses).toEqual({
      upstream_rate_limited: 503,
      upstream_timeout: 504,
      upstream_unreachable: 502,
      upstream_rejected: 422,
      text_full: 503,
      busy: 503,
      shutting_down: 503,
      text_too_long: 413,
      invalid_request: 400,
      something_new: 500,
    });
  });

  it('tells a context too many in Cartesia’s words, retryable', () => {
    const { send, messages } = openCodec((command) =>
      command.type === 'append' ? [failed(command.turn, 'busy', true), ended(command.turn, 'failed')] : [],
    );
    send(say('c', 'One.', { continue: false }));
    expect(messages).toMatchObject([
      {
        type: 'error',
        error_code: 'concurrency_limited',
        title: 'Too many concurrent requests',
        status_code: 503,
      },
    ]);
  });

  it('takes the turn along when text of it was refused', () => {
    const { send, messages, commands } = openCodec((command) =>
      command.type === 'append' && command.text === ' Two.' ? [failed(command.turn, 'text_full', true)] : [],
    );
    send(say('c', 'One.'), say('c', ' Two.', { flush: true, continue: false }));
    expect(orderOf(messages)).toEqual(['error c']);
    expect(types(commands)).toEqual(['append', 'append', 'cancel']);
    expect(commands.at(-1)).toEqual({ type: 'cancel', turn: 'turn-1' });
  });

  it('does not call speech that broke off done', () => {
    const { send, event, messages, turns } = openCodec();
    send(say('a', 'One.'), say('b', 'Two.'));
    event(started(turns[0]!));
    event(failed(turns[0]!, 'upstream_broken', true));
    event(ended(turns[0]!, 'truncated'));
    event(heard(turns[0]!));
    event(ended(turns[1]!, 'truncated'));
    expect(orderOf(messages)).toEqual(['error a', 'error b']);
    expect(messages.every(({ status_code }) => status_code >= 500)).toBe(true);
  });

  it('fails what is open when the whole session fails, and is silent when nothing is', () => {
    const { send, event, messages, turns } = openCodec();
    send(say('a', 'One.'), say('b', 'Two.', { continue: false }), say('d', 'Three.'));
    event(ended(turns[2]!));
    event(failed(undefined, 'rate_limited', true));
    expect(orderOf(messages)).toEqual(['done d', 'error a', 'error b']);
    expect(messages.slice(1).every(({ status_code }) => status_code === 503)).toBe(true);
    event(failed(undefined, 'idle_timeout', true));
    expect(messages).toHaveLength(3);
  });

  it('ends nothing by an error that is nobody’s', () => {
    const { send, event, codec, messages } = openCodec();
    send(say('a', 'One.'));
    event(failed(undefined, 'unexpected_binary'));
    codec.receive('{');
    codec.receive('[]');
    send({ transcript: 'x', context_id: 7 }, { context_id: 'a', transcript: 7 });
    expect(messages.map(({ context_id, done, error_code }) => [context_id, done, error_code])).toEqual([
      ['', false, 'unexpected_binary'],
      ['', false, 'invalid_json'],
      ['', false, 'invalid_request'],
      ['', false, 'invalid_request'],
      ['a', false, 'invalid_request'],
    ]);
  });

  it('ends a context that cannot begin, of which nothing is kept', () => {
    const { send, messages, commands } = openCodec();
    send(
      say('a', 'One.', { language: 'fi' }),
      { context_id: 'b' },
      { context_id: 'd', transcript: 'x', continue: 'no' },
    );
    expect(
      messages.map(({ type, context_id, done, status_code }) => [type, context_id, done, status_code]),
    ).toEqual([
      ['error', 'a', true, 400],
      ['error', 'b', true, 400],
      ['error', 'd', true, 400],
    ]);
    expect(commands).toEqual([]);
    send(say('a', 'One.'));
    expect(types(commands)).toEqual(['append']);
  });

  it('ends a context that cannot begin once, and drops the rest of its text', () => {
    const { send, codec, messages, commands } = openCodec();
    send(say('a', 'One ', { language: 'fi' }), say('a', 'two.', { language: 'fi' }), end('a'));
    send({ context_id: 'b', transcript: 7, continue: true }, say('b', 'two.'));
    send({ context_id: 'b', transcript: 7, continue: true }, end('b'));
    codec.receive('{"context_id":"b","transcript":"x","continue":fals');
    expect(
      messages.filter(isTerminal).map(({ context_id, status_code }) => [context_id, status_code]),
    ).toEqual([
      ['a', 400],
      ['b', 400],
    ]);
    expect(commands).toEqual([]);
  });

  it('answers every whole request under one id, however the one before ended', () => {
    const { send, messages } = openCodec();
    const whole = { context_id: 'a', transcript: 'One.', continue: false };
    send(whole, whole, { context_id: 'a' }, { context_id: 'a', transcript: 7, continue: false });
    expect(orderOf(messages)).toEqual(['error a', 'error a', 'error a', 'error a']);
  });

  it('has no word for turns that are not its own', () => {
    const { event, sound, messages } = openCodec();
    event(started('greeting'));
    sound('greeting', 1, 2);
    event(failed('greeting', 'upstream_broken'));
    event(ended('greeting'));
    event(heard('greeting'));
    event({ type: 'goaway', deadlineMs: 5 });
    expect(messages).toEqual([]);
  });
});

describe('cartesia codec, an id whose context broke', () => {
  const whole = (transcript: string) => {
    const { continue: _goesOn, ...message } = say('c', transcript);
    return message;
  };
  const textsOf = (commands: readonly ClientCommand[]) =>
    commands.flatMap((command) => (command.type === 'append' ? [command.text] : []));
  /** A context that fails or is cancelled while its text is coming, or when all of it has come. */
  const broken = (how: 'fails' | 'is cancelled', first: object) => {
    const opened = openCodec((command) =>
      command.type === 'cancel' && command.turn !== undefined ? [ended(command.turn, 'cancelled')] : [],
    );
    opened.send(first);
    if (how === 'is cancelled') opened.send({ context_id: 'c', cancel: true });
    else {
      opened.event(failed('turn-1', 'upstream_rate_limited', true));
      opened.event(ended('turn-1', 'failed'));
    }
    return opened;
  };

  for (const how of ['fails', 'is cancelled'] as const) {
    it(`is free at once when all of its text had come: ${how}`, () => {
      for (const first of [say('c', 'One.', { continue: false }), whole('One.')]) {
        const { send, commands } = broken(how, first);
        send(say('c', 'Another.'));
        expect(textsOf(commands)).toEqual(['One.', 'Another.']);
      }
    });

    it(`is free when its text has ended, and the last of that is dropped: ${how}`, () => {
      const { send, commands, messages } = broken(how, say('c', 'One '));
      send(say('c', 'two '), say('c', 'three.', { continue: false }));
      expect(textsOf(commands)).toEqual(['One ']);
      send(say('c', 'Another '), say('c', 'text.'), end('c'));
      expect(textsOf(commands)).toEqual(['One ', 'Another ', 'text.']);
      expect(messages.filter(isTerminal)).toHaveLength(1);
    });

    it(`is free to a message that is a whole request, and to one that begins the same again: ${how}`, () => {
      for (const again of [whole('Another.'), say('c', 'One ')]) {
        const { send, commands } = broken(how, say('c', 'One '));
        send(say('c', 'two '), again);
        expect(textsOf(commands)).toEqual(['One ', again.transcript]);
      }
    });

    it(`is free when nothing has come under it for two seconds: ${how}`, () => {
      const { send, codec, commands } = broken(how, say('c', 'One '));
      codec.tick?.(0);
      codec.tick?.(1000);
      send(say('c', 'two '));
      codec.tick?.(2000);
      codec.tick?.(3000);
      send(say('c', 'three '));
      expect(textsOf(commands)).toEqual(['One ']);
      for (const second of [4, 5, 6]) codec.tick?.(second * 1000);
      send(say('c', 'Another '));
      expect(textsOf(commands)).toEqual(['One ', 'Another ']);
    });
  }

  it('is free at once after a whole request was refused as it came', () => {
    let places = 0;
    const { send, commands, messages } = openCodec((command) =>
      command.type === 'append' && places++ === 0
        ? [failed(command.turn, 'busy', true), ended(command.turn, 'failed')]
        : [],
    );
    const request = say('c', 'One.', { continue: false });
    send(request, request);
    expect(orderOf(messages)).toEqual(['error c']);
    expect(types(commands).slice(-2)).toEqual(['append', 'end']);
  });
});

describe('cartesia codec, keep-alives', () => {
  it('tell how a context waits', () => {
    const { send, event, messages, turns } = openCodec();
    send(say('c', 'One.'));
    event({ type: 'queued', turn: turns[0]!, reason: 'quota', position: 3, etaMs: 900 });
    expect(messages).toEqual([
      {
        type: 'flush_done',
        flush_done: false,
        flush_id: 0,
        done: false,
        status_code: 206,
        context_id: 'c',
        queued: { reason: 'quota', position: 3, eta_ms: 900 },
      },
    ]);
  });

  it('come within three seconds of silence, for what is open only', () => {
    const { send, codec, sound, event, messages, turns } = openCodec();
    codec.tick?.(0);
    send(say('c', 'One.'));
    const seconds = (from: number, to: number) => {
      const before = messages.length;
      for (let at = from; at <= to; at += 1) codec.tick?.(at * 1000);
      return messages.slice(before).filter(isKeepAlive).length;
    };
    expect(seconds(1, 2)).toBe(0);
    expect(seconds(3, 12)).toBe(5);
    sound(turns[0]!, 1, 2);
    expect(seconds(13, 14)).toBe(0);
    expect(seconds(15, 15)).toBe(1);
    event(ended(turns[0]!));
    expect(seconds(16, 30)).toBe(0);
  });
});
