// The codec of /v1/speak by itself: every rule of the protocol, against a session that says what the test says.
import { describe, expect, it } from 'vitest';
import { ended, failure, heard, READY, started } from '../../support/session-events.ts';
import { CLEAR, CLOSE, commandsOf, FLUSH, pureRig, queued, speak } from '../deepgram-rig.ts';

describe('/v1/speak', () => {
  it('says Metadata at once', () => {
    expect(pureRig('v1', 'model=anna').messages()).toEqual([
      {
        type: 'Metadata',
        request_id: '00010203-0405-0607-0809-0a0b0c0d0e0f',
        model_name: 'anna',
        model_version: '1.2.3',
        model_uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/),
      },
    ]);
  });

  it('gives the texts of one speech to one turn as they are, with nothing between them', () => {
    const rig = pureRig('v1');
    rig.send(speak('12345.'), speak('Let us'), speak(' go.'), FLUSH);
    expect(commandsOf(rig)).toEqual([
      'append dg-1 12345.',
      'append dg-1 Let us',
      'append dg-1  go.',
      'end dg-1',
    ]);
  });

  it('answers Flush behind the last audio, and counts', () => {
    const rig = pureRig('v1');
    rig.send(speak('One.'), FLUSH, speak('Two.'), FLUSH);
    rig.say(started('dg-1'));
    rig.audio('dg-1', 4);
    rig.say(ended('dg-1'), started('dg-2'));
    rig.audio('dg-2', 4);
    rig.say(heard('dg-1', 100, 'One.'), ended('dg-2'), heard('dg-2', 100, 'Two.'));
    expect(rig.order()).toEqual(['Metadata', 'audio', 'Flushed', 'audio', 'Flushed']);
    expect(rig.messages('Flushed').map((message) => message.sequence_id)).toEqual([0, 1]);
  });

  it('answers an empty Flush at once, and one behind audio when that has been sent', () => {
    const rig = pureRig('v1');
    rig.send(FLUSH, FLUSH);
    expect(rig.messages('Flushed')).toHaveLength(2);
    rig.send(speak('One.'), FLUSH, FLUSH);
    expect(rig.messages('Flushed')).toHaveLength(2);
    rig.say(started('dg-1'), ended('dg-1'));
    expect(rig.messages('Flushed')).toHaveLength(4);
    expect(commandsOf(rig)).toEqual(['append dg-1 One.', 'end dg-1']);
  });

  it('takes an empty text for none', () => {
    const rig = pureRig('v1');
    rig.send(speak(''), FLUSH);
    expect(rig.order()).toEqual(['Metadata', 'Flushed']);
    expect(rig.commands).toEqual([]);
  });

  it('closes 1000 at once when nothing is left, Flush before it or not', () => {
    for (const messages of [[CLOSE], [FLUSH, CLOSE]]) {
      const rig = pureRig('v1');
      rig.send(...messages);
      expect(rig.closed).toEqual([1000]);
    }
  });

  it('closes behind the speech that is under way, and takes no more', () => {
    const rig = pureRig('v1');
    rig.send(speak('One.'), FLUSH, speak('Two'), CLOSE, speak('Three.'), FLUSH);
    rig.say(started('dg-1'), ended('dg-1'));
    expect(rig.closed).toEqual([]);
    rig.say(started('dg-2'));
    rig.audio('dg-2', 2);
    rig.say(ended('dg-2'));
    // The Flush behind Close stood behind the second speech.
    expect(rig.order()).toEqual(['Metadata', 'Flushed', 'audio', 'Flushed']);
    expect(rig.closed).toEqual([1000]);
    rig.send(speak('Late.'), FLUSH, CLEAR);
    expect(commandsOf(rig)).toEqual(['append dg-1 One.', 'end dg-1', 'append dg-2 Two', 'end dg-2']);
  });

  it('closes at once when what is left is cleared', () => {
    const rig = pureRig('v1');
    rig.send(speak('One.'), FLUSH, CLOSE, CLEAR);
    expect(rig.closed).toEqual([]);
    rig.say(ended('dg-1', 0, 'cancelled'));
    expect([rig.order().at(-1), rig.closed]).toEqual(['Cleared', [1000]]);
  });

  it('names no more turns than the session takes, and the next when one has ended', () => {
    const rig = pureRig('v1');
    for (const text of ['One.', 'Two.', 'Three.', 'Four.', 'Five.']) rig.send(speak(text), FLUSH);
    const named = () => new Set(rig.commands.map((command) => ('turn' in command ? command.turn : ''))).size;
    // Of four places one is kept for a greeting.
    expect(named()).toBe(3);
    rig.say(started('dg-1'), ended('dg-1'));
    expect(named()).toBe(4);
    for (const turn of ['dg-2', 'dg-3', 'dg-4', 'dg-5']) rig.say(started(turn), ended(turn));
    expect(rig.messages('Flushed')).toHaveLength(5);
  });

  it('refuses text beyond what may wait, and goes on with the rest', () => {
    const rig = pureRig('v1');
    for (let n = 0; n < 3; n += 1) rig.send(speak('Named.'), FLUSH);
    rig.send(speak('x'.repeat(900)), FLUSH, speak('y'.repeat(200)), speak('z'), FLUSH);
    expect(rig.messages('Error')).toMatchObject([
      { code: 'BIG-0000', voxgate_code: 'text_full', retryable: true },
    ]);
    expect(rig.messages('Error')[0]!.description).not.toContain('Flush');
    for (let n = 1; n <= 5; n += 1) rig.say(started(`dg-${n}`), ended(`dg-${n}`));
    expect(commandsOf(rig).at(-2)).toBe('append dg-5 z');
    expect(rig.messages('Flushed')).toHaveLength(5);
  });

  it('goes on in another turn when the session has ended one after a long pause', () => {
    const rig = pureRig('v1');
    rig.send(speak('Let me look that up. '));
    rig.say(started('dg-1'), ended('dg-1'));
    expect(rig.messages('Flushed')).toEqual([]);
    rig.send(speak('Here it is.'), FLUSH);
    expect(commandsOf(rig)).toEqual([
      'append dg-1 Let me look that up. ',
      'append dg-2 Here it is.',
      'end dg-2',
    ]);
    rig.say(started('dg-2'), ended('dg-2'));
    expect(rig.messages('Flushed')).toHaveLength(1);
  });

  it('answers the Flush of a speech whose turn has ended already', () => {
    const rig = pureRig('v1');
    rig.send(speak('One.'));
    rig.say(started('dg-1'), ended('dg-1'));
    rig.send(FLUSH);
    expect(rig.messages('Flushed')).toHaveLength(1);
  });

  it('warns while a turn waits for the speech service, and not while it waits for its turn', () => {
    const rig = pureRig('v1');
    rig.send(speak('One.'), FLUSH, speak('Two.'), FLUSH);
    rig.say(
      queued('dg-2', 'previous-turn'),
      queued('dg-1', 'quota'),
      queued('dg-1', 'busy'),
      queued('dg-2', 'quota'),
    );
    const warnings = rig.messages('Warning');
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toMatchObject({
      code: 'SYNTHESIS_RETRYING',
      description: expect.stringContaining('3'),
    });
    expect(warnings[0]!.warn_msg).toBe(warnings[0]!.description);
  });

  it('warns as well when a speech has begun and waits in its middle, and says how much of it is there', () => {
    const rig = pureRig('v1');
    rig.send(speak('One.'), FLUSH);
    rig.say({ ...queued('dg-1', 'quota'), atMs: 12_345 });
    expect(rig.messages('Warning')).toMatchObject([
      {
        code: 'SYNTHESIS_RETRYING',
        description: 'Waiting for the speech service: place 3, about 3 s; 12.3 s of the speech are there.',
      },
    ]);
  });

  it('is never silent for ten seconds while speech is on its way, and silent when nothing is', () => {
    const rig = pureRig('v1');
    const tick = (fromMs: number, toMs: number) => {
      for (let nowMs = fromMs; nowMs < toMs; nowMs += 1000) rig.codec.tick!(nowMs);
    };
    tick(0, 20_000);
    expect(rig.messages('Warning')).toEqual([]);
    rig.send(speak('One.'), FLUSH);
    tick(20_000, 30_000);
    expect(rig.messages('Warning').length).toBeGreaterThanOrEqual(2);
    const before = rig.messages('Warning').length;
    rig.say(started('dg-1'), ended('dg-1'));
    tick(30_000, 50_000);
    expect(rig.messages('Warning')).toHaveLength(before);
  });

  it('tells the failure of a turn in its place, and Flushed behind it', () => {
    const rig = pureRig('v1');
    rig.send(speak('One.'), FLUSH, speak('Two.'), FLUSH);
    rig.say(started('dg-1'));
    rig.say({ ...failure('upstream_rate_limited', 'dg-2'), retryAfterMs: 2000 }, ended('dg-2', 0, 'failed'));
    rig.audio('dg-1', 2);
    rig.say(ended('dg-1'));
    expect(rig.order()).toEqual(['Metadata', 'audio', 'Flushed', 'Error', 'Flushed']);
    expect(rig.messages('Error')[0]).toEqual({
      type: 'Error',
      code: 'NET-0000',
      description: 'It failed: upstream_rate_limited.',
      voxgate_code: 'upstream_rate_limited',
      retryable: true,
      retry_after_ms: 2000,
    });
    expect(rig.closed).toEqual([]);
  });

  it('plays a greeting that nobody flushed, and clears it', () => {
    const rig = pureRig('v1');
    rig.say(started('greeting'));
    rig.audio('greeting', 2);
    rig.send(speak('One.'), FLUSH, CLEAR);
    rig.say(ended('dg-1', 0, 'cancelled'));
    rig.audio('greeting', 2);
    rig.say(ended('greeting', 50, 'cancelled'));
    expect(rig.order()).toEqual(['Metadata', 'audio', 'Cleared']);
  });

  it('tells what ends the session, and closes with a code of the protocol', () => {
    const rig = pureRig('v1');
    rig.say(failure('idle_timeout'), { type: 'goaway', deadlineMs: 1000 });
    expect(rig.messages('Error')).toMatchObject([{ code: 'NET-0004' }]);
    expect(rig.messages('Warning')).toMatchObject([{ code: 'GOING_AWAY' }]);
    expect([rig.codec.closeCode!('idle_timeout'), rig.codec.closeCode!('shutting_down')]).toEqual([
      1011, 1012,
    ]);
  });

  it.each([
    ['half an object', '{', 'MESSAGE-0000', 'invalid_json'],
    ['a list', '[]', 'MESSAGE-0000', 'invalid_json'],
    ['null', 'null', 'MESSAGE-0000', 'invalid_json'],
    ['no type', '{}', 'DATA-0000', 'unknown_type'],
    ['a message of the other version', '{"type":"Interrupt"}', 'DATA-0000', 'unknown_type'],
    ['a name of ours', '{"type":"unreadable","why":"x"}', 'DATA-0000', 'unknown_type'],
    ['Speak without text', '{"type":"Speak"}', 'DATA-0000', 'invalid_request'],
    ['Speak of a number', '{"type":"Speak","text":7}', 'DATA-0000', 'invalid_request'],
    ['a text too long', JSON.stringify(speak('x'.repeat(2001))), 'BIG-0000', 'text_too_long'],
  ])('answers %s with a documented code and goes on', (_name, frame, code, own) => {
    const rig = pureRig('v1');
    rig.codec.receive(frame);
    expect(rig.messages('Error')).toMatchObject([{ code, voxgate_code: own, retryable: false }]);
    rig.say({ ...READY, limits: { ...READY.limits, turnsInFlight: 4, pendingText: 10_000 } });
    rig.send({ ...speak('😀'.repeat(2000)), extra: 1 }, FLUSH);
    expect(rig.commands).toHaveLength(2);
  });
});
