// A text frame of a client → what it wants of which context. Unknown fields are ignored, as the vendor does; a known one of
// the wrong type is refused, and named.

import { z } from 'zod';
import { readBySchema } from '../../base/check-fields.ts';
import { isJsonObject, parseJson } from '../../base/json.ts';
import { NOT_JSON } from '../unreadable-message.ts';
import type { FrontDoor } from './voice-path.ts';

export type TextPart = {
  /** Not empty; blank text is text. */
  readonly text: string;
  /** Undefined: the voice of the path, or the first one of the context. */
  readonly voice: string | undefined;
  /** `new`: the speaker begins anew, be it the same one. */
  readonly turn: 'new' | 'same';
};

/**
 * Behind the text: `flush` speaks it; `end`: no more text for now; `finish`: all of it is spoken and the context ends;
 * `close`: the context ends, and what was not flushed with it.
 */
export type After = 'nothing' | 'flush' | 'end' | 'finish' | 'close';

export type ContextMessage = {
  readonly context: string;
  /** False for what keeps alive, flushes or closes: it opens no context. */
  readonly opens: boolean;
  readonly parts: readonly TextPart[];
  readonly after: After;
  /** For a context that begins with this message. */
  readonly speed: number | undefined;
  readonly voices: readonly string[];
};

export type ClientMessage =
  | { readonly kind: 'context'; readonly message: ContextMessage }
  | { readonly kind: 'close-socket' }
  | {
      readonly kind: 'refused';
      readonly code: 'invalid_json' | 'invalid_request';
      readonly message: string;
      /** The context that it names, where it names one. */
      readonly context: string | undefined;
    };

/** The context of messages that name none. */
const DEFAULT_CONTEXT = 'default';
const MAX_CONTEXT_ID = 256;

/** Null is as good as absent, and a flag is set by nothing but `true`. */
const flag = z
  .unknown()
  .optional()
  .transform((value) => value === true);
const contextId = z.string().max(MAX_CONTEXT_ID).nullish();
const voice = z.string().min(1).max(2048);

const contextFields = {
  context_id: contextId,
  contextId,
  close_context: flag,
  flush: flag,
  voice_settings: z.object({ speed: z.number().nullish() }).nullish(),
};
const speechSchema = z.object({ ...contextFields, text: z.string().nullish() });
const dialogueSchema = z.object({
  ...contextFields,
  // The vendor takes ten; a client that registers more than two gets a better message.
  voices: z.array(voice).max(10).nullish(),
  inputs: z
    .array(z.object({ text: z.string().nullish(), voice_id: voice.nullish(), new_turn: flag }))
    .max(1000)
    .nullish(),
});

type ContextFields = z.infer<typeof speechSchema> | z.infer<typeof dialogueSchema>;

/** Absent and empty are the default context. */
const contextOf = (fields: { readonly context_id?: unknown; readonly contextId?: unknown }): string => {
  const named = fields.context_id ?? fields.contextId ?? '';
  return typeof named === 'string' && named !== '' ? named : DEFAULT_CONTEXT;
};

/** What comes behind the text of a door whose contexts are flushed and closed. */
function afterOf({ close_context, flush }: ContextFields, said: string | undefined): After {
  // What is said together with its end is to be heard.
  if (close_context) return flush || (said ?? '').trim() !== '' ? 'finish' : 'close';
  if (!flush) return 'nothing';
  return said === '' ? 'end' : 'flush';
}

const partsOf = (said: string | undefined): readonly TextPart[] =>
  said === undefined || said === '' ? [] : [{ text: said, voice: undefined, turn: 'same' }];

function readSpeech(door: 'multi' | 'single', fields: z.infer<typeof speechSchema>): ContextMessage {
  const said = fields.text ?? undefined;
  const parts = partsOf(said);
  const speed = fields.voice_settings?.speed ?? undefined;
  const about = { opens: parts.length > 0, parts, speed, voices: [] };
  if (door === 'multi') return { ...about, context: contextOf(fields), after: afterOf(fields, said) };
  // The one context has no name, and ends with an empty text.
  const after = said === '' ? 'finish' : fields.flush ? 'flush' : 'nothing';
  return { ...about, context: DEFAULT_CONTEXT, after };
}

function readDialogue(fields: z.infer<typeof dialogueSchema>): ContextMessage {
  const parts = (fields.inputs ?? []).flatMap(({ text, voice_id, new_turn }): TextPart[] =>
    text == null || text === ''
      ? []
      : [{ text, voice: voice_id ?? undefined, turn: new_turn ? 'new' : 'same' }],
  );
  return {
    context: contextOf(fields),
    opens: parts.length > 0 || fields.voices != null,
    parts,
    after: afterOf(fields, parts.length === 0 ? undefined : parts.map((part) => part.text).join('')),
    speed: fields.voice_settings?.speed ?? undefined,
    voices: fields.voices ?? [],
  };
}

/** The context that a message that cannot be read was meant for; a single one has them all. */
function meantContext(door: FrontDoor, value: unknown): string | undefined {
  if (door === 'single') return DEFAULT_CONTEXT;
  if (!isJsonObject(value)) return undefined;
  const named = contextId.safeParse(value.context_id ?? value.contextId);
  return named.success ? contextOf({ context_id: named.data }) : undefined;
}

export function readClientMessage(door: FrontDoor, frame: string): ClientMessage {
  const json = parseJson(frame);
  const value = json?.value;
  const context = meantContext(door, value);
  if (json === undefined)
    return { kind: 'refused', code: 'invalid_json', message: NOT_JSON, context };
  if (isJsonObject(value) && door !== 'single' && value.close_socket === true)
    return { kind: 'close-socket' };
  if (door === 'dialogue') {
    const read = readBySchema(dialogueSchema, value, 'message');
    if (!read.ok) return { kind: 'refused', code: 'invalid_request', message: read.message, context };
    return { kind: 'context', message: readDialogue(read.value) };
  }
  const read = readBySchema(speechSchema, value, 'message');
  if (!read.ok) return { kind: 'refused', code: 'invalid_request', message: read.message, context };
  return { kind: 'context', message: readSpeech(door, read.value) };
}
