// packages/client/src/messages.ts is what the schemas of the gateway say, and its types are theirs. Mend it with
// `npx vitest run test/client/messages.test.ts -u`.
import { expect, it } from 'vitest';
import { z } from 'zod';
import type * as client from '../../packages/client/src/messages.ts';
import { ERROR_TABLE } from '../../src/base/app-error.ts';
import {
  type ConnectionEvent,
  connectionEventSchemas,
  type ServerEvent,
  serverEventSchemas,
} from '../../src/dialects/native-events.ts';
import {
  type ClientCommand,
  clientMessageSchemas,
  presetSchema,
} from '../../src/dialects/native-messages.ts';
import { agentProfileSchema } from '../../src/speech/agent-profile.ts';
import { SESSION_FORMATS } from '../../src/speech/audio-format.ts';
import { jobRequestSchema, turboRequestSchema } from '../../src/speech/job-request.ts';
import { listedVoiceSchema } from '../../src/speech/listed-voice.ts';
import { playNoteFieldsSchema } from '../../src/speech/playnote-request.ts';
import * as records from '../../src/speech/service-records.ts';
import { streamRequestSchema } from '../../src/speech/speech-request.ts';
import { declarationOf } from '../support/schema-types.ts';

const HEAD = `// What a client and the gateway say to each other, and the bodies of its REST side. Made from the gateway's schemas by
// test/client/messages.test.ts (run it with -u); not written by hand.

`;
const pascal = (type: string, end: string) =>
  `${type.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}${end}`;
const jsonOf = (schema: z.ZodType, io: 'input' | 'output') =>
  z.toJSONSchema(schema, { io, reused: 'inline', unrepresentable: 'any' }) as Record<string, unknown>;

function declarationsOf(
  schemas: Readonly<Record<string, z.ZodType>>,
  end: string,
  io: 'input' | 'output',
): string {
  return Object.entries(schemas)
    .map(([type, schema]) => declarationOf(pascal(type, end), jsonOf(schema, io)))
    .join('\n');
}
const unionOf = (name: string, schemas: object, end: string) =>
  `export type ${name} =\n${Object.keys(schemas)
    .map((type) => `  | ${pascal(type, end)}`)
    .join('\n')};\n`;

const source = () =>
  HEAD +
  [
    '/** The codes of the gateway (docs/errors.md), and whether the same may succeed later without a change. */',
    `export const ERROR_CODES = {\n${Object.entries(ERROR_TABLE)
      .map(([code, { retryable }]) => `  ${code}: ${retryable},\n`)
      .join('')}} as const;\n`,
    `export type SessionFormat = ${SESSION_FORMATS.map((format) => JSON.stringify(format)).join(' | ')};\n`,
    declarationOf('Preset', jsonOf(presetSchema, 'input')),
    declarationsOf(clientMessageSchemas, 'Command', 'output'),
    unionOf('ClientCommand', clientMessageSchemas, 'Command'),
    declarationsOf(serverEventSchemas, 'Event', 'output'),
    unionOf('ServerEvent', serverEventSchemas, 'Event'),
    declarationsOf(connectionEventSchemas, 'Event', 'output'),
    unionOf('ConnectionEvent', connectionEventSchemas, 'Event'),
    declarationOf('SpeechFields', jsonOf(streamRequestSchema, 'input')),
    declarationOf('JobFields', jsonOf(jobRequestSchema, 'input')),
    declarationOf('TurboFields', jsonOf(turboRequestSchema, 'input')),
    declarationOf('PlayNoteFields', jsonOf(playNoteFieldsSchema, 'output')),
    declarationOf('AgentProfile', jsonOf(agentProfileSchema, 'input')),
    declarationOf('ListedVoice', jsonOf(listedVoiceSchema, 'output')),
    declarationOf('JobRecord', jsonOf(records.jobSchema, 'output')),
    declarationOf('PlayNoteRecord', jsonOf(records.playNoteSchema, 'output')),
    declarationOf('AgentRecord', jsonOf(records.agentSchema, 'output')),
    declarationOf('AgentStatsRecord', jsonOf(records.agentStatsSchema, 'output')),
    declarationOf('DeliveryRecord', jsonOf(records.deliverySchema, 'output')),
  ].join('\n');

it('is what the schemas say', async () => {
  await expect(source()).toMatchFileSnapshot('../../packages/client/src/messages.ts');
});

/** Compiles only where a value of `From` is one of `To`. */
type Fits<From extends To, To> = From;
type Checked = [
  Fits<client.ServerEvent, ServerEvent>,
  Fits<ServerEvent, client.ServerEvent>,
  Fits<ClientCommand, client.ClientCommand>,
  Fits<ConnectionEvent, client.ConnectionEvent>,
  Fits<client.ConnectionEvent, ConnectionEvent>,
  Fits<records.JobRecord, client.JobRecord>,
  Fits<records.PlayNoteRecord, client.PlayNoteRecord>,
  Fits<records.AgentRecord, client.AgentRecord>,
  Fits<records.AgentStatsRecord, client.AgentStatsRecord>,
  Fits<records.DeliveryRecord, client.DeliveryRecord>,
];

it('has the types that the gateway has', () => {
  const checked: Checked | undefined = undefined;
  expect(checked).toBeUndefined();
});
