// What a client of the native protocol may say, as schemas: they check each message, give the types,
// and make the AsyncAPI document. Unknown fields are refused, so that a misspelt one is not silently ignored.

import { z } from 'zod';
import { SESSION_FORMATS } from '../speech/audio-format.ts';
import { numberFrom, sampleRateField, synthesisFields } from '../speech/speech-request.ts';
import {
  lastResortField,
  lastResortTextField,
  preferField,
  upstreamField,
} from '../speech/upstream-names.ts';

const turn = z.string().min(1).max(64).describe('Id of a turn, chosen by the client');
const speaker = z.union([z.literal(1), z.literal(2)]);
const milliseconds = numberFrom(0, 86_400_000);

/** Fields of `configure`; the same names may stand in the query string of the upgrade. */
export const configureFields = {
  format: z.enum(SESSION_FORMATS).optional(),
  sampleRate: sampleRateField.optional(),
  frameMs: numberFrom(10, 100).optional(),
  pace: z.enum(['realtime', 'burst']).optional(),
  leadMs: numberFrom(40, 5000).optional(),
  flow: z.enum(['clock', 'credit']).optional(),
  audio: z.enum(['binary', 'base64']).optional(),
  captions: z.enum(['off', 'words']).optional(),
  wordList: z
    .enum(['off', 'final'])
    .optional()
    .describe('Whether all words of a turn are told once they have been found, after `ended`'),
  markup: z.enum(['strip', 'keep']).optional(),
  cache: z
    .enum(['off', 'on'])
    .optional()
    .describe('Whether a turn may be played from speech kept of the same request, and be kept itself'),
  upstream: upstreamField
    .optional()
    .describe('Speech services that may speak, by name and in order of preference; by commas in an address'),
  prefer: preferField.optional(),
  lastResort: lastResortField.optional(),
  lastResortText: lastResortTextField.optional(),
  ...synthesisFields,
} as const;

export const presetSchema = z.strictObject(configureFields);
export type Preset = z.infer<typeof presetSchema>;

const turnFields = {
  format: configureFields.format,
  sampleRate: configureFields.sampleRate,
  cache: configureFields.cache,
  upstream: configureFields.upstream,
  prefer: configureFields.prefer,
  lastResort: configureFields.lastResort,
  lastResortText: configureFields.lastResortText,
  ...synthesisFields,
} as const;

const message = <T extends string, F extends z.ZodRawShape>(type: T, fields: F) =>
  z.strictObject({ type: z.literal(type), ...fields });

const configureSchema = message('configure', configureFields).describe(
  'Sets defaults of the session; answered by configured or error',
);

const speakSchema = message('speak', {
  turn,
  text: z.string().optional(),
  dialogue: z
    .array(z.strictObject({ speaker, text: z.string() }))
    .min(1)
    .max(1000)
    .optional(),
  ...turnFields,
})
  .refine((speak) => (speak.text === undefined) !== (speak.dialogue === undefined), {
    message: 'exactly one of text and dialogue must be given',
    path: ['text'],
  })
  .describe('A whole turn: one text, or lines of two speakers');

const appendSchema = message('append', {
  turn,
  text: z.string(),
  speaker: speaker.optional(),
  ...turnFields,
}).describe('Text as it is produced, any split; synthesis fields only on the first message of a turn');

const flushSchema = message('flush', { turn }).describe('Speak what is there; answered by flushed');
const endSchema = message('end', { turn }).describe('No more text for this turn');
const cancelSchema = message('cancel', {
  turn: turn.optional(),
  playedMs: milliseconds.optional(),
}).describe('Barge-in: no audio byte of the turn after its ended; without turn, all turns');
const markSchema = message('mark', { turn, name: z.string().min(1).max(128) }).describe(
  'Echoed when everything sent before it has been played',
);
const playedSchema = message('played', { turn, ms: milliseconds }).describe(
  'What the listener has heard of the turn, cumulative',
);
const pauseSchema = message('pause', {
  turn,
  playedMs: milliseconds
    .optional()
    .describe('Where the listener has stopped; the playback position stays there'),
}).describe('Nothing more of the turn is sent until resume; answered by paused');
const resumeSchema = message('resume', { turn }).describe('Goes on after a pause; answered by resumed');
const seekSchema = message('seek', {
  turn,
  paragraph: z.int().min(0).describe('Index from 0: what blank lines part, or a line of a dialogue'),
  playedMs: milliseconds
    .optional()
    .describe(
      'Where the listener has stopped: audio that was not played is dropped, and the new place is heard at once',
    ),
}).describe('Speaks from another paragraph on; answered by sought');
const legSchema = z
  .strictObject({
    callSid: z.string().min(1).max(200).optional(),
    token: z.string().min(1).max(500).optional(),
  })
  .refine(({ callSid, token }) => (callSid === undefined) !== (token === undefined), {
    message: 'exactly one of callSid and token must be given',
  });
const attachSchema = message('attach', {
  leg: legSchema,
  inbound: z.enum(['drop', 'forward']).optional(),
  monitor: z.boolean().optional().describe('Whether the audio comes here, too'),
}).describe('Turns named from now on play to a telephony leg; answered by attached or error');
const detachSchema = message('detach', {}).describe('Lets the leg go; answered by detached');
const hangupSchema = message('hangup', { after: turn.optional() }).describe(
  'Ends the attached call, at once or when that turn has been heard',
);
const voicesSchema = message('voices', {}).describe('Lists the voices that there are; answered by voices');
const pingSchema = message('ping', { id: z.string().max(128).optional() }).describe('Answered by pong');

export const clientMessageSchemas = {
  configure: configureSchema,
  speak: speakSchema,
  append: appendSchema,
  flush: flushSchema,
  end: endSchema,
  cancel: cancelSchema,
  mark: markSchema,
  played: playedSchema,
  pause: pauseSchema,
  resume: resumeSchema,
  seek: seekSchema,
  attach: attachSchema,
  detach: detachSchema,
  hangup: hangupSchema,
  voices: voicesSchema,
  ping: pingSchema,
} as const;

export type ClientMessageType = keyof typeof clientMessageSchemas;

export type ClientCommand = {
  [T in ClientMessageType]: z.infer<(typeof clientMessageSchemas)[T]>;
}[ClientMessageType];
export type CommandOf<T extends ClientMessageType> = Extract<ClientCommand, { type: T }>;
