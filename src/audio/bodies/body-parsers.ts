// The parser of a body by its type.

import { Mp3FrameParser } from '../mp3/mp3-frame-parser.ts';
import type { BodyParser, SoundSink } from './body-parser.ts';
import type { BodyType } from './body-type.ts';
import { OggOpusReader } from './ogg-opus-reader.ts';
import { PlainReader } from './plain-reader.ts';
import { WavReader } from './wav-reader.ts';

export function openBodyParser(type: BodyType, sink: SoundSink): BodyParser {
  switch (type.kind) {
    case 'mp3':
      return new Mp3FrameParser(sink);
    case 'wav':
      return new WavReader(sink);
    case 'ogg':
      return new OggOpusReader(sink);
    case 'plain':
      return new PlainReader(type.sound, sink);
  }
}
