// The codec of /v2/speak by itself: every rule of the protocol, against a session that says what the test says.
import { describe, expect, it } from 'vitest';
import { ended, failure, heard, started } from '../../support/session-events.ts';
import { CLOSE, codes, FLUSH, interruptAt, pureRig, queued, speak, speakWhole } from '../deepgram-rig.ts';

describe('/v2/speak', () => {
  it('says Connected at once', () => {
    expect(pureRig('v2').messages()).toMatchObject([
      { type: 'Connected', model_name: 'anna', model_version: '1.2.3', model_uuids: [expect.any(String)] },
    ]);
  });

  it('brackets the audio of each speech, and reports it', () => {
    const rig = pureRig('v2');
    rig.send(speak('Sure, '), speak('I can help 😀.'), FLUSH, speak('Two.'), FLUSH);
    expect(rig.order()).toEqual(['Connected']);
    rig.say(started('dg-1'));
    rig.audio('dg-1', 4);
    rig.say(ended('dg-1', 1234), started('dg-2'));
    rig.audio('dg-2', 4);
    rig.say(ended('dg-2', 500));
    const bracket = ['SpeechStarted', 'audio', 'Flushed', 'SpeechMetadata'];
    expect(rig.order()).toEqual(['Connected', ...bracket, ...bracket]);
    const [first, second] = rig.messages('SpeechStarted').map((message) => message.speech_id);
    expect(first).toMatch(/^dg_sp_[0-9a-f]{12}$/);
    expect(second).not.toBe(first);
    expect(rig.messages('Flushed').map((message) => message.speech_id)).toEqual([first, second]);
    expect(rig.messages('SpeechMetadata')[0]).toEqual({
      type: 'SpeechMetadata',
      speech_id: first,
      audio_duration_ms: 1234,
      input_character_count: 19,
      billable_character_count: 19,
      controls_applied: { pronunciations_applied: 0, breaks_applied: 0, pronunciation_warnings: 0 },
    });
  });

  it('warns of a Flush without a speech, once it has been flushed already, too', () => {
    const rig = pureRig('v2');
    rig.send(FLUSH, speak('One.'), FLUSH, FLUSH);
    rig.say(started('dg-1'), ended('dg-1'));
    expect(codes(rig)).toEqual(['NO_ACTIVE_SPEECH', 'NO_ACTIVE_SPEECH']);
    expect(rig.messages('Flushed')).toHaveLength(1);
  });

  it('says of a text that holds nothing to say that it does', () => {
    const rig = pureRig('v2');
    speakWhole(rig, 'dg-1', ' … 😀 ', 200);
    expect(rig.order().slice(1)).toEqual(['SpeechStarted', 'audio', 'Warning', 'Flushed', 'SpeechMetadata']);
    expect(codes(rig)).toEqual(['NO_SYNTHESIZABLE_TEXT']);
    speakWhole(rig, 'dg-2', '7');
    expect(codes(rig)).toHaveLength(1);
  });

  it('closes the bracket of a speech that failed, also of one that was never heard', () => {
    const rig = pureRig('v2');
    rig.send(speak('One.'), FLUSH);
    rig.say(failure('upstream_rate_limited', 'dg-1'), ended('dg-1', 0, 'failed'));
    expect(rig.order().slice(1)).toEqual(['Error', 'SpeechStarted', 'Flushed', 'SpeechMetadata']);
    expect(rig.messages('Error')).toMatchObject([
      { code: 'NET-0000', voxgate_code: 'upstream_rate_limited' },
    ]);
    expect(rig.messages('SpeechMetadata')).toMatchObject([{ audio_duration_ms: 0 }]);
    speakWhole(rig, 'dg-2', 'Two.');
    expect(rig.messages('SpeechMetadata')).toHaveLength(2);
  });

  it('keeps one bracket around a speech whose text paused for long', () => {
    const rig = pureRig('v2');
    rig.send(speak('Let me look. '));
    rig.say(started('dg-1'));
    rig.audio('dg-1', 2);
    rig.say(ended('dg-1', 800), heard('dg-1', 800, 'Let me look. '));
    rig.send(speak('Here it is.'), FLUSH);
    rig.say(started('dg-2'));
    rig.audio('dg-2', 2);
    rig.say(ended('dg-2', 700));
    expect(rig.order().slice(1)).toEqual(['SpeechStarted', 'audio', 'Flushed', 'SpeechMetadata']);
    expect(rig.messages('SpeechMetadata')).toMatchObject([{ audio_duration_ms: 1500 }]);
  });

  it('brackets a greeting like any other speech', () => {
    const rig = pureRig('v2');
    rig.say(started('greeting'));
    rig.audio('greeting', 2);
    rig.send(speak('One.'), FLUSH);
    rig.say(ended('greeting', 400), started('dg-1'), ended('dg-1'));
    expect(rig.order().slice(1)).toEqual([
      ...['SpeechStarted', 'audio', 'SpeechMetadata'],
      ...['SpeechStarted', 'Flushed', 'SpeechMetadata'],
    ]);
    expect(codes(rig)).toEqual([]);
  });

  it('ends with the totals when it is closed, behind the speech under way', () => {
    const rig = pureRig('v2');
    speakWhole(rig, 'dg-1', 'One.', 1000);
    rig.send(speak('Three'), CLOSE, speak('No.'));
    rig.say(started('dg-2'));
    expect(rig.closed).toEqual([]);
    rig.say(ended('dg-2', 500));
    expect(rig.messages().at(-1)).toEqual({
      type: 'SessionMetadata',
      total_audio_duration_ms: 1500,
      total_input_character_count: 9,
      total_billable_character_count: 9,
    });
    expect(rig.order().slice(-2)).toEqual(['SpeechMetadata', 'SessionMetadata']);
    expect(rig.closed).toEqual([1000]);
  });

  it('closes at once when there is nothing, Flush before it or not', () => {
    const rig = pureRig('v2');
    rig.send(FLUSH, CLOSE, speak('Late.'));
    expect(rig.order()).toEqual(['Connected', 'Warning', 'SessionMetadata']);
    expect([rig.closed, rig.commands]).toEqual([[1000], []]);
  });

  it('warns while the speech that is due waits for the speech service', () => {
    const rig = pureRig('v2');
    rig.send(speak('One.'), FLUSH, speak('Two.'), FLUSH);
    rig.say(queued('dg-2', 'quota'), queued('dg-1', 'busy'));
    expect(codes(rig)).toEqual(['SYNTHESIS_RETRYING']);
  });
});

describe('Configure', () => {
  it('sets the speed of what is named from now on', () => {
    const rig = pureRig('v2');
    rig.send({ type: 'Configure', speed: 1.05 }, { type: 'Configure' });
    expect(rig.commands).toEqual([{ type: 'configure', speed: 1.05 }]);
    const success = { type: 'ConfigureSuccess', applied: { speed: 1.05 } };
    expect(rig.messages().slice(1)).toEqual([success, success]);
  });

  it.each([
    [3.5, 'SPEED_OUT_OF_RANGE'],
    [0.45, 'SPEED_OUT_OF_RANGE'],
    [-1, 'SPEED_OUT_OF_RANGE'],
    [1.07, 'SPEED_INCREMENT_INVALID'],
  ])('refuses %d and changes nothing', (speed, code) => {
    const rig = pureRig('v2');
    rig.send({ type: 'Configure', speed });
    expect(rig.messages('ConfigureFailure')).toMatchObject([
      { code, field: 'speed', value: speed, description: expect.any(String) },
    ]);
    expect(rig.commands).toEqual([]);
  });
});

describe('messages that cannot be read', () => {
  it.each([
    ['half an object', '{', 'MESSAGE-0000'],
    ['a message of the other version', '{"type":"Clear"}', 'DATA-0000'],
    ['a text that is none', '{"type":"Speak","text":{}}', 'DATA-0000'],
    ['a bare offset', '{"type":"Interrupt","playback_offset":800}', 'DATA-0000'],
    ['an offset in bytes', '{"type":"Interrupt","playback_offset":{"type":"bytes","value":8}}', 'DATA-0000'],
    ['an offset before the start', JSON.stringify(interruptAt(-1)), 'DATA-0000'],
    [
      'an offset beyond all numbers',
      '{"type":"Interrupt","playback_offset":{"type":"time_ms","value":1e309}}',
      'DATA-0000',
    ],
    ['a speed beyond all numbers', '{"type":"Configure","speed":1e309}', 'DATA-0000'],
    ['a speed in words', '{"type":"Configure","speed":"fast"}', 'DATA-0000'],
  ])('%s are answered with a documented code', (_name, frame, code) => {
    const rig = pureRig('v2');
    rig.codec.receive(frame);
    expect(rig.messages('Error')).toMatchObject([{ code }]);
    expect([rig.commands, rig.closed]).toEqual([[], []]);
  });
});
