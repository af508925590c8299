// What a client says on the socket, read without regard to what has been said before: more speech, or an end to it.
// Fields that it does not know are passed over, as vendors add some with every version of theirs.

import { z } from 'zod';
import { readBySchema } from '../../base/check-fields.ts';
import { isJsonObject, parseJson } from '../../base/json.ts';
import { NO_OBJECT, NOT_JSON } from '../unreadable-message.ts';

/** `ends`: the message says that it is the last one. `whole`: it says nothing of others, and is a request by itself. */
export type CartesiaInput = 'goes-on' | 'ends' | 'whole';

export type CartesiaRequest =
  | { readonly kind: 'cancel'; readonly contextId: string; readonly playedMs: number | undefined }
  | {
      readonly kind: 'generate';
      readonly contextId: string;
      /** Empty when the message has none. */
      readonly transcript: string;
      readonly input: CartesiaInput;
      readonly isFlush: boolean;
      /** The whole message, of which a context's first one says more. */
      readonly message: object;
    }
  | {
      readonly kind: 'refused';
      /** Empty when the message names none that could be answered. */
      readonly contextId: string;
      readonly input: CartesiaInput;
      readonly code: 'invalid_json' | 'invalid_request';
      readonly message: string;
    };

/** Ids are kept while their contexts live, and for a while after. */
const MAX_CONTEXT_ID = 512;
const contextIdSchema = z.string().min(1).max(MAX_CONTEXT_ID);

const schema = z.object({
  context_id: contextIdSchema,
  transcript: z.string().nullish(),
  continue: z.boolean().nullish(),
  flush: z.boolean().nullish(),
  cancel: z.boolean().nullish(),
});
/** A cancel is carried out whatever else the message says. */
const cancelSchema = z.object({
  context_id: contextIdSchema,
  cancel: z.literal(true),
  played_ms: z.number().min(0).max(86_400_000).optional().catch(undefined),
});

const inputOf = (goesOn: unknown): CartesiaInput => {
  if (goesOn === true) return 'goes-on';
  return goesOn === false ? 'ends' : 'whole';
};

export function readCartesiaRequest(frame: string): CartesiaRequest {
  const json = parseJson(frame);
  if (json === undefined) {
    return { kind: 'refused', contextId: '', input: 'whole', code: 'invalid_json', message: NOT_JSON };
  }
  const { value } = json;
  const refused = (message: string): CartesiaRequest => {
    const fields = isJsonObject(value) ? value : {};
    const named = contextIdSchema.safeParse(fields.context_id);
    const contextId = named.success ? named.data : '';
    const input = inputOf(fields.continue);
    return { kind: 'refused', contextId, input, code: 'invalid_request', message };
  };
  if (!isJsonObject(value)) return refused(NO_OBJECT);
  const cancel = cancelSchema.safeParse(value);
  if (cancel.success)
    return { kind: 'cancel', contextId: cancel.data.context_id, playedMs: cancel.data.played_ms };
  const read = readBySchema(schema, value, 'message');
  if (!read.ok) return refused(read.message);
  const { context_id: contextId, transcript, continue: goesOn, flush } = read.value;
  if (transcript == null && goesOn == null && flush == null)
    return refused('transcript: must be the text to speak; it is missing');
  return {
    kind: 'generate',
    contextId,
    transcript: transcript ?? '',
    input: inputOf(goesOn),
    isFlush: flush === true,
    message: value,
  };
}
