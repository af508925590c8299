// jambonz's streaming speech of a custom vendor: the upgrade, each message, and the turns that come of them.
import { describe, expect, it } from 'vitest';
import { ended, failure } from '../support/session-events.ts';
import { CLEAR, enter, FLUSH, openCodec, presetOf, stream } from './jambonz-rig.ts';

describe('the upgrade', () => {
  it('is at one path, with the key where the native protocol has it', () => {
    expect(enter()).toMatchObject({ caller: 'headers' });
    for (const path of ['/jambonz/tts/', '/jambonz', '/jambonz/tts2', '//jambonz/tts', '/JAMBONZ/TTS'])
      expect(enter('', path), path).toBeUndefined();
  });

  it('tells voice, language and rate, whatever jambonz writes behind them', () => {
    expect(presetOf('voice=anna;callSid=1,env=x&language=ru_RU;a=b&sampleRate=16000;c')).toMatchObject({
      voice: 'anna',
      language: 'russian',
      format: 'raw',
      sampleRate: 16_000,
    });
    expect(presetOf('voice=s3%3A%2F%2Fa%2Bb%2Fc&language=zh-Hant-TW')).toMatchObject({
      voice: 's3://a+b/c',
      language: 'mandarin',
      sampleRate: 8000,
    });
  });

  it('leaves out a voice that is empty and a language that is not spoken here', () => {
    const preset = presetOf('voice=;callSid=1&language=fi-FI&sampleRate=&callSid=9&x=y');
    expect(preset).not.toHaveProperty('voice');
    expect(preset).not.toHaveProperty('language');
  });

  it('plays in real time with a generous lead unless the query says otherwise', () => {
    expect(presetOf('')).toMatchObject({ pace: 'realtime', leadMs: 1000 });
    expect(presetOf('voxgate_pace=burst&voxgate_lead_ms=250')).toMatchObject({ pace: 'burst', leadMs: 250 });
  });

  it.each([
    ['sampleRate=7999', 'sampleRate'],
    ['sampleRate=48001', 'sampleRate'],
    ['sampleRate=8000.5', 'sampleRate'],
    ['sampleRate=fast', 'sampleRate'],
    ['voxgate_pace=slow', 'voxgate_pace'],
    ['voxgate_lead_ms=39', 'voxgate_lead_ms'],
    ['voxgate_lead_ms=', 'voxgate_lead_ms'],
    ['voxgate_leadMs=100', 'voxgate_leadMs'],
  ])('is refused for %s, by name', (query, name) => {
    expect(() => presetOf(query)).toThrow(expect.objectContaining({ code: 'invalid_request' }) as Error);
    expect(() => presetOf(query)).toThrow(new RegExp(`^${name}: `));
  });
});

describe('a message', () => {
  it('of connect comes first, with the rate that was asked for', () => {
    const { sent } = openCodec('sampleRate=44100');
    expect(sent.map((message) => JSON.parse(message as string) as unknown)).toEqual([
      { type: 'connect', data: { sample_rate: 44_100, base64_encoding: false } },
    ]);
  });

  it('of text opens a turn, goes on with it, and ends it by a flush; the next one opens another', () => {
    const { commands, receive } = openCodec();
    receive(stream('One '), stream('two.'), FLUSH, FLUSH, stream(' \n'), stream('Three.'), FLUSH);
    const [a, b] = ['jambonz-1', 'jambonz-2'];
    expect(commands).toEqual([
      { type: 'append', turn: a, text: 'One ' },
      { type: 'append', turn: a, text: 'two.' },
      { type: 'end', turn: a },
      { type: 'append', turn: b, text: 'Three.' },
      { type: 'end', turn: b },
    ]);
  });

  it('keeps white space within a turn', () => {
    const { commands, receive } = openCodec();
    receive(stream('One'), stream(' '), stream('two'));
    expect(commands.map((command) => ('text' in command ? command.text : ''))).toEqual(['One', ' ', 'two']);
  });

  it('of clear cancels everything, and text behind it is a new turn', () => {
    const { commands, receive } = openCodec();
    receive(stream('One'), CLEAR, CLEAR, stream('Two'));
    expect(commands.slice(1)).toEqual([
      { type: 'cancel' },
      { type: 'cancel' },
      { type: 'append', turn: 'jambonz-2', text: 'Two' },
    ]);
  });

  it('of stop cancels everything and closes; nothing is taken behind it', () => {
    const { commands, closes, receive } = openCodec();
    receive(stream('One'), { type: 'stop' }, stream('Two'), { type: 'stop' });
    expect(commands.slice(1)).toEqual([{ type: 'cancel' }]);
    expect(closes).toEqual([1000]);
  });

  it('that is a keepalive or unknown does nothing; one that is none is an error', () => {
    const { codec, commands, sent, receive } = openCodec();
    receive({ type: 'keepalive' }, { type: 'tomorrow', text: 'x' }, { type: 'toString' });
    expect([commands, sent.length]).toEqual([[], 1]);
    for (const frame of [
      '{',
      '[]',
      'null',
      '7',
      '{}',
      '{"type":7}',
      '{"type":"stream"}',
      '{"type":"stream","text":1}',
    ])
      codec.receive(frame);
    expect(commands).toEqual([]);
    expect(sent.slice(1).map((message) => (JSON.parse(message as string) as { type: string }).type)).toEqual(
      Array(8).fill('error'),
    );
  });
});

describe('turns', () => {
  it('never become more than a session takes: the last one goes on until there is room', () => {
    const { codec, commands, receive } = openCodec();
    for (let turn = 1; turn <= 9; turn += 1) receive(stream(`${turn}.`), FLUSH);
    const turns = new Set(commands.flatMap((command) => ('turn' in command ? [command.turn] : [])));
    expect(turns.size).toBe(7);
    expect(commands.slice(-4)).toEqual([
      { type: 'append', turn: 'jambonz-7', text: '8.' },
      { type: 'flush', turn: 'jambonz-7' },
      { type: 'append', turn: 'jambonz-7', text: '9.' },
      { type: 'flush', turn: 'jambonz-7' },
    ]);
    codec.event(ended('jambonz-1'));
    receive(stream('10.'));
    expect(commands.slice(-2)).toEqual([
      { type: 'end', turn: 'jambonz-7' },
      { type: 'append', turn: 'jambonz-8', text: '10.' },
    ]);
  });

  it('that ended by themselves are followed by new ones, and no text is lost', () => {
    const { codec, commands, sent, receive } = openCodec();
    receive(stream('One.'));
    codec.event(ended('jambonz-1'));
    receive(stream('Two.'));
    expect(commands.at(-1)).toEqual({ type: 'append', turn: 'jambonz-2', text: 'Two.' });
    expect(sent).toHaveLength(1);
  });

  it('tell their failures, by code and message', () => {
    const { codec, sent } = openCodec();
    codec.event(failure('upstream_timeout', 'jambonz-1'));
    expect(JSON.parse(sent.at(-1) as string)).toEqual({
      type: 'error',
      error: 'upstream_timeout: It failed: upstream_timeout.',
    });
  });
});
