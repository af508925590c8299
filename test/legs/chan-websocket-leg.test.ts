// chan_websocket as a codec: both control syntaxes, the codecs of a channel, commands as Asterisk takes them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chanWebSocketLeg } from '../../src/legs/chan-websocket-leg.ts';
import type { LegInput } from '../../src/legs/leg.ts';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { createChanWebSocketSide } from '../../testkit/carriers/chan-websocket-side.ts';
import { legContract, takesMalformedFrames } from '../conformance/leg-contract.ts';
import '../support/property-seed.ts';

const SUBJECT = { leg: chanWebSocketLeg, ...CARRIERS['chan-websocket']!, fate: 'played' } as const;
legContract('chan_websocket', SUBJECT);
legContract('chan_websocket in slin16', {
  ...SUBJECT,
  audio: { format: 'raw', sampleRate: 16_000 },
  side: () => createChanWebSocketSide({ syntax: 'json', format: 'slin16', frameBytes: 640 }),
});
takesMalformedFrames(SUBJECT);

type Syntax = 'plain' | 'json';
const START = { connection_id: 'c-1', channel: 'WebSocket/vox/c-1', channel_id: 'pbx-1.9', ptime: 20 };
const say = (syntax: Syntax, event: string, fields: Record<string, unknown> = {}): string =>
  syntax === 'json'
    ? JSON.stringify({ event, ...fields }, null, 1)
    : [event, ...Object.entries(fields).map(([key, value]) => `${key}:${String(value)}`)].join(' ');
const started = (
  syntax: Syntax,
  format = 'ulaw',
  frameBytes: number | undefined = 160,
  more: object = {},
) => {
  const codec = chanWebSocketLeg.open();
  const size = frameBytes === undefined ? {} : { optimal_frame_size: frameBytes };
  const inputs = codec.read(say(syntax, 'MEDIA_START', { ...START, format, ...size, ...more }));
  return { codec, inputs };
};

describe.each<Syntax>(['plain', 'json'])('chan_websocket in %s', (syntax) => {
  it.each([
    ['ulaw', 160, { format: 'mulaw', sampleRate: 8000 }, 8000],
    ['alaw', 160, { format: 'alaw', sampleRate: 8000 }, 8000],
    ['slin', 320, { format: 'raw', sampleRate: 8000 }, 8000],
    ['slin16', 640, { format: 'raw', sampleRate: 16_000 }, 7680],
    ['slin24', 960, { format: 'raw', sampleRate: 24_000 }, 7680],
    ['slin48', 1920, { format: 'raw', sampleRate: 48_000 }, 7680],
  ])(
    'starts a call in %s, and sends whole frames of %i bytes only',
    (format, frameBytes, audio, mostBytes) => {
      const { codec, inputs } = started(syntax, format, frameBytes);
      expect(inputs).toEqual([{ kind: 'start', callId: 'pbx-1.9', token: undefined, audio }]);
      expect(codec.rules()).toMatchObject({ clock: 'carrier', stepMs: 20, mostBytes });
      expect(codec.rules().mostBytes % frameBytes).toBe(0);
    },
  );

  it.each(['opus', 'g722', 'slin384', 'constructor', ''])('starts none in %s', (format) => {
    expect(started(syntax, format, 160).inputs).toMatchObject([{ kind: 'unserved', callId: 'pbx-1.9' }]);
  });

  it.each([0, -160, 1.5, 'x', 65_500])('starts none in frames of %s bytes', (size) => {
    expect(started(syntax, 'slin', undefined, { optimal_frame_size: size }).inputs).toEqual([
      { kind: 'unknown' },
    ]);
  });

  it('takes frames of 20 ms for granted where they are not told, and sends multiples of longer ones', () => {
    expect(started(syntax, 'slin16', undefined).codec.rules()).toMatchObject({ stepMs: 20, mostBytes: 7680 });
    expect(started(syntax, 'ulaw', 480).codec.rules()).toMatchObject({ stepMs: 60, mostBytes: 7680 });
    expect(started(syntax, 'ulaw', 80).codec.rules()).toMatchObject({ stepMs: 20, mostBytes: 8000 });
  });

  it('starts once', () => {
    const { codec } = started(syntax);
    expect(codec.read(say(syntax, 'MEDIA_START', { ...START, format: 'slin' }))).toEqual([
      { kind: 'unknown' },
    ]);
  });

  it('reads marks, digits and flow, and knows what it has no use for', () => {
    const { codec } = started(syntax);
    const read = (event: string, fields?: Record<string, unknown>) => codec.read(say(syntax, event, fields));
    expect(read('MEDIA_MARK_PROCESSED', { channel_id: 'x', correlation_id: '3.7' })).toEqual([
      { kind: 'mark', name: '3.7', fate: 'played' },
    ]);
    expect(read('DTMF_END', { channel_id: 'x', digit: '#' })).toEqual([{ kind: 'digit', digit: '#' }]);
    expect(read('DTMF_END', { digit: 5 })).toEqual([{ kind: 'digit', digit: '5' }]);
    expect(read('MEDIA_XOFF')).toEqual([{ kind: 'flow', state: 'stop' }]);
    expect(read('MEDIA_XON')).toEqual([{ kind: 'flow', state: 'go' }]);
    for (const event of ['QUEUE_DRAINED', 'MEDIA_BUFFERING_COMPLETED', 'ERROR'])
      expect(read(event)).toEqual([]);
    for (const digit of ['', '12', 'x']) expect(read('DTMF_END', { digit })).toEqual([{ kind: 'unknown' }]);
    expect(read('MEDIA_MARK_PROCESSED')).toEqual([{ kind: 'unknown' }]);
    expect(read('SOMETHING_NEW')).toEqual([{ kind: 'unknown' }]);
  });

  it('goes on sending when a flush has emptied a queue that had said stop', () => {
    const { codec } = started(syntax);
    expect(codec.clear!()).toHaveLength(2);
    codec.read(say(syntax, 'MEDIA_XOFF'));
    expect(codec.clear!()).toHaveLength(3);
    expect(codec.read(say(syntax, 'STATUS', { queue_length: 950, xon_level: 800 }))).toEqual([]);
    expect(codec.read(say(syntax, 'STATUS', { queue_length: 0, xon_level: 800 }))).toEqual([
      { kind: 'flow', state: 'go' },
    ]);
    expect(codec.read(say(syntax, 'STATUS', { queue_length: 0, xon_level: 800 }))).toEqual([]);
  });

  it('says what Asterisk understands, in 128 bytes at most', () => {
    const { codec } = started(syntax);
    const longest = '999999999.999999999';
    const written =
      syntax === 'plain'
        ? [`MARK_MEDIA ${longest}`, 'FLUSH_MEDIA', 'CONTINUE_MEDIA', 'HANGUP']
        : [
            `{"command":"MARK_MEDIA","correlation_id":"${longest}"}`,
            '{"command":"FLUSH_MEDIA"}',
            '{"command":"CONTINUE_MEDIA"}',
            '{"command":"HANGUP"}',
          ];
    const said = [...codec.mark!(longest), ...codec.clear!(), ...codec.hangUp!()];
    expect(said).toEqual(written);
    for (const command of said) expect(Buffer.byteLength(command as string)).toBeLessThanOrEqual(128);
  });

  it('hears binary frames once the call has started', () => {
    const bytes = new Uint8Array(320).fill(7);
    expect(chanWebSocketLeg.open().read(bytes)).toEqual([{ kind: 'unknown' }]);
    const { codec } = started(syntax, 'slin', 320);
    expect(codec.read(bytes)).toEqual([{ kind: 'audio', bytes }]);
    expect(codec.media(bytes)).toEqual([bytes]);
    for (const wrong of [0, 319]) expect(codec.read(new Uint8Array(wrong))).toEqual([{ kind: 'unknown' }]);
  });
});

describe('chan_websocket', () => {
  it.each(['VOXGATE_TOKEN', '_VOXGATE_TOKEN', '__VOXGATE_TOKEN'])(
    'takes the token from the variable %s',
    (name) => {
      const { inputs } = started('json', 'ulaw', 160, {
        channel_variables: { OTHER: 'x', [name]: 'abc.def' },
      });
      expect(inputs).toMatchObject([{ kind: 'start', token: 'abc.def' }]);
    },
  );

  it.each([null, 'x', 7, { VOXGATE_TOKEN: {} }, { VOXGATE_TOKEN: '' }, { __proto__: null }])(
    'takes no token from variables like %j',
    (variables) => {
      const { inputs } = started('json', 'ulaw', 160, { channel_variables: variables });
      expect(inputs).toMatchObject([{ kind: 'start', token: undefined }]);
    },
  );

  it('names the call by its connection where an early version tells no channel id', () => {
    const inputs = chanWebSocketLeg
      .open()
      .read('MEDIA_START connection_id:c-1 channel:WebSocket/v format:ulaw optimal_frame_size:160');
    expect(inputs).toMatchObject([{ kind: 'start', callId: 'c-1' }]);
  });

  it('offers the subprotocol of Asterisk', () => {
    expect(chanWebSocketLeg.protocols).toEqual(['media']);
  });

  it('reads 20,000 frames of any kind without a throw, in kinds that are documented', () => {
    const kinds = new Set<LegInput['kind']>([
      'start',
      'unserved',
      'audio',
      'mark',
      'digit',
      'flow',
      'unknown',
    ]);
    const names = [
      'MEDIA_START',
      'MEDIA_XOFF',
      'MEDIA_XON',
      'MEDIA_MARK_PROCESSED',
      'DTMF_END',
      'STATUS',
      'X',
    ];
    const keys = [
      'format',
      'optimal_frame_size',
      'correlation_id',
      'digit',
      'channel_variables',
      'xon_level',
    ];
    const fields = fc.dictionary(fc.constantFrom(...keys), fc.oneof(fc.string(), fc.jsonValue()));
    const frame = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.uint8Array({ maxLength: 400 }),
      fc.tuple(fc.constantFrom(...names), fields).map(([event, rest]) => JSON.stringify({ event, ...rest })),
      fc
        .tuple(fc.constantFrom(...names), fields)
        .map(([event, rest]) => `${event} ${JSON.stringify(rest).replace(/[{}",]+/g, ' ')}`),
      fc.json(),
    );
    let seen = 0;
    const property = fc.property(
      fc.constantFrom<Syntax>('plain', 'json'),
      fc.array(frame, { minLength: 50, maxLength: 60 }),
      (syntax, frames) => {
        const fresh = chanWebSocketLeg.open();
        const { codec } = started(syntax);
        for (const each of frames) {
          seen += 2;
          for (const { kind } of [...fresh.read(each), ...codec.read(each)])
            if (!kinds.has(kind)) throw new Error(kind);
        }
        fresh.clear!();
      },
    );
    fc.assert(property, { numRuns: 200 });
    expect(seen).toBeGreaterThanOrEqual(20_000);
  });
});
