// The two other front doors by the codec alone: one context, and dialogues.

import { describe, expect, it } from 'vitest';
import { audioBytes, close, codecAlone, DIALOGUE, SINGLE } from '../../support/elevenlabs-rig.ts';

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
    rig.send(line('v1', 'One. '));
    const ended = { code: 'turn_ended', message: 'Ended.', turn: 'turn-0', scope: 'turn' } as const;
    rig.say({ type: 'error', ...ended, retryable: false });
    rig.send(flush);
    expect(rig.commands.map(({ type }) => type)).toEqual(['append']);
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
