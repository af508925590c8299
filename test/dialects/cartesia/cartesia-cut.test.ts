// The codec by itself: contexts that are cancelled or break, what becomes of their ids, and those that wait.

import { describe, expect, it } from 'vitest';
import type { ClientCommand } from '../../../src/dialects/native-messages.ts';
import { ended, failure, heard, started } from '../../support/session-events.ts';
import { end, isKeepAlive, isTerminal, openCodec, orderOf, say } from '../cartesia-fixture.ts';

const types = (commands: readonly ClientCommand[]) => commands.map(({ type }) => type);

describe('cartesia codec, cancel', () => {
  it('answers once with what was heard, and lets nothing follow', () => {
    const { send, event, sound, messages, turns } = openCodec((command) =>
      command.type === 'cancel' && command.turn !== undefined
        ? [ended(command.turn, 0, 'cancelled'), heard(command.turn, 420, 'One', 'two.')]
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
      command.type === 'cancel' && command.turn !== undefined ? [ended(command.turn, 0, 'cancelled')] : [],
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
      command.type === 'cancel' && command.turn !== undefined ? [ended(command.turn, 0, 'cancelled')] : [],
    );
    opened.send(first);
    if (how === 'is cancelled') opened.send({ context_id: 'c', cancel: true });
    else {
      opened.event(failure('upstream_rate_limited', 'turn-1'));
      opened.event(ended('turn-1', 0, 'failed'));
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
        ? [failure('busy', command.turn), ended(command.turn, 0, 'failed')]
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
    event({ type: 'queued', turn: turns[0]!, reason: 'quota', position: 3, etaMs: 900, atMs: 1200 });
    expect(messages).toEqual([
      {
        type: 'flush_done',
        flush_done: false,
        flush_id: 0,
        done: false,
        status_code: 206,
        context_id: 'c',
        queued: { reason: 'quota', position: 3, eta_ms: 900, at_ms: 1200 },
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
