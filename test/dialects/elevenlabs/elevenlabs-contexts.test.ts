// The contexts of multi-stream-input by the codec alone.

import { describe, expect, it } from 'vitest';
import { close, codecAlone, isFinal, say, speak } from '../../support/elevenlabs-rig.ts';

describe('contexts of ElevenLabs clients', () => {
  it('become native turns: text is appended, flushed, ended', () => {
    const rig = codecAlone();
    rig.send(
      { text: ' ', context_id: 'c', voice_settings: { speed: 1.1, stability: 0.5 }, generation_config: {} },
      say('c', 'Hello '),
      say('c', ' '),
      say('c', 'you. ', true),
      { text: '', context_id: 'c', flush: true },
      close('c'),
    );
    const turn = 'turn-0';
    expect(rig.commands).toEqual([
      { type: 'append', turn, text: 'Hello ', speed: 1.1 },
      { type: 'append', turn, text: ' ' },
      { type: 'append', turn, text: 'you. ' },
      { type: 'flush', turn },
      { type: 'end', turn },
    ]);
    expect(rig.got).toEqual([]);
    rig.start(turn);
    rig.sound(turn, 80);
    rig.end(turn);
    expect(rig.order()).toEqual(['audio c', 'final c']);
    expect(rig.audioOf('c')).toHaveLength(1280);
    expect(rig.got[0]!.message).toMatchObject({ alignment: null, normalizedAlignment: null, contextId: 'c' });
    expect(rig.got.at(-1)!.message).toEqual({ isFinal: true, contextId: 'c' });
  });

  it('may be named either way, or not at all, by any string of up to 256 characters', () => {
    const rig = codecAlone();
    const odd = '"\n\u2028 ünï😀';
    for (const message of [
      { text: 'One. ', contextId: odd },
      { text: 'One. ', context_id: 'x'.repeat(256) },
      { text: 'One. ' },
      { text: 'Two. ', context_id: null },
      { text: 'Three. ', context_id: '' },
    ])
      rig.send(message);
    expect(rig.commands.map((command) => ('turn' in command ? command.turn : ''))).toEqual([
      'turn-0',
      'turn-1',
      'turn-2',
      'turn-2',
      'turn-2',
    ]);
    rig.start('turn-0');
    rig.sound('turn-0', 40);
    rig.start('turn-2');
    rig.sound('turn-2', 40);
    expect(rig.got.map(({ message }) => message.contextId)).toEqual([odd, 'default']);
    rig.send({ text: 'One. ', context_id: 'x'.repeat(257) }, { text: 'One. ', context_id: 7 });
    expect(rig.order().slice(-2)).toEqual(['error invalid_request', 'error invalid_request']);
    expect(rig.commands).toHaveLength(5);
  });

  it('are not opened by keep-alives, flushes or closes; a close is answered once', () => {
    for (const message of [
      { text: '' },
      { text: '', context_id: 'c' },
      { context_id: 'c', flush: true },
      {},
    ]) {
      const rig = codecAlone();
      rig.send(message, message);
      expect([message, rig.commands, rig.got, rig.closed]).toEqual([message, [], [], undefined]);
      // None of them took one of the five places.
      for (let n = 0; n < 5; n += 1) rig.send(say(`c${n}`, 'Hello. '));
      expect(rig.got).toEqual([]);
    }
    const rig = codecAlone();
    rig.send(close('c'), close('c'), close('d'));
    expect(rig.order()).toEqual(['final c', 'final d']);
    expect(rig.commands).toEqual([]);
  });

  it('with nothing but blanks are final at once, and no turn', () => {
    const rig = codecAlone();
    rig.send(say('c', ' '), say('c', '\n '), { context_id: 'c', flush: true }, close('c'));
    expect(rig.order()).toEqual(['final c']);
    expect(rig.commands).toEqual([]);
  });

  it('that are closed are final behind all audio of what was flushed, once', () => {
    const rig = codecAlone();
    rig.send(...speak('c'), close('c'));
    expect(rig.order()).toEqual([]);
    rig.say({ type: 'queued', turn: 'turn-0', reason: 'quota', position: 1, etaMs: 5000 });
    rig.start('turn-0');
    rig.sound('turn-0', 400);
    expect(rig.order()).toEqual(['quiet c', 'audio c']);
    rig.say({ type: 'queued', turn: 'turn-0', reason: 'quota', position: 1, etaMs: 5000, atMs: 50 });
    expect(rig.order()).toEqual(['quiet c', 'audio c', 'quiet c']);
    rig.say({ type: 'flushed', turn: 'turn-0' });
    rig.end('turn-0');
    rig.send(close('c'), close('c'));
    expect(rig.order()).toEqual(['quiet c', 'audio c', 'quiet c', 'final c']);
    expect(rig.closed).toBeUndefined();
  });

  it('that are closed with text that was not flushed are cut off', () => {
    const rig = codecAlone();
    rig.send(...speak('c'), say('c', 'And more '), close('c'));
    expect(rig.order()).toEqual(['final c']);
    expect(rig.commands.at(-1)).toEqual({ type: 'cancel', turn: 'turn-0' });
    // What the session still says of it is nobody's.
    rig.start('turn-0');
    rig.sound('turn-0', 40);
    rig.end('turn-0', 'cancelled', 40);
    expect(rig.order()).toEqual(['final c']);
  });

  it('are heard to their end when the close comes with their text', () => {
    const rig = codecAlone();
    rig.send({ text: 'Bye. ', context_id: 'c', close_context: true });
    expect(rig.commands.map((command) => command.type)).toEqual(['append', 'end']);
    rig.end('turn-0');
    expect(rig.order()).toEqual(['final c']);
  });

  it('that drain are cut off by a second close', () => {
    const rig = codecAlone();
    rig.send(...speak('c'), close('c'));
    rig.start('turn-0');
    rig.sound('turn-0', 80);
    rig.send(close('c'));
    expect(rig.commands.at(-1)).toEqual({ type: 'cancel', turn: 'turn-0' });
    rig.sound('turn-0', 80, 80);
    rig.end('turn-0', 'cancelled', 80);
    expect(rig.order()).toEqual(['audio c', 'final c']);
    expect(rig.audioOf('c')).toHaveLength(1280);
  });

  it('take no text while they drain, and begin anew when they are final', () => {
    const rig = codecAlone();
    rig.send(...speak('c'), close('c'), say('c', 'Late. ', true));
    rig.end('turn-0');
    rig.send(...speak('c'), close('c'));
    rig.end('turn-1');
    expect(rig.order()).toEqual(['final c', 'final c']);
    expect(rig.commands.filter((command) => command.type === 'append')).toHaveLength(2);
  });

  it('make room for a sixth: the oldest that drains is cut off, and the socket lives', () => {
    const rig = codecAlone();
    for (let n = 0; n < 5; n += 1) rig.send(...speak(`c${n}`));
    rig.send(close('c3'), close('c1'));
    rig.send(say('c5', 'Sixth. '));
    // The one that was opened first of those that are closed.
    expect(rig.order()).toEqual(['final c1']);
    expect(rig.commands.at(-1)).toMatchObject({ type: 'cancel', turn: 'turn-1' });
    rig.send(say('c6', 'Seventh. '));
    expect(rig.order()).toEqual(['final c1', 'final c3']);
    expect(rig.closed).toBeUndefined();
  });

  it('are refused alone when there is no room: an error, final, and not half a sentence later', () => {
    const rig = codecAlone();
    for (let n = 0; n < 5; n += 1) rig.send(say(`c${n}`, 'Hello. '));
    const before = rig.commands.length;
    rig.send(say('late', 'This is '), say('late', 'lost. '));
    expect(rig.got.map(({ message }) => message)).toEqual([
      expect.objectContaining({ error: 'max_active_conversations', code: 1008, contextId: 'late' }),
      { isFinal: true, contextId: 'late' },
    ]);
    rig.send(close('c0'), say('late', 'The rest of it', true));
    expect(rig.commands.slice(before).map((command) => command.type)).toEqual(['cancel']);
    // Its flush was the end of what was lost.
    rig.send(say('late', 'Again. '));
    expect(rig.commands.at(-1)).toMatchObject({ type: 'append', text: 'Again. ' });
    expect([rig.closed, rig.order().filter((name) => name === 'final late')]).toEqual([
      undefined,
      ['final late'],
    ]);
  });

  it('go on in another turn when the session has ended the text of the first', () => {
    const rig = codecAlone({ query: 'sync_alignment=true' });
    rig.send(say('c', 'One. ', true));
    rig.start('turn-0');
    rig.sound('turn-0', 400);
    rig.end('turn-0', 'complete', 400);
    rig.send(say('c', 'Two. ', true));
    rig.start('turn-1');
    const words = [{ text: 'Two.', startMs: 10, endMs: 30, charStart: 0, charEnd: 4 }];
    rig.say({ type: 'caption', turn: 'turn-1', line: 0, words, estimated: true });
    rig.sound('turn-1', 40);
    expect(rig.order()).toEqual(['audio c']);
    // Times are those of the context.
    expect(rig.got.at(-1)!.message.alignment).toMatchObject({ charStartTimesMs: [410, 415, 420, 425, 430] });
    rig.send(close('c'));
    rig.end('turn-1');
    expect(rig.order().at(-1)).toBe('final c');
  });

  it('lose no text when the session has ended a turn that it still plays', () => {
    const rig = codecAlone();
    rig.send(say('c', 'One. '));
    const push = rig.commands.push.bind(rig.commands);
    rig.commands.push = (command) => {
      push(command);
      if (command.type === 'append' && command.turn === 'turn-0')
        rig.say({
          type: 'error',
          code: 'turn_ended',
          message: 'Ended.',
          turn: 'turn-0',
          scope: 'turn',
          retryable: false,
        });
      return 0;
    };
    rig.send(say('c', 'Two. ', true), close('c'));
    expect(rig.commands.slice(1)).toEqual([
      { type: 'append', turn: 'turn-0', text: 'Two. ' },
      { type: 'append', turn: 'turn-1', text: 'Two. ' },
      { type: 'flush', turn: 'turn-1' },
      { type: 'end', turn: 'turn-1' },
    ]);
    rig.end('turn-0');
    expect(rig.order()).toEqual([]);
    rig.end('turn-1');
    expect(rig.order()).toEqual(['final c']);
  });

  it('are played beside each other, the turns of each one behind the other', () => {
    const rig = codecAlone();
    rig.send(say('a', 'One. ', true), say('b', 'Two. '), say('a', 'And one. '));
    rig.send({ text: '', context_id: 'a', flush: true }, say('a', 'One more. '));
    for (let s = 1; s <= 10; s += 1) rig.codec.tick?.(s * 1000);
    expect(rig.commands.map(({ type }) => type)).toEqual([
      'append',
      'flush',
      'append',
      'append',
      'end',
      'append',
    ]);
    expect(rig.queues).toEqual(['turn-0', 'turn-0', 'turn-1', 'turn-0', 'turn-0', 'turn-0']);
  });

  it('end as by a close when nothing is said to them for the time that was asked for', () => {
    const rig = codecAlone({ query: 'inactivity_timeout=7' });
    rig.send(say('a', 'One. ', true), say('b', ' '));
    for (let s = 1; s <= 8; s += 1) {
      rig.codec.tick?.(s * 1000);
      rig.send({ text: '', context_id: 'a' });
    }
    expect(rig.order()).toEqual(['final b']);
    for (let s = 9; s <= 16; s += 1) rig.codec.tick?.(s * 1000);
    expect(rig.commands.at(-1)).toEqual({ type: 'end', turn: 'turn-0' });
    rig.end('turn-0');
    expect(rig.order()).toEqual(['final b', 'final a']);
  });

  it('are ended by close_socket, which closes when the last has been heard', () => {
    const rig = codecAlone();
    rig.send(...speak('a'), close('a'), ...speak('b'), say('c', 'Half'), { close_socket: true });
    expect(rig.order()).toEqual(['final c']);
    rig.end('turn-0');
    expect(rig.closed).toBeUndefined();
    rig.send(...speak('d'));
    rig.end('turn-1');
    expect(rig.order()).toEqual(['final c', 'final a', 'final b']);
    expect(rig.closed).toEqual({ code: 1000, reason: '' });
    const idle = codecAlone();
    idle.send({ close_socket: true });
    expect(idle.closed?.code).toBe(1000);
  });

  it('keep nothing of those that are over', () => {
    const rig = codecAlone();
    for (let n = 0; n < 2000; n += 1) {
      rig.send(...speak(`c${n}`), close(`c${n}`));
      rig.end(`turn-${n}`);
    }
    expect(rig.got.filter(({ message }) => isFinal(message))).toHaveLength(2000);
    // Those of long ago are as unknown as any.
    rig.send(close('c0'), close('c1999'));
    expect(rig.got).toHaveLength(2001);
  });

  it('say what ends the session by the vendor’s codes', () => {
    const rig = codecAlone();
    rig.say({ type: 'error', code: 'idle_timeout', message: 'Quiet.', scope: 'session', retryable: true });
    expect(rig.got[0]!.message).toEqual({ message: 'Quiet.', error: 'idle_timeout', code: 1008 });
    const codeOf = (code: Parameters<NonNullable<typeof rig.codec.closeCode>>[0]) =>
      rig.codec.closeCode?.(code);
    expect([codeOf('idle_timeout'), codeOf('rate_limited'), codeOf('unauthorized')]).toEqual([
      1008, 1008, 1008,
    ]);
    expect([codeOf('internal'), codeOf('shutting_down'), codeOf('busy')]).toEqual([1011, 1011, 1011]);
  });
});
