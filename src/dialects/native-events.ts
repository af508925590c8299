// What the gateway says in the native protocol, as schemas: they give the types and the AsyncAPI document,
// and tests hold every message that leaves a socket against them.

import { z } from 'zod';
import { ASKED_FORMATS, SESSION_FORMATS } from '../speech/audio-format.ts';
import { SWITCH_REASONS } from '../speech/upstream-names.ts';

const turn = z.string();
const ms = z.number().min(0);
const count = z.int().min(0);
const speaker = z.union([z.literal(1), z.literal(2)]);

const resume = z.strictObject({
  token: z.string().describe('Goes on with this session on another connection'),
  forMs: count.describe('For so long the session is kept for a client that has lost its connection'),
});

const event = <T extends string, F extends z.ZodRawShape>(type: T, fields: F) =>
  z.strictObject({ type: z.literal(type), ...fields });

export const OUTCOMES = ['complete', 'cancelled', 'truncated', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

const withinMs = ms.describe(
  '19 of 20 of these words begin within so much of startMs; absent while their audio is unheard',
);
const captionWord = z.strictObject({
  text: z.string(),
  startMs: ms,
  endMs: ms,
  speaker: speaker.optional(),
  charStart: count,
  charEnd: count,
});

export const serverEventSchemas = {
  ready: event('ready', {
    session: z.string(),
    version: z.string(),
    attachToken: z.string().describe('Given to a telephony leg, it makes the leg one of this user'),
    limits: z.strictObject({
      text: count.describe('Longest text of one speak or append, in characters'),
      pendingText: count.describe('Most text of one appended turn that may wait to be spoken, in characters'),
      turnsInFlight: count.describe('Most turns named and not yet ended'),
      messageBytes: count.describe('Largest message'),
      messagesPerSecond: count.describe('Sustained rate of messages'),
      idleTimeoutMs: count.describe('A session without messages or audio is closed after this; 0 is never'),
    }),
    resume: resume.optional().describe('Only with resumable=1'),
  }).describe('First message of a session'),
  configured: event('configured', {
    format: z.enum(SESSION_FORMATS),
    sampleRate: z.int().optional().describe('Absent for mp3 as the upstream sends it'),
    frameMs: ms,
    pace: z.enum(['realtime', 'burst']),
    leadMs: ms,
    flow: z.enum(['clock', 'credit']),
    audio: z.enum(['binary', 'base64']),
    captions: z.enum(['off', 'words']),
    wordList: z.literal('final').optional().describe('Absent where no list was asked for'),
    markup: z.enum(['strip', 'keep']),
    cache: z.enum(['off', 'on']),
    upstream: z.array(z.string()).optional().describe('Absent where it is not narrowed'),
    prefer: z.enum(['voice', 'soonest']).optional().describe('Absent for order'),
    lastResort: z.enum(['apologise', 'fail']).optional().describe('Absent for speak'),
    lastResortText: z.string().optional(),
    synthesis: z.record(z.string(), z.unknown()).describe('Defaults of a turn, as set'),
  }).describe('The configuration in force'),
  queued: event('queued', {
    turn,
    reason: z.enum(['quota', 'busy', 'previous-turn']),
    position: count,
    etaMs: ms,
    atMs: ms.optional().describe('Of a turn that has started: media position up to which its audio is there'),
  }).describe('The turn cannot start now, or, with atMs, waits for quota in the middle'),
  started: event('started', {
    turn,
    format: z.enum(SESSION_FORMATS),
    sampleRate: z.int(),
    seed: z.number().min(0),
    received: z
      .strictObject({ format: z.enum(ASKED_FORMATS), sampleRate: z.int().optional() })
      .optional()
      .describe('What the speech service has sent for it; absent: MP3'),
    upstream: z.string().optional().describe('The speech service that speaks, as it is configured'),
    ignored: z
      .array(z.string())
      .optional()
      .describe('Fields of the turn that this service cannot do; absent where it does all of them'),
    timings: z.strictObject({ queueMs: ms, upstreamTtfbMs: ms, firstAudioMs: ms }),
  }).describe('The next binary frame is audio of this turn'),
  audio: event('audio', { turn, seq: count, ms, data: z.string().describe('base64') }).describe(
    'Audio, only with audio: "base64"',
  ),
  caption: event('caption', {
    turn,
    line: count,
    words: z.array(captionWord),
    estimated: z.boolean(),
    withinMs: withinMs.optional(),
  }).describe('Words about to be heard; final once sent'),
  words: event('words', {
    turn,
    line: count,
    words: z.array(captionWord),
    estimated: z.boolean(),
    withinMs: withinMs.optional(),
    more: z.boolean().describe('Further ones of the same turn follow at once'),
  }).describe(
    'All words of a turn where they were found in the end, after ended; only with wordList: "final"',
  ),
  flushed: event('flushed', { turn }).describe('All audio asked for before the flush has been sent'),
  paused: event('paused', {
    turn,
    atMs: ms.describe('Media position up to which audio has been sent'),
  }).describe('Nothing more of the turn is sent until it is resumed'),
  resumed: event('resumed', { turn, atMs: ms.describe('Media position from which audio comes') }).describe(
    'The turn goes on',
  ),
  sought: event('sought', {
    turn,
    paragraph: count,
    atMs: ms.describe(
      'Media position from which audio of the paragraph comes; captions told for it are void',
    ),
  }).describe('What was queued has been dropped, and the turn goes on from the paragraph'),
  progress: event('progress', {
    turn,
    paragraph: count,
    paragraphs: count,
    spokenCharacters: count.describe(
      'Code points from the beginning of the text up to the last word that began',
    ),
    characters: count,
  }).describe('How far a whole text of several paragraphs has been heard'),
  underrun: event('underrun', { turn, atMs: ms, gapMs: ms }).describe('The listener ran dry'),
  switched: event('switched', {
    turn,
    from: z.string().describe('The speech service that was to speak'),
    to: z.string().describe('The one that speaks'),
    atMs: ms.describe('Media position from which it does; 0 may come before started'),
    reason: z.enum(SWITCH_REASONS),
  }).describe('Another speech service speaks'),
  ended: event('ended', {
    turn,
    outcome: z.enum(OUTCOMES),
    audioMs: ms.describe('Audio made'),
    sentMs: ms.describe('Audio sent'),
    requests: count.describe('Upstream requests'),
    resumes: count,
    cached: z.boolean().describe('All of its speech had been kept: no request was made'),
    servedBy: z
      .array(z.strictObject({ upstream: z.string(), voice: z.string().optional(), fromMs: ms, toMs: ms }))
      .optional()
      .describe(
        'Who spoke, in media time of what was sent; voice as that service calls it, absent where it chose',
      ),
  }).describe('Exactly one per turn; no audio byte of the turn follows'),
  heard: event('heard', {
    turn,
    playedMs: ms,
    playedBy: z.enum(['client', 'mark', 'clock']),
    spokenText: z.string(),
    remainingText: z.string(),
    speaker: speaker.optional(),
  }).describe('Exactly one per started turn, when playing is over or cut'),
  mark: event('mark', { turn, name: z.string(), outcome: z.enum(['played', 'cleared']) }).describe(
    'Everything sent before the mark has been played, or will never be',
  ),
  attached: event('attached', {
    leg: z.string(),
    kind: z.string(),
    callSid: z.string().optional(),
    format: z.enum(SESSION_FORMATS),
    sampleRate: z.int(),
  }).describe('Turns named from now on are played to the leg'),
  detached: event('detached', {
    leg: z.string(),
    kind: z.string(),
    callSid: z.string().optional(),
    reason: z.string(),
  }).describe('The leg is no longer this session’s'),
  inbound: event('inbound', {
    seq: count.describe('Counts what was dropped, too'),
    ms,
    format: z.enum(SESSION_FORMATS),
    data: z.string().describe('base64'),
  }).describe('What the caller says'),
  dtmf: event('dtmf', { digit: z.string() }).describe('A key that the caller has pressed'),
  error: event('error', {
    code: z.string(),
    message: z.string(),
    turn: turn.optional(),
    scope: z.enum(['turn', 'session']),
    retryable: z.boolean(),
    retryAfterMs: ms.optional(),
  }).describe('docs/errors.md lists the codes'),
  voices: event('voices', {
    voices: z.array(
      z.strictObject({
        id: z.string().describe('What `voice` is to be'),
        name: z.string().optional(),
        gender: z.string().optional(),
        language: z.string().optional(),
        description: z.string().optional(),
        upstream: z.string().optional().describe('The speech service that has it, or several by commas'),
      }),
    ),
    more: z.boolean().describe('Further ones follow at once'),
  }).describe('Answer to voices'),
  pong: event('pong', { id: z.string().optional() }).describe('Answer to ping'),
  goaway: event('goaway', {
    deadlineMs: ms,
    resume: z.boolean().optional().describe('Only with resumable=1: whether the session can go on elsewhere'),
  }).describe('The gateway is about to stop: no new turn is taken'),
} as const;

/** What is said of a connection and not of its session, which knows nothing of them; without a number of their own. */
export const connectionEventSchemas = {
  session_resumed: event('session_resumed', {
    session: z.string(),
    exact: z.boolean().describe('False where something that was missed is no longer there'),
    taken: count.describe('Messages of the client that were taken: it repeats those behind them'),
    newContainer: z
      .literal(true)
      .optional()
      .describe('The turn’s audio begins with a new container, because another instance has made it anew'),
    resume,
  }).describe('First message on a connection that goes on with a session'),
  ack: event('ack', {
    n: count.describe('How many messages of the client were taken; no number of this message'),
  }).describe('Only with resumable=1, each second while there is news'),
} as const;
export type ConnectionEvent = {
  [T in keyof typeof connectionEventSchemas]: z.infer<(typeof connectionEventSchemas)[T]>;
}[keyof typeof connectionEventSchemas];

export type ServerEventType = keyof typeof serverEventSchemas;
export type ServerEvent = {
  [T in ServerEventType]: z.infer<(typeof serverEventSchemas)[T]>;
}[ServerEventType];
export type EventOf<T extends ServerEventType> = Extract<ServerEvent, { type: T }>;
