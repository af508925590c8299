import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeNative, encodeAudio, encodeNative } from '../../src/dialects/native-dialect.ts';
import { serverEventSchemas } from '../../src/dialects/native-events.ts';
import { type ClientMessageType, clientMessageSchemas } from '../../src/dialects/native-messages.ts';

/** What a message of each type must hold, and may. */
const MESSAGES: Record<ClientMessageType, { readonly needs: object; readonly may: object }> = {
  configure: {
    needs: {},
    may: {
      format: 'alaw',
      sampleRate: 16_000,
      frameMs: 12.5,
      pace: 'burst',
      leadMs: 40,
      flow: 'credit',
      audio: 'base64',
      captions: 'words',
      markup: 'keep',
      voice: 'v',
      speed: 0.1,
      seed: null,
      language: 'english',
    },
  },
  speak: {
    needs: { turn: 'a', text: '' },
    may: {
      format: 'mp3',
      sampleRate: 48_000,
      voice2: null,
      speed: 5,
      seed: 0,
      temperature: 2,
      turnPrefix: 'A:',
      turnPrefix2: null,
      prompt: '',
      voiceConditioningSeconds: 0,
      language: null,
    },
  },
  append: { needs: { turn: 'a', text: ' ' }, may: { speaker: 2, format: 'wav', voice: 'v' } },
  flush: { needs: { turn: 'a' }, may: {} },
  end: { needs: { turn: 'a' }, may: {} },
  cancel: { needs: {}, may: { turn: 'a', playedMs: 12.5 } },
  mark: { needs: { turn: 'a', name: 'm' }, may: {} },
  played: { needs: { turn: 'a', ms: 0 }, may: {} },
  pause: { needs: { turn: 'a' }, may: { playedMs: 12.5 } },
  resume: { needs: { turn: 'a' }, may: {} },
  seek: { needs: { turn: 'a', paragraph: 0 }, may: { playedMs: 12.5 } },
  attach: { needs: { leg: { callSid: 'CA1' } }, may: { inbound: 'forward', monitor: true } },
  detach: { needs: {}, may: {} },
  hangup: { needs: {}, may: { after: 'a' } },
  voices: { needs: {}, may: {} },
  ping: { needs: {}, may: { id: '' } },
};
const WRONG: Record<string, readonly unknown[]> = {
  leg: [{}, { callSid: 'a', token: 'b' }, { callSid: '' }, 'CA1', null],
  inbound: ['yes', null],
  monitor: ['true', null],
  after: ['', 'x'.repeat(65), 7],
  turn: ['', 'x'.repeat(65), 7, null, ['a'], {}],
  text: [7, null, ['a']],
  name: ['', 'x'.repeat(129), null],
  paragraph: [-1, 0.5, '1', null],
  ms: [-1, '5', null, 86_400_001],
  playedMs: [-0.5, '5', null],
  speaker: [0, 3, '1', null],
  format: ['opus', '', null, 1],
  sampleRate: [7999, 48_001, 8000.5, '8000', null],
  frameMs: [9.9, 100.1, '20'],
  leadMs: [39, 5001],
  pace: ['fast'],
  flow: [''],
  audio: [true],
  captions: ['on'],
  markup: ['html'],
  voice: ['', null, 'x'.repeat(2049)],
  speed: [0.09, 5.01, '1'],
  seed: [-1, 9_007_199_254_740_994, '1'],
  temperature: [-0.1, 2.1],
  turnPrefix: [1, 'x'.repeat(201)],
  language: ['klingon', 'English'],
  voiceConditioningSeconds: [-1],
  id: [7, 'x'.repeat(129)],
};
const decode = (value: unknown) => decodeNative(JSON.stringify(value));
const refusal = (value: unknown) => {
  const decoded = decode(value);
  return decoded.ok ? 'taken' : decoded.code;
};

describe('native dialect, decoding', () => {
  for (const [type, { needs, may }] of Object.entries(MESSAGES)) {
    it(`takes ${type} with what it needs and may have, and nothing else`, () => {
      expect(decode({ type, ...needs })).toEqual({ ok: true, command: { type, ...needs } });
      expect(decode({ type, ...needs, ...may })).toEqual({ ok: true, command: { type, ...needs, ...may } });
      for (const field of Object.keys(needs)) {
        const rest = Object.fromEntries(Object.entries(needs).filter(([name]) => name !== field));
        expect([field, refusal({ type, ...rest })]).toEqual([field, 'invalid_request']);
      }
      expect(refusal({ type, ...needs, colour: 'red' })).toBe('invalid_request');
      expect(refusal({ type, ...needs, outputFormat: 'mp3' })).toBe('invalid_request');
      expect(
        decodeNative(
          `{"type":"${type}",${JSON.stringify(needs).slice(1, -1)}${Object.keys(needs).length > 0 ? ',' : ''}"__proto__":{}}`,
        ).ok,
      ).toBe(false);
      for (const field of Object.keys({ ...needs, ...may }))
        for (const value of WRONG[field] ?? []) {
          const decoded = decode({ type, ...needs, [field]: value });
          expect([field, value, decoded.ok ? 'taken' : decoded.code]).toEqual([
            field,
            value,
            'invalid_request',
          ]);
          // The message names the field that is wrong.
          expect(decoded.ok ? '' : decoded.message).toContain(`${type}: ${field}`);
        }
    });
  }

  it('wants either a text or a dialogue, of one to a thousand lines', () => {
    const line = { speaker: 1, text: 'One.' };
    const speak = { type: 'speak', turn: 'a' };
    expect(refusal({ ...speak, dialogue: [line] })).toBe('taken');
    expect(refusal({ ...speak, dialogue: new Array(1000).fill(line) })).toBe('taken');
    for (const wrong of [
      { dialogue: [line], text: 'One.' },
      {},
      { dialogue: [] },
      { dialogue: new Array(1001).fill(line) },
      { dialogue: [{ ...line, voice: 'v' }] },
      { dialogue: [{ speaker: 3, text: 'One.' }] },
      { dialogue: [{ speaker: 1 }] },
      { dialogue: line },
    ])
      expect(refusal({ ...speak, ...wrong })).toBe('invalid_request');
  });

  it('tells apart what is no JSON, no object and of no type', () => {
    for (const frame of ['', '{', 'speak', '{"type":"ping"}}', '\u0000', '{"type":"ping",}'])
      expect(decodeNative(frame)).toMatchObject({ ok: false, code: 'invalid_json' });
    for (const value of [null, 7, 'ping', [], [{ type: 'ping' }], true])
      expect(refusal(value)).toBe('invalid_request');
    for (const type of [undefined, null, 7, '', 'Speak', 'toString', '__proto__', 'constructor', ['ping']])
      expect([type, refusal({ type })]).toEqual([type, 'unknown_type']);
  });

  it('names the turn of a refused message only when that is one', () => {
    const turnOf = (value: unknown) => {
      const decoded = decode(value);
      return decoded.ok ? undefined : decoded.turn;
    };
    expect(turnOf({ type: 'speak', turn: 'a' })).toBe('a');
    expect(turnOf({ type: 'what', turn: 'a' })).toBe('a');
    expect(turnOf({ type: 'seek', turn: 'x'.repeat(64) })).toBe('x'.repeat(64));
    expect(turnOf({ type: 'speak', turn: 'x'.repeat(65), text: '' })).toBeUndefined();
    expect(turnOf({ type: 'speak', turn: 7, text: '' })).toBeUndefined();
  });

  it('never throws, and never repeats what was to be spoken', () => {
    const field = fc.constantFrom(...Object.keys(WRONG), 'type', 'dialogue', 'toString');
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(...Object.keys(MESSAGES)),
      fc.constant('secret words'),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.dictionary(field, value).map((each) => JSON.stringify(each)),
        ),
        (frame) => {
          const decoded = decodeNative(frame);
          if (decoded.ok)
            expect(clientMessageSchemas[decoded.command.type].safeParse(decoded.command).success).toBe(true);
          else {
            expect(decoded.message).not.toContain('secret words');
            expect(decoded.message.length).toBeLessThan(1500);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('native dialect, encoding', () => {
  it('writes an event as the JSON that it is', () => {
    const event = { type: 'mark', turn: 'a"\n\u2028', name: '', outcome: 'played' } as const;
    expect(JSON.parse(encodeNative(event))).toEqual(event);
  });

  it('writes audio as its own schema has it, whatever the turn is called and wherever the bytes lie', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 64, unit: 'binary' }),
        fc.nat(1e6),
        fc.double({ min: 0, max: 1e7, noNaN: true }),
        fc.uint8Array({ maxLength: 400 }),
        fc.nat(50),
        (turn, seq, ms, bytes, offset) => {
          const view = bytes.subarray(Math.min(offset, bytes.length));
          const event = serverEventSchemas.audio.parse(JSON.parse(encodeAudio(turn, seq, ms, view)));
          expect(event).toMatchObject({ turn, seq });
          expect(Math.abs(event.ms - ms)).toBeLessThan(0.001);
          expect(new Uint8Array(Buffer.from(event.data, 'base64'))).toEqual(new Uint8Array(view));
        },
      ),
    );
  });
});
