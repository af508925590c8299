import { describe, expect, it } from 'vitest';
import { audioBytes, codecAlone, DIALOGUE, isFinal, SINGLE } from '../support/elevenlabs-rig.ts';

const say = (context: string, text: string, flush?: true) => ({
  text,
  context_id: context,
  ...(flush !== undefined && { flush }),
});
const close = (context: string) => ({ context_id: context, close_context: true });
const speak = (context: string) => [
  say(context, ' '),
  say(context, 'Hello. '),
  { context_id: context, flush: true },
];

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
    rig.say({ type: 'flushed', turn: 'turn-0' });
    rig.end('turn-0');
    rig.send(close('c'), close('c'));
    expect(rig.order()).toEqual(['quiet c', 'audio c', 'final c']);
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

  it('that fail are told so and are final, with no other harm; the rest of their text is not spoken', () => {
    const rig = codecAlone();
    rig.send(...speak('a'), ...speak('b'));
    rig.say({
      type: 'error',
      code: 'upstream_timeout',
      message: 'Too slow.',
      turn: 'turn-0',
      scope: 'turn',
      retryable: true,
    });
    rig.end('turn-0', 'failed', 0);
    expect(rig.got.map(({ message }) => message)).toEqual([
      { message: 'Too slow.', error: 'upstream_timeout', code: 1011, contextId: 'a' },
      { isFinal: true, contextId: 'a' },
    ]);
    rig.send(say('a', 'More '), close('a'));
    rig.start('turn-1');
    rig.sound('turn-1', 40);
    rig.send(close('b'));
    rig.end('turn-1');
    expect(rig.order().slice(2)).toEqual(['audio b', 'final b']);
    expect(rig.closed).toBeUndefined();
  });

  it('are never final without sound and without an error, whatever the session says', () => {
    for (const [outcome, sentMs] of [
      ['failed', 0],
      ['truncated', 200],
      ['cancelled', 0],
      ['complete', 0],
    ] as const) {
      const rig = codecAlone();
      rig.send(...speak('c'), close('c'));
      rig.end('turn-0', outcome, sentMs);
      expect(rig.order()).toEqual(['error upstream_broken c', 'final c']);
    }
  });

  it('fail whole when a part of their text is refused', () => {
    const refusals: Parameters<typeof codecAlone>[0][] = [{}, { path: DIALOGUE }];
    for (const parts of refusals) {
      const rig = codecAlone(parts);
      const isDialogue = parts?.path === DIALOGUE;
      const text = (said: string) =>
        isDialogue ? { context_id: 'c', inputs: [{ text: said }] } : { context_id: 'c', text: said };
      // As the session does: the answer comes before the command returns.
      const push = rig.commands.push.bind(rig.commands);
      rig.commands.push = (command) => {
        push(command);
        if (command.type === 'append' && command.text === 'too much')
          rig.say({
            type: 'error',
            code: 'text_full',
            message: 'Full.',
            turn: command.turn,
            scope: 'turn',
            retryable: true,
          });
        return 0;
      };
      rig.send(text('Hello. '), text('too much'), text('and on'));
      expect(rig.order()).toEqual(['error text_full c', 'final c']);
      expect(rig.commands.map((command) => command.type)).toEqual(['append', 'append', 'cancel']);
    }
  });

  it('of which a message cannot be read fail whole, too, and a first one is told as well', () => {
    const rig = codecAlone();
    rig.send(say('c', 'Hello. '), { context_id: 'c', text: 7 }, { context_id: 'd', text: ['x'] });
    rig.send({ context_id: 'd', text: ['x'] }, { context_id: 'd', text: 'y' });
    expect(rig.order()).toEqual(['error invalid_request c', 'final c', 'error invalid_request d', 'final d']);
    expect(rig.commands.map((command) => command.type)).toEqual(['append', 'cancel']);
    rig.send({ context_id: 'e', text: 'Hello. ', voice_settings: { speed: 9 } });
    expect(rig.got.slice(-2).map(({ message }) => message)).toEqual([
      expect.objectContaining({ error: 'invalid_request', message: expect.stringContaining('speed') }),
      { isFinal: true, contextId: 'e' },
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

  it('do not hold up those behind them with a turn that has nothing more to say', () => {
    const rig = codecAlone();
    rig.send(say('a', 'One. ', true), say('b', 'Two. '));
    expect(rig.commands.at(-1)).toEqual({ type: 'end', turn: 'turn-0' });
    // Text without a flush may go on, but not for ever.
    rig.send(say('c', 'Three. '));
    expect(rig.commands.at(-1)).toMatchObject({ type: 'append', turn: 'turn-2' });
    rig.codec.tick?.(1000);
    expect(rig.commands.at(-1)).toMatchObject({ type: 'append', turn: 'turn-2' });
    rig.codec.tick?.(2000);
    expect(rig.commands.at(-1)).toEqual({ type: 'end', turn: 'turn-1' });
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

describe('the one context of stream-input', () => {
  it('is opened by its first text, spoken to the empty one, final, and closed', () => {
    const rig = codecAlone({ path: SINGLE });
    rig.send(
      { text: ' ', voice_settings: { speed: 0.9 }, xi_api_key: 'k' },
      { text: 'Hello ', try_trigger_generation: true },
      { text: ' ' },
      { text: 'there. ', flush: true },
      { text: '' },
    );
    expect(rig.commands.map((command) => command.type)).toEqual([
      'append',
      'append',
      'append',
      'flush',
      'end',
    ]);
    expect(rig.commands[0]).toMatchObject({ speed: 0.9, text: 'Hello ' });
    rig.say({ type: 'queued', turn: 'turn-0', reason: 'busy', position: 0, etaMs: 0 });
    // Older clients act on the mere presence of `audio` and `isFinal`.
    expect(rig.got[0]!.message).toEqual({ alignment: null, normalizedAlignment: null });
    rig.start('turn-0');
    rig.sound('turn-0', 40);
    expect(rig.got[1]!.message).toMatchObject({ isFinal: null, alignment: null });
    expect(audioBytes(rig.got[1]!.message)).toHaveLength(640);
    rig.end('turn-0');
    expect(rig.got.at(-1)!.message).toEqual({ audio: null, isFinal: true });
    expect(rig.closed).toEqual({ code: 1000, reason: '' });
    const before = rig.commands.length;
    rig.send({ text: 'More. ' });
    expect([rig.commands.length, rig.got.length]).toEqual([before, 3]);
  });

  it('that had nothing to say is final and closed at once', () => {
    for (const messages of [[{ text: '' }], [{ text: ' ' }, { text: '' }]]) {
      const rig = codecAlone({ path: SINGLE });
      rig.send(...messages);
      expect([rig.order(), rig.closed?.code, rig.commands]).toEqual([['final'], 1000, []]);
    }
  });

  it('that fails takes the socket along, with the code of why', () => {
    const rig = codecAlone({ path: SINGLE });
    rig.send({ text: 'Hello. ' }, { text: '' });
    rig.say({
      type: 'error',
      code: 'upstream_unreachable',
      message: 'Gone.',
      turn: 'turn-0',
      scope: 'turn',
      retryable: true,
    });
    rig.end('turn-0', 'failed', 0);
    expect(rig.got.map(({ message }) => message)).toEqual([
      { message: 'Gone.', error: 'upstream_unreachable', code: 1011 },
      { audio: null, isFinal: true },
    ]);
    expect(rig.closed).toEqual({ code: 1011, reason: 'upstream_unreachable' });
  });

  it('is not spoken on with a hole where a message could not be read', () => {
    for (const unreadable of ['{"text":"two ', '"two "', '["two "]', '{"text":2}']) {
      const rig = codecAlone({ path: SINGLE });
      rig.send({ text: 'One ' }, unreadable, { text: 'three. ' }, { text: '' });
      const spoken = rig.commands.flatMap((command) => (command.type === 'append' ? [command.text] : []));
      expect([unreadable, spoken]).toEqual([unreadable, ['One ']]);
      expect(rig.commands.at(-1)).toEqual({ type: 'cancel', turn: 'turn-0' });
      expect(rig.order()).toEqual([expect.stringMatching(/^error invalid_/), 'final']);
      expect(rig.closed?.code).toBe(1008);
    }
  });
});

describe('contexts of a dialogue', () => {
  const open = (...voices: string[]) => ({ context_id: 'c', voices, voice_settings: { stability: 0.5 } });
  const line = (voice: string | undefined, text: string, isNew = false) => ({
    context_id: 'c',
    inputs: [{ text, ...(voice !== undefined && { voice_id: voice }), new_turn: isNew }],
  });
  const flush = { context_id: 'c', flush: true };

  it('speak with one voice as a text, and with two as speakers 1 and 2', () => {
    const one = codecAlone({ path: DIALOGUE });
    one.send(open('v1'), line('v1', 'Hi. ', true), line('v1', 'More. '), flush);
    expect(one.commands).toEqual([
      { type: 'append', turn: 'turn-0', text: 'Hi. ', voice: 'v1' },
      { type: 'append', turn: 'turn-0', text: 'More. ' },
      { type: 'flush', turn: 'turn-0' },
    ]);
    const two = codecAlone({ path: DIALOGUE });
    two.send(open('v1', 'v2'), {
      context_id: 'c',
      inputs: [{ text: 'Who? ', voice_id: 'v2' }, { text: 'Me. ', voice_id: 'v1' }, { text: 'And I. ' }],
    });
    expect(two.commands).toEqual([
      { type: 'append', turn: 'turn-0', text: 'Who? ', speaker: 2, voice: 'v1', voice2: 'v2' },
      { type: 'append', turn: 'turn-0', text: 'Me. ', speaker: 1 },
      { type: 'append', turn: 'turn-0', text: 'And I. ', speaker: 1 },
    ]);
  });

  it('learn a second voice as it comes, in a turn that knows both', () => {
    const rig = codecAlone({ path: DIALOGUE });
    rig.send(line('v1', 'One. '), line('v2', 'Two. '), flush, close('c'));
    expect(rig.commands).toEqual([
      { type: 'append', turn: 'turn-0', text: 'One. ', voice: 'v1' },
      { type: 'end', turn: 'turn-0' },
      { type: 'append', turn: 'turn-1', text: 'Two. ', speaker: 2, voice: 'v1', voice2: 'v2' },
      { type: 'flush', turn: 'turn-1' },
      { type: 'end', turn: 'turn-1' },
    ]);
    rig.end('turn-0');
    rig.say({ type: 'flushed', turn: 'turn-1' });
    rig.end('turn-1');
    expect(rig.order()).toEqual(['flushed c', 'final c']);
  });

  it('refuse a third voice for themselves alone', () => {
    const rig = codecAlone({ path: DIALOGUE });
    rig.send(open('v1', 'v2'), line('v1', 'One. '), line('v3', 'Three. '), line('v1', 'More. '));
    const error = { error: 'too_many_voices', code: 1008, context_id: 'c' };
    expect(rig.got.map(({ message }) => message)).toEqual([
      expect.objectContaining(error),
      { is_final: true, context_id: 'c' },
    ]);
    expect(rig.commands.map((command) => command.type)).toEqual(['append', 'cancel']);
    const listed = codecAlone({ path: DIALOGUE });
    listed.send(open('v1', 'v2', 'v3'), line('v1', 'One. '));
    expect([listed.order(), listed.commands, listed.closed]).toEqual([
      ['error too_many_voices c', 'final c'],
      [],
      undefined,
    ]);
  });

  it('are told of each flush once, behind its audio, and of an empty one at once', () => {
    const rig = codecAlone({ path: DIALOGUE });
    rig.send(open('v1'), flush);
    expect(rig.order()).toEqual(['flushed c']);
    expect(rig.got[0]!.message).toEqual({ is_final_audio_for_turn: true, context_id: 'c' });
    rig.send(line('v1', 'One. '), flush, flush, line('v1', 'Two. '), close('c'));
    rig.send({ context_id: 'd', voices: ['v1'] }, { ...line('v1', 'Next. '), context_id: 'd' });
    rig.send({ context_id: 'd', flush: true });
    expect(rig.commands.filter((command) => command.type === 'flush')).toHaveLength(3);
    // The first one was cut off with text that was not flushed.
    expect(rig.order()).toEqual(['flushed c', 'final c']);
    rig.start('turn-1');
    rig.sound('turn-1', 40);
    expect(rig.got.at(-1)!.message).toEqual({ audio: expect.any(String), alignment: null, context_id: 'd' });
    rig.say({ type: 'flushed', turn: 'turn-1' });
    expect(rig.order().slice(-2)).toEqual(['audio d', 'flushed d']);
  });

  it('are told of a flush behind the end of a turn when that has been heard', () => {
    const rig = codecAlone({ path: DIALOGUE });
    rig.send(line('v1', 'One. '), { ...line('v1', 'Two. '), context_id: 'd' });
    rig.codec.tick?.(1000);
    rig.codec.tick?.(2000);
    expect(rig.commands.at(-1)).toEqual({ type: 'end', turn: 'turn-0' });
    rig.send(flush);
    expect(rig.order()).toEqual([]);
    rig.end('turn-0');
    expect(rig.order()).toEqual(['flushed c']);
  });

  it('are kept by keep_alive, and not opened by it', () => {
    const rig = codecAlone({ path: DIALOGUE });
    rig.send({ context_id: 'other', keep_alive: true });
    rig.send({ context_id: '_keepalive', voices: ['v1'] });
    for (let s = 1; s <= 60; s += 1) {
      rig.codec.tick?.(s * 1000);
      if (s % 10 === 0) rig.send({ context_id: '_keepalive', keep_alive: true });
    }
    expect([rig.got, rig.commands]).toEqual([[], []]);
    for (let s = 61; s <= 82; s += 1) rig.codec.tick?.(s * 1000);
    expect(rig.order()).toEqual(['final _keepalive']);
  });

  it('part the words of one voice that begins anew', () => {
    const rig = codecAlone({ path: DIALOGUE });
    rig.send(line('v1', 'One.', true), line('v1', 'Two. ', true), line('v1', 'Three.', true));
    expect(rig.commands.map((command) => (command.type === 'append' ? command.text : ''))).toEqual([
      'One.',
      '\nTwo. ',
      'Three.',
    ]);
  });
});
