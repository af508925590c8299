import { describe, expect, it } from 'vitest';
import { bodyTypeOf } from '../../../src/audio/bodies/body-type.ts';
import type { AskedSound } from '../../../src/speech/audio-format.ts';

const MP3_FRAME = (() => {
  const frame = Buffer.alloc(192);
  frame.set([0xff, 0xf3, 0x84, 0xc0]);
  return frame;
})();
const BYTES = {
  mp3: Buffer.concat([MP3_FRAME, MP3_FRAME, MP3_FRAME]),
  id3: Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\0'), MP3_FRAME]),
  wav: Buffer.from('RIFF\xff\xff\xff\xffWAVEfmt ', 'latin1'),
  mp3InWav: Buffer.from('RIFF\0\0\0\0WAVEfmt \x1e\0\0\0\x55\0\x01\0', 'latin1'),
  ogg: Buffer.from('OggS\0\x02\0\0\0\0\0\0\0\0', 'latin1'),
  flac: Buffer.from('fLaC\0\0\0\x22\0\0\0\0\0\0', 'latin1'),
  quiet: Buffer.alloc(200, 0xff),
  sound: Buffer.from(Array.from({ length: 400 }, (_, i) => (i * 73) & 0xff)),
  json: Buffer.from('{"error":{"message":"no such voice"}}'),
  page: Buffer.from('<!doctype html><html><body>Bad gateway</body></html>'),
} as const;
const MP3 = { format: 'mp3' } as const;
const MULAW = { format: 'mulaw', sampleRate: 8000 } as const;
const PCM = { format: 'raw', sampleRate: 24_000 } as const;

const of = (contentType: string, bytes: keyof typeof BYTES, asked: AskedSound, usualRate?: number) => {
  const found = bodyTypeOf({ contentType, asked, usualRate }, BYTES[bytes], true);
  if (found.found === 'more-bytes') return found.found;
  if (found.found === 'refused') return `refused: ${found.what}`;
  const { type } = found;
  return type.kind === 'plain'
    ? `${type.sound.layout} ${type.sound.sampleRate} ${type.sound.channels}`
    : type.kind;
};

describe('the type of a body', () => {
  it.each([
    ['audio/mpeg', 'mp3', MP3, 'mp3'],
    ['audio/mp3; charset=x', 'id3', MP3, 'mp3'],
    ['audio/mpeg', 'sound', MP3, 'mp3'], // junk before the first frame is the parser's to judge
    ['audio/mpeg', 'mp3', MULAW, 'mp3'],
    ['audio/x-wav', 'wav', MP3, 'wav'],
    ['audio/mpeg', 'mp3InWav', MP3, 'mp3'],
    ['audio/wav', 'mp3InWav', MP3, 'mp3'],
    ['application/octet-stream', 'mp3InWav', MP3, 'mp3'],
    ['audio/ogg; codecs=opus', 'ogg', MP3, 'ogg'],
    ['audio/opus', 'ogg', MP3, 'ogg'],
    ['audio/basic', 'quiet', MULAW, 'mulaw 8000 1'],
    ['audio/PCMU;rate=16000', 'sound', MULAW, 'mulaw 16000 1'],
    ['audio/PCMA', 'sound', { format: 'alaw', sampleRate: 8000 }, 'alaw 8000 1'],
    ['audio/pcm;rate=24000;channels=1', 'sound', MP3, 's16 24000 1'],
    ['audio/pcm;rate=24000;channels=1;encoding=s16le', 'sound', PCM, 's16 24000 1'],
    ['audio/pcm;rate=44100;channels=2', 'sound', PCM, 's16 44100 2'],
    ['audio/pcm; encoding="f32le"; rate=24000', 'sound', PCM, 'f32 24000 1'],
    ['audio/l16', 'sound', PCM, 's16 24000 1'],
    ['application/octet-stream', 'sound', MULAW, 'mulaw 8000 1'],
    ['application/octet-stream', 'wav', MULAW, 'wav'],
    ['application/octet-stream', 'mp3', MP3, 'mp3'],
  ] as const)('%s with %s bytes, asked for %o, is %s', (contentType, bytes, asked, type) => {
    expect(of(contentType, bytes, asked)).toBe(type);
  });
  it.each([
    ['audio/mpeg', 'wav', MP3, 'said that it sends MP3 and sent WAV'],
    ['audio/mpeg', 'ogg', MP3, 'said that it sends MP3 and sent Ogg'],
    ['audio/mpeg', 'flac', MP3, 'said that it sends MP3 and sent FLAC'],
    ['audio/mpeg', 'json', MP3, 'said that it sends MP3 and sent text'],
    ['audio/wav', 'mp3', MP3, 'said that it sends WAV and sent MP3'],
    ['audio/wav', 'sound', MP3, 'said that it sends WAV and sent something else'],
    ['audio/ogg', 'wav', MP3, 'said that it sends Ogg and sent WAV'],
    ['audio/basic', 'mp3', MULAW, 'said that it sends µ-law and sent MP3'],
    ['audio/basic', 'id3', MULAW, 'said that it sends µ-law and sent MP3'],
    ['audio/basic', 'page', MULAW, 'said that it sends µ-law and sent text'],
    ['audio/pcm', 'json', PCM, 'said that it sends PCM and sent text'],
    ['audio/pcm', 'sound', MP3, 'answered with PCM of a rate that it does not tell'],
    ['audio/pcm', 'sound', MULAW, 'answered with PCM of a rate that it does not tell'],
    ['audio/pcm;rate=8000', 'sound', MULAW, 'was asked for µ-law and said that it sends PCM'],
    [
      'audio/pcm;rate=24000;encoding=s16be',
      'sound',
      PCM,
      'answered with PCM in an encoding that is not known',
    ],
    ['audio/pcm;rate=24000;channels=6', 'sound', PCM, 'answered with PCM of 6 channels'],
    ['audio/pcm;rate=1', 'sound', PCM, 'answered with PCM of 1 Hz'],
    ['application/octet-stream', 'sound', MP3, 'answered with bytes that are no audio'],
    ['application/json', 'json', MP3, 'answered with something other than audio/mpeg'],
    ['text/html', 'page', MULAW, 'answered with something other than audio/basic'],
    ['', 'mp3', MP3, 'answered with something other than audio/mpeg'],
    ['constructor', 'mp3', MP3, 'answered with something other than audio/mpeg'],
  ] as const)('%s with %s bytes, asked for %o, is refused: %s', (contentType, bytes, asked, what) => {
    expect(of(contentType, bytes, asked)).toBe(`refused: ${what}`);
  });
  it('is not judged before its mark can have come', () => {
    const head = { contentType: 'audio/wav', asked: MP3 };
    expect(bodyTypeOf(head, BYTES.wav.subarray(0, 5), false).found).toBe('more-bytes');
    expect(bodyTypeOf(head, BYTES.wav, true).found).toBe('type');
  });
  it('of PCM without a rate has the usual one of its service', () => {
    expect(of('audio/pcm', 'sound', MP3, 24_000)).toBe('s16 24000 1');
  });
});
