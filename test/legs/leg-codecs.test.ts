// Every leg and every codec that its platform can send, as it names it: served in both directions, or turned away by words
// that name what came and what is served. The lists are of the platforms' documents and of Asterisk's codecs.
import { describe, expect, it } from 'vitest';
import type { LegAudio, LegFrame, LegInput } from '../../src/legs/leg.ts';
import { LEGS } from '../../src/legs/legs.ts';
import { SERVED_AUDIO } from '../../src/legs/named-audio.ts';
import { bytesPerMs } from '../../src/speech/plain-sound.ts';

type Order = 'little' | 'big';
/** What the platform says, and what is made of it; a text is what came of a call that is turned away. */
type Case = [said: unknown, audio: string, order?: Order];

const json = (value: object) => JSON.stringify(value);
const twilioStart = (mediaFormat: unknown) =>
  json({
    event: 'start',
    streamSid: 'MZ',
    start: { callSid: 'c', mediaFormat, customParameters: { token: 't' } },
  });
const STARTS: Readonly<Record<string, (said: never) => string>> = {
  twilio: twilioStart,
  signalwire: twilioStart,
  telnyx: (media_format: unknown) =>
    json({
      event: 'start',
      stream_id: 's',
      start: { call_control_id: 'c', media_format, custom_parameters: { token: 't' } },
    }),
  plivo: (mediaFormat: unknown) =>
    json({
      event: 'start',
      start: { callId: 'c', streamId: 's', mediaFormat },
      extra_headers: 'token=t',
    }),
  vonage: (type: string) =>
    json({ event: 'websocket:connected', 'content-type': type, callId: 'c', token: 't' }),
  exotel: (media_format: unknown) =>
    json({
      event: 'start',
      stream_sid: 's',
      start: { call_sid: 'c', media_format, custom_parameters: { token: 't' } },
    }),
  jambonz: (said: object) => json({ callSid: 'c', token: 't', ...said }),
  'chan-websocket': ([format, frameBytes]: [string, number?]) =>
    json({
      event: 'MEDIA_START',
      channel_id: 'c',
      format,
      optimal_frame_size: frameBytes,
      channel_variables: { VOXGATE_TOKEN: 't' },
    }),
  raw: (said: object) => json({ callId: 'c', token: 't', ...said }),
};
const LITTLE = 'little';
const BIG = 'big';
const rates = (each: (rate: number) => unknown, list: readonly number[], order: Order = LITTLE): Case[] =>
  list.map((rate) => [each(rate), `raw ${rate}`, order]);

const CASES: Readonly<Record<string, readonly Case[]>> = {
  twilio: [
    [{ encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 }, 'mulaw 8000'],
    [undefined, 'mulaw 8000'],
    [{ encoding: 'audio/x-alaw', sampleRate: 8000, channels: 1 }, 'alaw 8000'],
    [{ encoding: 'audio/ogg;codecs=opus', sampleRate: 48000 }, 'came: audio/ogg;codecs=opus at 48000 Hz'],
    [
      { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 2 },
      'came: audio/x-mulaw at 8000 Hz in 2 channels',
    ],
  ],
  signalwire: [
    [{ encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 }, 'mulaw 8000'],
    [{ encoding: 'PCMA' }, 'alaw 8000'],
    [{ encoding: 'audio/x-L16;rate=16000' }, 'raw 16000', LITTLE],
    [{ encoding: 'audio/x-L16', sampleRate: 24_000 }, 'raw 24000', LITTLE],
    [{ encoding: 'L16@16000h' }, 'raw 16000', LITTLE],
    [{ encoding: 'L16@24000h' }, 'raw 24000', LITTLE],
    [{ encoding: 'G722', sampleRate: 16_000 }, 'came: G722 at 16000 Hz'],
  ],
  telnyx: [
    [{ encoding: 'PCMU', sample_rate: 8000, channels: 1 }, 'mulaw 8000'],
    [{ encoding: 'audio/x-mulaw' }, 'mulaw 8000'],
    [{ encoding: 'PCMA', sample_rate: 8000 }, 'alaw 8000'],
    ...rates(
      (rate) => ({ encoding: 'L16', sample_rate: rate, channels: 1 }),
      [8000, 16_000, 24_000, 48_000],
      BIG,
    ),
    [{ encoding: 'G722', sample_rate: 8000 }, 'came: G722 at 8000 Hz'],
    [{ encoding: 'OPUS', sample_rate: 16_000 }, 'came: OPUS at 16000 Hz'],
    [{ encoding: 'AMR-WB', sample_rate: 16_000 }, 'came: AMR-WB at 16000 Hz'],
    [undefined, 'came: no codec'],
    [{ sample_rate: 8000 }, 'came: no codec'],
  ],
  plivo: [
    [{ encoding: 'audio/x-mulaw', sampleRate: 8000 }, 'mulaw 8000'],
    [{ encoding: 'audio/x-mulaw;rate=8000' }, 'mulaw 8000'],
    [{ encoding: 'audio/x-alaw', sampleRate: 8000 }, 'alaw 8000'],
    ...rates((rate) => ({ encoding: 'audio/x-l16', sampleRate: rate }), [8000, 16_000, 24_000]),
    ...rates((rate) => ({ encoding: `audio/x-l16;rate=${rate}` }), [8000, 16_000]),
    [{ encoding: 'audio/opus', sampleRate: 48_000 }, 'came: audio/opus at 48000 Hz'],
    [{}, 'came: no codec'],
  ],
  vonage: [
    ...rates((rate) => `audio/l16;rate=${rate}`, [8000, 16_000, 24_000, 44_100, 48_000]),
    ['audio/l16; rate=16000', 'raw 16000', LITTLE],
    ['audio/L16;rate=16000;endian=big', 'raw 16000', BIG],
    ['audio/pcmu;rate=8000', 'mulaw 8000'],
    ['audio/l16', 'came: audio/l16'],
    ['audio/l16;rate=4000', 'came: audio/l16;rate=4000'],
    [undefined, 'came: no codec'],
  ],
  exotel: [
    ...rates((rate) => ({ encoding: 'audio/x-raw', sample_rate: String(rate) }), [8000, 16_000, 24_000]),
    ...rates((rate) => ({ encoding: 'base64', sample_rate: String(rate) }), [8000, 12_000, 48_000]),
    [{ encoding: 'raw/slin', sample_rate: 8000 }, 'raw 8000', LITTLE],
    [{ encoding: 'audio/x-mulaw', sample_rate: 8000 }, 'mulaw 8000'],
    [undefined, 'raw 8000', LITTLE],
    [{ encoding: 'audio/mpeg', sample_rate: 22_050 }, 'came: audio/mpeg at 22050 Hz'],
    [{ encoding: 'audio/x-raw', sample_rate: '7000' }, 'came: audio/x-raw at 7000 Hz'],
  ],
  jambonz: [
    ...rates(
      (sampleRate) => ({ sampleRate }),
      [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000],
    ),
    [{ sampleRate: 8000, mixType: 'stereo' }, 'came: L16 at 8000 Hz in stereo'],
    [{ sampleRate: 6000 }, 'came: L16 at 6000 Hz'],
  ],
  'chan-websocket': [
    [['ulaw', 160], 'mulaw 8000'],
    [['alaw', 160], 'alaw 8000'],
    [['slin', 320], 'raw 8000', LITTLE],
    [['slin12', 480], 'raw 12000', LITTLE],
    [['slin16', 640], 'raw 16000', LITTLE],
    [['slin24', 960], 'raw 24000', LITTLE],
    [['slin32', 1280], 'raw 32000', LITTLE],
    [['slin44', 1764], 'raw 44100', LITTLE],
    [['slin48', 1920], 'raw 48000', LITTLE],
    [['slin96', 3840], 'raw 96000', LITTLE],
    [['slin192', 7680], 'raw 192000', LITTLE],
    [['opus', 960], 'came: opus'],
    [['g722', 160], 'came: g722'],
    [['g729', 20], 'came: g729'],
    [['gsm', 33], 'came: gsm'],
    [['ilbc'], 'came: ilbc'],
    [['speex16'], 'came: speex16'],
    [['siren14'], 'came: siren14'],
  ],
  raw: [
    [{ format: 'mulaw', sampleRate: 8000 }, 'mulaw 8000'],
    [{ format: 'mulaw', sampleRate: 16_000 }, 'mulaw 16000'],
    [{ format: 'alaw', sampleRate: 8000 }, 'alaw 8000'],
    ...rates(
      (sampleRate) => ({ format: 'raw', sampleRate }),
      [8000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000, 192_000],
    ),
    [{ format: 'raw', sampleRate: 16_000, byteOrder: 'big-endian' }, 'raw 16000', BIG],
    [{ format: 'opus', sampleRate: 48_000 }, 'came: opus at 48000 Hz'],
    [{ format: 'raw' }, 'came: raw'],
    [{ format: 'raw', sampleRate: 384_000 }, 'came: raw at 384000 Hz'],
    [{}, 'came: no codec'],
  ],
};

const legOf = (kind: string) => LEGS.find((leg) => leg.kind === kind)!;
const SAMPLES = Uint8Array.from({ length: 7680 * 4 }, (_, at) => at % 251);
const swapped = (bytes: Uint8Array) => Buffer.from(bytes).swap16();
/** The audio of messages as the platform plays it, whatever is around it. */
const audioOf = (frames: readonly LegFrame[]): Buffer =>
  Buffer.concat(
    frames.map((frame) => {
      if (typeof frame !== 'string') return Buffer.from(frame);
      return Buffer.from((JSON.parse(frame) as { media: { payload: string } }).media.payload, 'base64');
    }),
  );
/** What the caller says, as the platform sends it. */
const mediaOf = (kind: string, bytes: Uint8Array): LegFrame =>
  ['vonage', 'jambonz', 'raw', 'chan-websocket'].includes(kind)
    ? bytes
    : json({ event: 'media', media: { track: 'inbound', payload: Buffer.from(bytes).toString('base64') } });

describe.each(LEGS.map(({ kind }) => kind))('the codecs of %s', (kind) => {
  const begin = (said: unknown) => {
    const codec = legOf(kind).open();
    return { codec, inputs: codec.read(STARTS[kind]!(said as never)) };
  };
  const served: Case[] = CASES[kind]!.filter(([, audio]) => !audio.startsWith('came'));
  const unserved: Case[] = CASES[kind]!.filter(([, audio]) => audio.startsWith('came'));

  it.each(served)('serves %j as %s', (...[said, wanted, order]: Case) => {
    const [format, rate] = wanted.split(' ') as [LegAudio['format'], string];
    const audio: LegAudio = { format, sampleRate: Number(rate) };
    const { codec, inputs } = begin(said);
    expect(inputs).toEqual([{ kind: 'start', callId: 'c', token: 't', audio }]);

    const { stepMs, mostBytes, leastMs, shortestMs = 0 } = codec.rules();
    const stepBytes = stepMs * bytesPerMs(audio);
    expect(stepBytes).toBe(Math.round(stepBytes));
    expect(stepBytes).toBeLessThanOrEqual(mostBytes);
    expect(shortestMs * bytesPerMs(audio)).toBeLessThanOrEqual(mostBytes);
    expect(leastMs).toBeGreaterThanOrEqual(shortestMs > 200 ? shortestMs : 0);

    const bytes = SAMPLES.subarray(0, stepBytes * 2);
    const onTheLine = order === BIG ? swapped(bytes) : Buffer.from(bytes);
    expect(audioOf(codec.media(bytes)).equals(onTheLine)).toBe(true);
    const [heard] = codec.read(mediaOf(kind, onTheLine)) as [Extract<LegInput, { kind: 'audio' }>];
    expect(heard.kind).toBe('audio');
    expect(Buffer.from(heard.bytes).equals(bytes)).toBe(true);
  });

  it.each(unserved)('turns %j away: %s', (...[said, wanted]: Case) => {
    expect(begin(said).inputs).toEqual([
      {
        kind: 'unserved',
        callId: 'c',
        token: 't',
        came: wanted.slice('came: '.length),
        served: SERVED_AUDIO,
      },
    ]);
  });

  it('repeats nothing of a codec’s name but what is safe to read', () => {
    const odd = `aud\u0000io/<b>ж ${'x'.repeat(200)}`;
    const said = { vonage: odd, 'chan-websocket': [odd, 160], jambonz: { sampleRate: odd } }[kind] ?? {
      encoding: odd,
      format: odd,
      sampleRate: 8000,
    };
    const [away] = begin(said).inputs as [Extract<LegInput, { kind: 'unserved' }>];
    expect(away.kind).toBe('unserved');
    expect(away.came).toMatch(/^[\w/;=@.+ ?-]{1,40}$/);
  });
});
