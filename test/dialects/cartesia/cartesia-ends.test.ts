// The codec by itself: how a context ends, and that it does so once.

import { describe, expect, it } from 'vitest';
import type { ClientCommand } from '../../../src/dialects/native-messages.ts';
import { ended, failure, heard, READY, started } from '../../support/session-events.ts';
import { end, isTerminal, openCodec, orderOf, say, soundOf } from '../cartesia-fixture.ts';

const types = (commands: readonly ClientCommand[]) => commands.map(({ type }) => type);

describe('cartesia codec, ends', () => {
  it('lets an id be used again when its context is done, and keeps the two apart', () => {
    const { send, event, sound, messages, turns } = openCodec();
    send(say('c', 'One.', { continue: false }));
    event(started(turns[0]!));
    event(ended(turns[0]!));
    send(say('c', 'Two.', { continue: false }));
    expect(turns).toHaveLength(2);
    event(heard(turns[0]!, 420, 'One.'));
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
      event({
        ...failure(code, turns[0]!, retryable ? 'retryable' : 'in vain'),
        retryAfterMs: 700,
      });
      event(ended(turns[0]!, 0, 'failed'));
      send(say('c', ' Two.'), end('c'));
      expect(messages).toHaveLength(1);
      expect(messages[0]).toMatchObject({
        type: 'error',
        done: true,
        error: `It failed: ${code}.`,
        message: `It failed: ${code}.`,
        error_code: code,
        request_id: READY.session,
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
    const { send, event, messages } = openCodec((command) =>
      command.type === 'append' && command.text === 'Two.'
        ? [failure('busy', command.turn), ended(command.turn, 0, 'failed')]
        : [],
    );
    event({ ...READY, limits: { ...READY.limits, turnsInFlight: 1 } });
    send(say('b', 'One.', { continue: false }), say('c', 'Two.', { continue: false }));
    expect(messages).toMatchObject([
      {
        type: 'error',
        error_code: 'concurrency_limited',
        title: 'Too many concurrent requests',
        status_code: 503,
      },
    ]);
  });

  it('does not tell whoever has one context that he has too many: the gateway is busy', () => {
    const { send, event, messages } = openCodec((command) =>
      command.type === 'append' ? [failure('busy', command.turn), ended(command.turn, 0, 'failed')] : [],
    );
    event({ ...READY, limits: { ...READY.limits, turnsInFlight: 1 } });
    send(say('c', 'One.', { continue: false }));
    expect(messages).toMatchObject([{ type: 'error', error_code: 'busy', status_code: 503, done: true }]);
  });

  it('takes the turn along when text of it was refused', () => {
    const { send, messages, commands } = openCodec((command) =>
      command.type === 'append' && command.text === ' Two.' ? [failure('text_full', command.turn)] : [],
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
    event(failure('upstream_broken', turns[0]!));
    event(ended(turns[0]!, 0, 'truncated'));
    event(heard(turns[0]!, 420));
    event(ended(turns[1]!, 0, 'truncated'));
    expect(orderOf(messages)).toEqual(['error a', 'error b']);
    expect(messages.every(({ status_code }) => status_code >= 500)).toBe(true);
  });

  it('fails what is open when the whole session fails, and is silent when nothing is', () => {
    const { send, event, messages, turns } = openCodec();
    send(say('a', 'One.'), say('b', 'Two.', { continue: false }), say('d', 'Three.'));
    event(ended(turns[2]!));
    event(failure('rate_limited'));
    expect(orderOf(messages)).toEqual(['done d', 'error a', 'error b']);
    expect(messages.slice(1).every(({ status_code }) => status_code === 503)).toBe(true);
    event(failure('idle_timeout'));
    expect(messages).toHaveLength(3);
  });

  it('ends nothing by an error that is nobody’s', () => {
    const { send, event, codec, messages } = openCodec();
    send(say('a', 'One.'));
    event(failure('unexpected_binary', undefined, 'in vain'));
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
    event(failure('upstream_broken', 'greeting'));
    event(ended('greeting'));
    event(heard('greeting', 420));
    event({ type: 'goaway', deadlineMs: 5 });
    expect(messages).toEqual([]);
  });
});
