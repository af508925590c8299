// The wire protocols that are served; a path belongs to one of them at most.

import { cartesiaDialect } from './cartesia/cartesia-dialect.ts';
import { deepgramDialects } from './deepgram/deepgram-dialects.ts';
import type { Dialect } from './dialect.ts';
import { elevenLabsDialect } from './elevenlabs/elevenlabs-dialect.ts';
import { jambonzDialect } from './jambonz-dialect.ts';
import { nativeDialect } from './native-dialect.ts';

export const DIALECTS: readonly Dialect[] = [
  nativeDialect,
  cartesiaDialect,
  ...deepgramDialects,
  elevenLabsDialect,
  jambonzDialect,
];
