// The same speech as each type of body that services send, and where it can be cut so that it still ends properly: MP3 behind a
// frame; samples behind a sample, in a WAV whose header tells no size; Ogg Opus by an encoder that was given less, so that
// its last page says that it is the last.

import { cutBehind, framesOf } from './cut-body.mjs';

const BLOCK = 480;
const PHONE_HZ = 8000;

export const BODY_FORMS = ['mp3', 'wav', 'pcm', 'mulaw', 'alaw', 'opus'];

/** `{type, whole, heardMs(part), cut(part)}`: `part` is 0…1 of the speech, `type` as a transport tells it. */
export function bodyOf(program, form, mp3) {
  if (form === 'mp3') {
    const frames = framesOf(program, mp3);
    const countOf = (part) => Math.max(1, Math.round(frames.count * part));
    return {
      type: undefined,
      whole: mp3,
      heardMs: (part) => frames.heardMs(countOf(part)),
      cut: (part) => cutBehind(mp3, frames, countOf(part)),
    };
  }
  const { samples, sampleRate } = decoded(program, mp3);
  const isPhone = form === 'mulaw' || form === 'alaw';
  const rate = isPhone ? PHONE_HZ : sampleRate;
  const sound = isPhone ? resampled(program, samples, sampleRate, rate) : samples;
  const countOf = (part) => Math.max(1, Math.round(sound.length * part));
  const encode = (count) => encoded(program, form, sound.subarray(0, count), rate);
  return {
    type: typeOf(form, rate),
    whole: encode(sound.length),
    heardMs: (part) => (countOf(part) * 1000) / rate,
    cut: (part) => encode(countOf(part)),
  };
}

const LAYOUTS = { pcm: 's16', mulaw: 'mulaw', alaw: 'alaw' };

function typeOf(form, sampleRate) {
  if (form === 'wav') return { kind: 'wav' };
  if (form === 'opus') return { kind: 'ogg' };
  return { kind: 'plain', sound: { layout: LAYOUTS[form], sampleRate, channels: 1 } };
}

function joined(parts) {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function decoded(program, mp3) {
  const parts = [];
  let sampleRate;
  const toPcm = new program.SoundToPcm(program.decoders, (block) => {
    ({ sampleRate } = block);
    parts.push(block.samples.slice());
  });
  toPcm.beginStream();
  const parser = new program.Mp3FrameParser({
    onFrame: (frame) => toPcm.push(frame),
    onTag: (tag) => toPcm.tag(tag),
  });
  parser.push(mp3);
  parser.flush();
  toPcm.close();
  return { samples: joined(parts), sampleRate };
}

function resampled(program, samples, fromRate, toRate) {
  const parts = [];
  const rates = { fromRate, toRate };
  const resampler = program.createResampler(program.banks, rates, (block) => parts.push(block.slice()));
  for (let at = 0; at < samples.length; at += BLOCK) resampler.push(samples.subarray(at, at + BLOCK));
  resampler.flush();
  return joined(parts);
}

function encoded(program, form, samples, sampleRate) {
  if (form === 'opus') {
    const pages = [];
    const stage = program.createOggOpusEncoder(sampleRate, ({ bytes }) => pages.push(bytes.slice()));
    for (let at = 0; at < samples.length; at += BLOCK) stage.push(samples.subarray(at, at + BLOCK));
    stage.flush();
    stage.close?.();
    return Buffer.concat(pages);
  }
  const wide = form === 'wav' || form === 'pcm';
  const bytes = new Uint8Array(samples.length * (wide ? 2 : 1));
  if (wide) program.encodePcm16(samples, bytes);
  else if (form === 'mulaw') program.encodeMulaw(samples, bytes);
  else program.encodeAlaw(samples, bytes);
  if (form !== 'wav') return bytes;
  const header = program.wavHeader({ sampleRate, channels: 1 });
  return Buffer.concat([header, bytes]);
}
