// The codec of /v2/speak by itself: Interrupt and what it tells, against a session that says what the test says.
import { describe, expect, it } from 'vitest';
import { ended, heard, started } from '../../support/session-events.ts';
import { CLOSE, codes, FLUSH, interruptAt, pureRig, speak, speakWhole } from '../deepgram-rig.ts';

describe('Interrupt', () => {
  it('tells what was heard, in the words of the session, and ends the bracket', () => {
    const rig = pureRig('v2');
    rig.send(speak('One two three.'));
    rig.say(started('dg-1'));
    rig.audio('dg-1', 2);
    rig.send(interruptAt(640));
    expect(rig.commands.at(-1)).toEqual({ type: 'cancel', turn: 'dg-1', playedMs: 640 });
    rig.audio('dg-1', 2);
    rig.say(ended('dg-1', 900, 'cancelled'), heard('dg-1', 640, 'One two', ' three.'));
    expect(rig.order().slice(1)).toEqual(['SpeechStarted', 'audio', 'SpeechInterrupted']);
    expect(rig.messages('SpeechInterrupted')).toMatchObject([
      {
        audio_played_ms: 640,
        text_spoken: 'One two',
        text_remaining: ' three.',
        metadata: { audio_duration_ms: 900, input_character_count: 14, controls_applied: {} },
      },
    ]);
  });

  it('counts its offset from the first sample of the session', () => {
    const rig = pureRig('v2');
    speakWhole(rig, 'dg-1', 'One.', 1000);
    rig.send(speak('Two.'), FLUSH);
    rig.say(started('dg-2'));
    rig.send(interruptAt(1300));
    expect(rig.commands.at(-1)).toEqual({ type: 'cancel', turn: 'dg-2', playedMs: 300 });
    rig.say(ended('dg-2', 2000, 'cancelled'), heard('dg-2', 300, '', 'Two.'));
    // What the client dropped does not count for what comes next.
    rig.send(speak('Three.'), FLUSH);
    rig.say(started('dg-3'));
    rig.send(interruptAt(1500));
    expect(rig.commands.at(-1)).toEqual({ type: 'cancel', turn: 'dg-3', playedMs: 200 });
    rig.say(ended('dg-3', 2000, 'cancelled'), heard('dg-3', 200, '', 'Three.'));
    rig.send(CLOSE);
    expect(rig.messages('SessionMetadata')).toMatchObject([{ total_audio_duration_ms: 1500 }]);
  });

  it('before the speech has begun to be heard tells that nothing was', () => {
    const rig = pureRig('v2');
    speakWhole(rig, 'dg-1', 'One.', 1000);
    rig.send(speak('Two.'), interruptAt(900));
    expect(rig.commands.at(-1)).toEqual({ type: 'cancel', turn: 'dg-2', playedMs: 0 });
    rig.say(ended('dg-2', 0, 'cancelled'));
    expect(rig.order().slice(-2)).toEqual(['SpeechStarted', 'SpeechInterrupted']);
    expect(rig.messages('SpeechInterrupted')).toMatchObject([
      { audio_played_ms: 900, text_spoken: '', text_remaining: 'Two.' },
    ]);
  });

  it('drops the end of an earlier speech that the listener had not heard', () => {
    const rig = pureRig('v2');
    rig.send(speak('One.'), FLUSH, speak('Two.'), FLUSH);
    rig.say(started('dg-1'), ended('dg-1', 1000), started('dg-2'));
    rig.send(interruptAt(900));
    expect(rig.commands.slice(-2)).toEqual([
      { type: 'cancel', turn: 'dg-1' },
      { type: 'cancel', turn: 'dg-2', playedMs: 0 },
    ]);
  });

  it('without an offset goes by the clock of the gateway', () => {
    const rig = pureRig('v2');
    speakWhole(rig, 'dg-1', 'One.', 1000);
    rig.send(speak('Two three.'));
    rig.say(started('dg-2'));
    rig.send(interruptAt());
    expect(rig.commands.at(-1)).toEqual({ type: 'cancel', turn: 'dg-2' });
    rig.say(ended('dg-2', 2000, 'cancelled'), heard('dg-2', 400, 'Two', ' three.'));
    expect(rig.messages('SpeechInterrupted')).toMatchObject([
      { audio_played_ms: 1400, text_spoken: 'Two', text_remaining: ' three.' },
    ]);
  });

  it('that does not come beyond the last one is ignored', () => {
    const rig = pureRig('v2');
    rig.send(speak('One.'));
    rig.say(started('dg-1'));
    rig.send(interruptAt(500));
    rig.say(ended('dg-1', 600, 'cancelled'), heard('dg-1', 500, 'One.'));
    rig.send(speak('Two.'), interruptAt(500), interruptAt(499));
    expect(codes(rig)).toEqual(['INVALID_INTERRUPT_OFFSET', 'INVALID_INTERRUPT_OFFSET']);
    rig.send(interruptAt());
    rig.say(ended('dg-2', 0, 'cancelled'));
    expect(rig.messages('SpeechInterrupted')).toHaveLength(2);
  });

  it.each([96_000, 1e308])('at %d ms, beyond what was sent, counts as the end of that', (offsetMs) => {
    const rig = pureRig('v2');
    rig.send(speak('One.'));
    rig.say(started('dg-1'));
    rig.send(interruptAt(offsetMs));
    rig.say(ended('dg-1', 2000.4, 'cancelled'), heard('dg-1', 2000.4, 'One.'));
    expect(rig.messages('SpeechInterrupted')).toMatchObject([{ audio_played_ms: 2000 }]);
    rig.send(speak('Two.'));
    rig.say(started('dg-2'));
    rig.send(interruptAt(2300));
    expect(rig.commands.at(-1)).toEqual({ type: 'cancel', turn: 'dg-2', playedMs: 300 });
    rig.say(ended('dg-2', 900, 'cancelled'), heard('dg-2', 300, '', 'Two.'));
    rig.send(CLOSE);
    expect(codes(rig)).toEqual([]);
    expect(rig.messages('SpeechInterrupted').at(-1)).toMatchObject({ audio_played_ms: 2300 });
    expect(rig.messages('SessionMetadata')).toMatchObject([{ total_audio_duration_ms: 2300 }]);
  });

  it.each([
    ['with an offset', 1300, 1300],
    ['without one', undefined, 1200],
  ])(
    '%s tells what was heard of a piece that was sent before its speech went on',
    (_name, offsetMs, playedMs) => {
      const rig = pureRig('v2');
      speakWhole(rig, 'dg-1', 'Zero.', 1000);
      rig.send(speak('One two. '));
      rig.say(started('dg-2'), ended('dg-2', 800));
      rig.send(speak('Three.'));
      rig.say(started('dg-3'));
      rig.send(interruptAt(offsetMs));
      const isTold = offsetMs !== undefined;
      expect(rig.commands.slice(-2)).toEqual([
        { type: 'cancel', turn: 'dg-2', ...(isTold && { playedMs: 300 }) },
        { type: 'cancel', turn: 'dg-3', ...(isTold && { playedMs: 0 }) },
      ]);
      rig.say(heard('dg-2', isTold ? 300 : 200, 'One', ' two. '));
      rig.say(ended('dg-3', 400, 'cancelled'), heard('dg-3', 0, '', 'Three.'));
      expect(rig.messages('SpeechInterrupted')).toMatchObject([
        { audio_played_ms: playedMs, text_spoken: 'One', text_remaining: ' two. Three.' },
      ]);
    },
  );

  it('while another is carried out is ignored', () => {
    const rig = pureRig('v2');
    rig.send(speak('One.'), interruptAt(500), interruptAt(600), interruptAt());
    expect(codes(rig)).toEqual(['INTERRUPT_IN_PROGRESS', 'INTERRUPT_IN_PROGRESS']);
    rig.say(ended('dg-1', 0, 'cancelled'));
    expect(rig.messages('SpeechInterrupted')).toHaveLength(1);
  });

  it('without a speech warns, and lets go of what was sent ahead', () => {
    const rig = pureRig('v2');
    rig.send(interruptAt(), speak('One.'), FLUSH);
    rig.say(started('dg-1'), ended('dg-1', 1000));
    rig.send(interruptAt(400));
    expect(codes(rig)).toEqual(['NO_ACTIVE_SPEECH', 'NO_ACTIVE_SPEECH']);
    expect(rig.commands.at(-1)).toEqual({ type: 'cancel', turn: 'dg-1' });
    rig.say(heard('dg-1', 400, 'One.'));
    rig.send(CLOSE);
    expect(rig.messages('SessionMetadata')).toMatchObject([{ total_audio_duration_ms: 400 }]);
  });

  it('leaves the speeches behind it alone', () => {
    const rig = pureRig('v2');
    rig.send(speak('One.'), FLUSH, speak('Two.'), FLUSH);
    rig.say(started('dg-1'));
    rig.send(interruptAt(10));
    rig.say(ended('dg-1', 500, 'cancelled'), heard('dg-1', 10, 'One.'), started('dg-2'));
    rig.audio('dg-2', 2);
    rig.say(ended('dg-2', 700));
    expect(rig.order().slice(1)).toEqual([
      ...['SpeechStarted', 'SpeechInterrupted'],
      ...['SpeechStarted', 'audio', 'Flushed', 'SpeechMetadata'],
    ]);
  });

  it('of a closing session ends it', () => {
    const rig = pureRig('v2');
    rig.send(speak('One.'), CLOSE, interruptAt());
    rig.say(ended('dg-1', 0, 'cancelled'));
    expect(rig.order().slice(-2)).toEqual(['SpeechInterrupted', 'SessionMetadata']);
    expect(rig.closed).toEqual([1000]);
  });
});
