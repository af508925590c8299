// Every setting of Voxgate, in one table: docs/configuration.md and `serve --help` are made from it.
// A name here (`leadMs`) is also the key in the YAML file; VOXGATE_LEAD_MS and --lead-ms follow from it.

import { apiKeyList } from './credential-lists.ts';
import { SERVICE_SETTINGS } from './service-settings.ts';
import {
  listenHost,
  oneOf,
  type Setting,
  secret,
  secretFile,
  text,
  webAddress,
  webSocketAddress,
  whole,
} from './setting.ts';
import { UPSTREAM_SETTINGS } from './upstream-settings.ts';

const MS = 'MS';
const COUNT = 'COUNT';
const KIB = 1024;
const MIB = 1024 * KIB;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export const SETTINGS = {
  // The public listener.
  host: listenHost('127.0.0.1', 'Where callers connect. Loopback, because without API keys nobody else may.'),
  port: whole(8080, {
    min: 0,
    max: 65_535,
    zero: 'any free port, printed at the start',
    placeholder: 'PORT',
    meaning: 'The public port. 8080, the usual one for a service that needs no privileges.',
  }),
  apiKeys: apiKeyList('Who may call. Empty: no keys are asked for, and only this machine may call.'),
  apiKeysFile: secretFile('`apiKeys`'),
  publicUrl: webAddress('origin', 'The origin that callers see, for signatures and links. Needs `apiKeys`.'),
  tlsCert: text(undefined, {
    placeholder: 'FILE',
    meaning: 'PEM certificate chain; with `tlsKey` the listener serves TLS itself. Empty: a proxy does.',
  }),
  tlsKey: text(undefined, { placeholder: 'FILE', meaning: 'PEM private key that belongs to `tlsCert`.' }),

  ...UPSTREAM_SETTINGS,

  ...SERVICE_SETTINGS,

  // Playing a turn.
  leadMs: whole(200, {
    min: 40,
    max: 5000,
    placeholder: MS,
    meaning:
      'How far ahead of real time audio is sent. 200 rides out network jitter and leaves little to take back on barge-in.',
  }),
  spoolBytes: whole(768 * KIB, {
    min: 64 * KIB,
    max: 1024 * MIB,
    placeholder: 'BYTES',
    meaning:
      'Compressed speech that the turns of one session keep. 768 KiB is a minute and a half at 64 kbit/s, and less than a stalled listener may cost.',
  }),
  maxBufferedBytes: whole(MIB, {
    min: 16 * KIB,
    max: 256 * MIB,
    placeholder: 'BYTES',
    meaning:
      'Unsent bytes at which a connection is closed as too slow; its audio is held back long before. Nobody who reads is ever near.',
  }),
  drainDeadlineMs: whole(10_000, {
    min: 1000,
    max: 10 * MINUTE_MS,
    placeholder: MS,
    meaning:
      'A client that is so far behind in reading audio sent in real time, or that reads nothing for so long, is closed. A live listener never is.',
  }),
  creditTimeoutMs: whole(60_000, {
    min: 1000,
    max: 60 * MINUTE_MS,
    placeholder: MS,
    meaning:
      'With credit flow, how long a turn waits for `played` before it ends. A minute outlasts any pause in listening.',
  }),

  pauseTimeoutMs: whole(60 * MINUTE_MS, {
    min: 1000,
    max: DAY_MS,
    placeholder: MS,
    meaning:
      'How long a turn may stay paused before it ends. An hour: a listener who is called away comes back, a client that forgot does not.',
  }),

  // What one client may hold.
  maxConnections: whole(2000, {
    min: 1,
    max: 1_000_000,
    placeholder: COUNT,
    meaning:
      'Connections in all. A guard for memory and file descriptors, meant to be set to what the machine carries.',
  }),
  busyAt: whole(75, {
    min: 10,
    max: 99,
    zero: 'nobody is refused for that',
    placeholder: 'PERCENT',
    meaning:
      "Used share of the playing thread's time at which new sessions are `busy`. At 75 frames are on time. Turns of open sessions have a little more.",
  }),
  maxConnectionsPerUser: whole(200, {
    min: 0,
    max: 1_000_000,
    zero: 'no limit of its own',
    placeholder: COUNT,
    meaning:
      'Connections of one user. A tenth of all, so that one runaway client leaves room for the others.',
  }),
  maxTurnsInFlight: whole(8, {
    min: 1,
    max: 1000,
    placeholder: COUNT,
    meaning: 'Turns named but not ended in one session. A conversation needs two or three.',
  }),
  textChars: whole(256 * KIB, {
    min: 1000,
    max: 1_000_000,
    placeholder: 'CHARS',
    meaning:
      'The longest whole text of one turn. A message has at most 256 KiB, so by default all that fits is taken: a chapter of a book.',
  }),
  pendingTextChars: whole(100_000, {
    min: 1000,
    max: 10_000_000,
    placeholder: 'CHARS',
    meaning:
      'Appended text of a turn that is not spoken yet. About two hours of speech; more is a loop gone wrong.',
  }),
  textBytes: whole(8 * MIB, {
    min: 8 * MIB,
    max: 256 * MIB,
    placeholder: 'BYTES',
    meaning:
      'Memory that the texts of one session may take, words and their times included. The longest single text of any language has room.',
  }),
  connectionTimeMs: whole(100, {
    min: 10,
    max: 1000,
    zero: 'no limit',
    placeholder: MS,
    meaning:
      'Time of the playing thread that messages of one connection or leg may take each second; what is beyond waits. Five times what a thousand tokens a second cost.',
  }),
  userTimeMs: whole(300, {
    min: 10,
    max: 1000,
    zero: 'no limit of its own',
    placeholder: MS,
    meaning:
      'The same for all connections of one user. Less than a third of the thread: hundreds of sessions of a bot have enough, and others are still heard.',
  }),
  idleTimeoutMs: whole(900_000, {
    min: 1000,
    max: DAY_MS,
    zero: 'never',
    placeholder: MS,
    meaning:
      'A session without a message or a turn for so long is closed. A quarter of an hour spans a long hold.',
  }),
  heartbeatMs: whole(20_000, {
    min: 1000,
    max: 60 * MINUTE_MS,
    placeholder: MS,
    meaning: 'Time between pings. Well below the 60 s after which proxies commonly drop a quiet connection.',
  }),
  pongTimeoutMs: whole(10_000, {
    min: 1000,
    max: 10 * MINUTE_MS,
    placeholder: MS,
    meaning: 'How long a pong may take before the peer counts as gone. Covers a phone that changes networks.',
  }),
  resumeMs: whole(120_000, {
    min: 1000,
    max: 10 * MINUTE_MS,
    zero: 'no session outlives its connection',
    placeholder: MS,
    meaning:
      'How long a session that is `resumable` waits for a client that has lost its connection. Two minutes span a change of network.',
  }),
  maxDetachedPerUser: whole(50, {
    min: 1,
    max: 1_000_000,
    placeholder: COUNT,
    meaning:
      "Sessions of one user that wait for lost clients; with one more, that which has waited longest ends. A quarter of a user's connections.",
  }),

  // Observers.
  maxOnlookers: whole(1000, {
    min: 0,
    max: 1_000_000,
    zero: 'nobody may look on',
    placeholder: COUNT,
    meaning:
      'Onlookers of all sessions together. Each is a connection and its bytes; the speech is made once for all of one session.',
  }),
  maxOnlookersPerSession: whole(200, {
    min: 0,
    max: 1_000_000,
    zero: 'nobody may look on',
    placeholder: COUNT,
    meaning:
      'Onlookers of one session. A full lecture hall; a page that opens one stream after another is stopped there.',
  }),
  onlookerJoinMs: whole(2000, {
    min: 0,
    max: 5000,
    zero: 'none',
    placeholder: MS,
    meaning:
      'Sound of the past that an onlooker gets at once, and so how far it is behind. Players begin only when they have a second or two in hand.',
  }),

  // Telephony.
  twilioAuthToken: secret(
    'TOKEN',
    'The auth token of the Twilio account, which signs its legs. With API keys a leg of Twilio is refused without it.',
  ),
  asteriskUrl: webSocketAddress(
    'Asterisk’s HTTP server, where channels of chan_websocket wait to be dialled (`WebSocket/INCOMING`). Empty: nothing is dialled.',
  ),
  asteriskUrlFile: secretFile('`asteriskUrl`'),
  audiosocketPort: whole(0, {
    min: 0,
    max: 65_535,
    zero: 'off',
    placeholder: 'PORT',
    meaning:
      'A TCP listener on `host` for AudioSocket legs of Asterisk, which come without a key: only private addresses are let in. Off unless asked for.',
  }),

  // Operating.
  processes: whole(1, {
    min: 1,
    max: 64,
    placeholder: COUNT,
    meaning:
      'Processes that play; from 2 on they share the port, and one more owns the rest. One, because a core goes a long way; else as many as cores.',
  }),
  peerUrl: webAddress(
    'origin',
    'Where the other instances of this gateway reach `peerPort` of this one. https: with `tlsCert` and `tlsKey`.',
  ),
  peerPort: whole(0, {
    min: 0,
    max: 65_535,
    zero: 'off',
    placeholder: 'PORT',
    meaning:
      'A listener for the other instances, which makes them one gateway. Off for one that is alone. Needs `peerUrl`, `redisUrl`, `secret`.',
  }),
  adminPort: whole(0, {
    min: 0,
    max: 65_535,
    zero: 'off',
    placeholder: 'PORT',
    meaning:
      'A second listener, on loopback and without a key, for running sessions, pool state and metrics. Off unless asked for.',
  }),
  adminKey: secret(
    'KEY',
    'Who sends it may read metrics and what runs, and end sessions. Empty: programs on this machine may, unless others are served.',
  ),
  logLevel: oneOf('info', {
    values: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    placeholder: 'LEVEL',
    meaning: 'The least severe line logged (JSON on stderr). Never spoken text or a key, at any level.',
  }),
  dataDir: text('./data', {
    placeholder: 'DIR',
    meaning:
      'Where what must outlive a restart is kept: jobs, PlayNotes, agents and their files, and what was learned about the request limits of the keys.',
  }),
  drainMs: whole(60_000, {
    min: 0,
    max: 60 * MINUTE_MS,
    zero: 'stop at once',
    placeholder: MS,
    meaning:
      'On SIGTERM, how long playing turns may finish. A minute, because most orchestrators can be told to wait so long.',
  }),
  drainDelayMs: whole(0, {
    min: 0,
    max: 10 * MINUTE_MS,
    zero: 'drain at once',
    placeholder: MS,
    meaning:
      'On SIGTERM, how long `/readyz` is 503 before anything is refused: the time that a load balancer needs to notice.',
  }),
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof SETTINGS;

/** The validated settings, deep-frozen; `undefined` = not set. `…File` settings are already read into their lists. */
export type Config = {
  readonly [Name in SettingName]: (typeof SETTINGS)[Name] extends Setting<infer T> ? T : never;
};

/** `leadMs` → `VOXGATE_LEAD_MS`. */
export const toEnv = (name: string): string => `VOXGATE_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`;

/** `leadMs` → `--lead-ms`. */
export const toFlag = (name: string): string => `--${name.replace(/[A-Z]/g, '-$&').toLowerCase()}`;

export const shownDefault = ({ default: value }: Setting<unknown>): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : 'empty';

/** The settings as `serve --help` lists them: flag, meaning, default and variable. */
export function settingsHelp(): string {
  const lines = Object.entries(SETTINGS).flatMap(([name, setting]) => [
    `  ${toFlag(name)} ${setting.placeholder}`,
    `      ${setting.meaning}`,
    `      Allowed: ${setting.allowed}. Default: ${shownDefault(setting)}. Variable: ${toEnv(name)}`,
  ]);
  return [
    'Settings. A flag goes before its variable, a variable before the file, the file before the default.',
    '',
    '  --config FILE',
    '      A YAML file of settings by their names in camelCase (leadMs: 300).',
    ...lines,
    '',
  ].join('\n');
}
