// What a session says, for codecs that are tested without one.

import type { EventOf, ServerEvent } from '../../src/dialects/native-events.ts';

export const READY: EventOf<'ready'> = {
  type: 'ready',
  session: 'AAECAwQFBgcICQoLDA0ODw',
  version: '1.2.3',
  attachToken: 'token',
  limits: {
    text: 100_000,
    pendingText: 1000,
    turnsInFlight: 8,
    messageBytes: 262_144,
    messagesPerSecond: 1000,
    idleTimeoutMs: 0,
  },
};

export const started = (turn: string): ServerEvent => ({
  type: 'started',
  turn,
  format: 'raw',
  sampleRate: 24_000,
  seed: 1,
  timings: { queueMs: 0, upstreamTtfbMs: 0, firstAudioMs: 0 },
});

export const ended = (
  turn: string,
  sentMs = 100,
  outcome: EventOf<'ended'>['outcome'] = 'complete',
): ServerEvent => ({
  type: 'ended',
  turn,
  outcome,
  audioMs: sentMs,
  sentMs,
  requests: 1,
  resumes: 0,
  cached: false,
});

export const heard = (turn: string, playedMs: number, spokenText = '', remainingText = ''): ServerEvent => ({
  type: 'heard',
  turn,
  playedMs,
  playedBy: 'clock',
  spokenText,
  remainingText,
});

/** Of a turn, or of the whole session. */
export const failure = (
  code: string,
  turn?: string,
  later: 'retryable' | 'in vain' = 'retryable',
): EventOf<'error'> => ({
  type: 'error',
  code,
  message: `It failed: ${code}.`,
  ...(turn === undefined ? {} : { turn }),
  scope: turn === undefined ? 'session' : 'turn',
  retryable: later === 'retryable',
});
