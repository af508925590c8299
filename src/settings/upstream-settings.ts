// The settings of the speech service behind Voxgate: where it is, its keys, and what is done so that it is heard in time.
// Part of the one table in settings.ts.

import { upstreamKeyList } from './credential-lists.ts';
import { SERVICE_KINDS } from './service-kind-names.ts';
import { oneOf, redisAddress, type Setting, secretFile, text, webAddress, whole } from './setting.ts';
import { upstreamList } from './upstream-list.ts';
import { voiceAliasList } from './voice-alias-list.ts';
import { voiceTable } from './voice-table.ts';

const MS = 'MS';
const COUNT = 'COUNT';
const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;

export const UPSTREAM_SETTINGS = {
  upstreamKind: oneOf('speech-service', {
    values: SERVICE_KINDS,
    placeholder: 'KIND',
    meaning:
      'Whose interface the speech service speaks: ours, that of a vendor (many servers speak `openai`), or the embedded engine.',
  }),
  upstreamUrl: webAddress(
    'base',
    "Base address of the speech service. Empty: the vendor's own for kinds that have one, else the embedded engine is used.",
  ),
  upstreamModel: text(undefined, {
    placeholder: 'MODEL',
    meaning: 'Model that a service of another vendor is asked for. Empty: a usual one of that kind.',
  }),
  upstreamSound: oneOf('auto', {
    values: ['auto', 'mp3', 'listener'],
    placeholder: 'HOW',
    meaning:
      'What the service is asked to send: MP3, or what the listener gets where it has that (µ-law for phones). Auto: MP3 of `speech-service`, else `listener`.',
  }),
  upstreamKeys: upstreamKeyList(
    'The keys to spread requests over. Needed by every service but the engine; `openai` may go without.',
  ),
  upstreamKeysFile: secretFile('`upstreamKeys`'),
  upstreams: upstreamList(
    'Several speech services, in order of preference, in place of the settings of one.',
  ),
  voices: voiceTable(
    'One voice under its name at each service: callers use the alias, whichever service speaks.',
  ),
  voice: text(undefined, {
    placeholder: 'VOICE',
    meaning:
      "Voice of a turn that names none. Empty: the engine's first female voice; a remote upstream chooses.",
  }),
  voice2: text(undefined, {
    placeholder: 'VOICE',
    meaning:
      "Second voice of a dialogue that names none. Empty: the engine's first male voice; a remote upstream chooses.",
  }),
  voiceAliases: voiceAliasList(
    'Short names that callers may use for voices, or for pairs of them. They come before those that the embedded engine brings along.',
  ),
  upstreamConnectTimeoutMs: whole(2000, {
    min: 100,
    max: MINUTE_MS,
    placeholder: MS,
    meaning: 'How long a connection may take to open. Two seconds is far beyond any healthy network.',
  }),
  upstreamFirstByteTimeoutMs: whole(8000, {
    min: 100,
    max: 5 * MINUTE_MS,
    placeholder: MS,
    meaning: 'From sending a request to its first audio byte. A caller has hung up by then.',
  }),
  upstreamStallTimeoutMs: whole(5000, {
    min: 100,
    max: 5 * MINUTE_MS,
    placeholder: MS,
    meaning: 'Longest silence within a body before it counts as broken. Long enough for a slow sentence.',
  }),
  upstreamMaxInFlightPerKey: whole(50, {
    min: 1,
    max: 10_000,
    placeholder: COUNT,
    meaning: 'Requests open at once per key. Keeps one key from taking every connection the service grants.',
  }),
  upstreamMaxWaitMs: whole(30_000, {
    min: 0,
    max: 10 * MINUTE_MS,
    zero: 'never wait, refuse at once',
    placeholder: MS,
    meaning:
      'Longest wait of first words for a key with room, and of a caller who hears nothing in mid-turn. Half a minute spans half a rate window.',
  }),
  upstreamHedging: oneOf('on', {
    values: ['on', 'off'],
    placeholder: 'HOW',
    meaning:
      'Whether a request whose first byte is late may be sent to a second key as well. On: at most one in twenty, and only while keys have room.',
  }),
  redisUrl: redisAddress(
    'Redis that counts requests for all instances together. Empty: this instance counts alone, and its keys must be its own.',
  ),
  maxInstances: whole(4, {
    min: 1,
    max: 1000,
    placeholder: COUNT,
    meaning:
      'Most instances that share the keys. While Redis is away and has not told how many live, each uses this part of the quota.',
  }),
  phraseCache: oneOf('asked', {
    values: ['off', 'asked', 'always'],
    placeholder: 'WHEN',
    meaning:
      'Which turns may be played from speech that is kept: those that say `cache: "on"`, or all. Asked, because each of them sounds the same every time.',
  }),
  phraseCacheBytes: whole(32 * MIB, {
    min: MIB,
    max: 16 * 1024 * MIB,
    placeholder: 'BYTES',
    meaning: 'Compressed speech of phrases that is kept in memory. 32 MiB is an hour and more at 64 kbit/s.',
  }),
  phraseCacheRedisUrl: redisAddress(
    'Redis that keeps phrases for all instances; one of its own that may forget. Empty: each instance keeps its own.',
  ),
  wordTimes: oneOf('captions', {
    values: ['never', 'captions', 'always', 'service'],
    placeholder: 'WHEN',
    meaning:
      'Which turns have their words looked for in the audio: with captions or a word list, since it costs. Service: as captions, by its own times where it tells any.',
  }),
  timedTurns: whole(128, {
    min: 1,
    max: 4096,
    placeholder: COUNT,
    meaning:
      'Most turns that have their words looked for at once, and most bodies whose endings are; turns with neither get half. Each takes a hundredth of a core.',
  }),
  endings: oneOf('words', {
    values: ['words', 'sound'],
    placeholder: 'HOW',
    meaning:
      'What shows that a body which ends properly was cut: its words, held against our own speech, or its sound. Words, because sound misses one cut in four.',
  }),
  enginePerMinute: whole(0, {
    min: 0,
    max: 1_000_000,
    zero: 'no limit',
    placeholder: COUNT,
    meaning: 'Requests a minute that the embedded engine takes. No limit, because the engine is ours alone.',
  }),
} as const satisfies Record<string, Setting<unknown>>;
