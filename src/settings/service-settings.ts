// The settings of the speech service that Voxgate is: jobs, PlayNotes, agents, webhooks. Part of the one table in
// settings.ts.

import { sharedSecretList, webhookSecretList } from './credential-lists.ts';
import {
  filesAddress,
  hookAddress,
  oneOf,
  postgresAddress,
  type Setting,
  secret,
  secretFile,
  text,
  webAddress,
  whole,
} from './setting.ts';

const MIB = 1024 * 1024;
const COUNT = 'COUNT';

export const SERVICE_SETTINGS = {
  databaseUrl: postgresAddress(
    'PostgreSQL for the records of several instances: jobs, PlayNotes, agents, webhooks, revoked tokens. Empty: SQLite in `dataDir`, for one.',
  ),
  databaseUrlFile: secretFile('`databaseUrl`'),
  databaseConnections: whole(10, {
    min: 2,
    max: 100,
    placeholder: COUNT,
    meaning:
      'Connections to PostgreSQL that an instance opens at most, beside one for news. Ten carry some thousand statements a second.',
  }),
  filesUrl: filesAddress(
    'Where all instances find the files of works, with `databaseUrl`: a folder, or a bucket with credentials from the usual AWS variables. Empty: `dataDir`.',
  ),
  secret: sharedSecretList(
    'What tokens, attach and resume tokens and file addresses are signed with: the same for all instances. Empty: made at the first start, kept in `dataDir`.',
  ),
  secretFile: secretFile('`secret`'),
  worksAtOnce: whole(2, {
    min: 0,
    max: 100,
    placeholder: COUNT,
    meaning:
      'Jobs and PlayNotes that are made at the same time. Two, so that a long one does not hold up the rest. 0, with `databaseUrl`: others make them.',
  }),
  worksPerUser: whole(100, {
    min: 1,
    max: 100_000,
    placeholder: COUNT,
    meaning: 'Unfinished jobs that a user may have. A hundred is a morning’s work for one key.',
  }),
  agentsPerUser: whole(1000, {
    min: 1,
    max: 1_000_000,
    placeholder: COUNT,
    meaning: 'Agents that a user may have. A guard for the disk, far above what people name.',
  }),
  makePerMinute: whole(0, {
    min: 0,
    max: 1_000_000,
    zero: 'no limit',
    placeholder: COUNT,
    meaning:
      'Requests for speech, jobs and PlayNotes that a key may make in 60 s. No limit, because the speech service behind has its own.',
  }),
  askPerMinute: whole(600, {
    min: 0,
    max: 1_000_000,
    zero: 'no limit',
    placeholder: COUNT,
    meaning: 'Requests that ask and list, by key, in 60 s. Ten a second is more than any poller needs.',
  }),
  sourceBytes: whole(50 * MIB, {
    min: 1024,
    max: 1024 * MIB,
    placeholder: 'BYTES',
    meaning: 'Largest source of a PlayNote. 50 MiB holds a book with its pictures.',
  }),
  storedBytesPerUser: whole(5 * 1024 * MIB, {
    min: MIB,
    max: 1024 * 1024 * MIB,
    placeholder: 'BYTES',
    meaning:
      'Finished files of one user; more is refused until some are deleted. 5 GiB is some seventy hours of mp3.',
  }),
  retentionDays: whole(30, {
    min: 1,
    max: 3650,
    zero: 'keep them for ever',
    placeholder: 'DAYS',
    meaning:
      'After so many days finished jobs and PlayNotes are forgotten, with their files. A month to fetch them.',
  }),
  privateAddresses: oneOf('refused', {
    values: ['refused', 'allowed'],
    placeholder: 'HOW',
    meaning:
      'Whether webhooks and sources may lie in private networks. Refused, or every caller could reach into yours; allow it on a laptop.',
  }),
  webhookSecrets: webhookSecretList(
    'Master secrets of webhook signatures, the newest first; each user’s own follows from them. Empty: made at the first start, kept in `dataDir`.',
  ),
  webhookSecretsFile: text(undefined, {
    placeholder: 'FILE',
    meaning: 'A file that holds `webhookSecrets`, so that it stays out of the environment.',
  }) satisfies Setting<string | undefined>,
  healthWebhookUrl: hookAddress(
    'Where a message goes when a speech service is out, or back, with several services. It may be in a private network, and its query may hold a key.',
  ),
  healthWebhookSecrets: webhookSecretList(
    'What these messages are signed with, the newest first. Empty: they are not signed.',
  ),
  ffmpeg: oneOf('auto', {
    values: ['auto', 'off'],
    placeholder: 'HOW',
    meaning:
      'Whether finished files are made by ffmpeg where it is installed. Without it Voxgate makes them itself.',
  }),
  scriptUrl: webAddress(
    'base',
    'Base address of an OpenAI-compatible chat service (…/v1) that writes the scripts of PlayNotes. Empty: the embedded writer does.',
  ),
  scriptKey: secret('KEY', 'Its API key. Empty: none is sent.'),
  scriptModel: text(undefined, {
    placeholder: 'MODEL',
    meaning: 'Its model. Needed as soon as `scriptUrl` is set.',
  }),
} as const;
