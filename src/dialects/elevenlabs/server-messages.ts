// What the three front doors say, as text frames: the same things under the names of each. Audio is built without a detour
// over an object, for it is the hot path.

import type { Alignment } from './aligner.ts';
import type { ProtocolError } from './protocol-error.ts';
import type { FrontDoor } from './voice-path.ts';

export type ServerMessages = {
  audio(context: string, bytes: Uint8Array, alignment: Alignment | undefined): string;
  /** Words whose audio has been sent already. */
  timing(context: string, alignment: Alignment): string;
  /** Says nothing, for a client that counts the seconds. */
  keepAlive(context: string): string;
  /** The end of a context. */
  final(context: string): string;
  /** All audio of one explicit flush has been sent; absent where nothing is said of that. */
  flushed?(context: string): string;
  error(error: ProtocolError, context: string | undefined): string;
};

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');

const camelAlignments = (alignment: Alignment | undefined): string => {
  const value = alignment === undefined ? 'null' : JSON.stringify(alignment);
  // Numbers and signs are read by the engine: what was written is all that can be told.
  return `"alignment":${value},"normalizedAlignment":${value}`;
};
const snakeAlignment = (alignment: Alignment | undefined): string =>
  alignment === undefined
    ? 'null'
    : JSON.stringify({
        chars: alignment.chars,
        char_start_times_ms: alignment.charStartTimesMs,
        char_durations_ms: alignment.charDurationsMs,
      });

const multi: ServerMessages = {
  audio: (context, bytes, alignment) =>
    `{"audio":"${base64(bytes)}",${camelAlignments(alignment)},"contextId":${JSON.stringify(context)}}`,
  timing: (context, alignment) =>
    `{"audio":null,${camelAlignments(alignment)},"contextId":${JSON.stringify(context)}}`,
  keepAlive: (context) =>
    `{"audio":null,${camelAlignments(undefined)},"contextId":${JSON.stringify(context)}}`,
  final: (context) => JSON.stringify({ isFinal: true, contextId: context }),
  error: (error, context) =>
    JSON.stringify({ ...error, ...(context !== undefined && { contextId: context }) }),
};

const single: ServerMessages = {
  audio: (_context, bytes, alignment) =>
    `{"audio":"${base64(bytes)}","isFinal":null,${camelAlignments(alignment)}}`,
  // Without `audio` and `isFinal`, whose mere presence older clients act on.
  timing: (_context, alignment) => `{${camelAlignments(alignment)}}`,
  keepAlive: () => `{${camelAlignments(undefined)}}`,
  final: () => '{"audio":null,"isFinal":true}',
  error: (error) => JSON.stringify(error),
};

const dialogue: ServerMessages = {
  audio: (context, bytes, alignment) =>
    `{"audio":"${base64(bytes)}","alignment":${snakeAlignment(alignment)},"context_id":${JSON.stringify(context)}}`,
  timing: (context, alignment) =>
    `{"audio":null,"alignment":${snakeAlignment(alignment)},"context_id":${JSON.stringify(context)}}`,
  keepAlive: (context) => JSON.stringify({ audio: null, alignment: null, context_id: context }),
  final: (context) => JSON.stringify({ is_final: true, context_id: context }),
  flushed: (context) => JSON.stringify({ is_final_audio_for_turn: true, context_id: context }),
  error: (error, context) =>
    JSON.stringify({ ...error, ...(context !== undefined && { context_id: context }) }),
};

export const SERVER_MESSAGES: Readonly<Record<FrontDoor, ServerMessages>> = { multi, single, dialogue };
