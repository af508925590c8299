// Faults that answer before anything is spoken: request windows of every kind, a cap on what runs at once, errors
// and a page of HTML where audio should be.

import { AppError, toErrorBody } from '../../src/base/app-error.ts';
import type { Instead } from '../../src/engine/fault-plan.ts';
import { rateLimitHeaders } from '../../src/limits/rate-limit-headers.ts';
import type { FaultEffect, GateAnswer } from './fault.ts';
import {
  createRequestWindow,
  type RequestWindow,
  type WindowKind,
  type WindowState,
} from './request-windows.ts';

export const RETRY_AFTER_FORMS = ['seconds', 'date', 'none'] as const;
export const RATE_HEADER_FORMS = ['none', '06', '08', 'x', 'x-unix'] as const;

export type LimitRule = {
  readonly kind: WindowKind;
  readonly perMinute: number;
  /** Both forms of RFC 9110 10.2.3, or no such header. */
  readonly retryAfter: (typeof RETRY_AFTER_FORMS)[number];
  /** `x-unix` tells the time of the reset, where all others tell how long it is until then. */
  readonly headers: (typeof RATE_HEADER_FORMS)[number];
};

const json = (status: number, error: AppError): Instead => ({
  status,
  contentType: 'application/json; charset=utf-8',
  body: JSON.stringify(toErrorBody(error)),
});
const tooMany = (message: string) => json(429, new AppError('rate_limited', message));

function retryAfterHeader(
  form: LimitRule['retryAfter'],
  resetMs: number,
  unixMs: number,
): Record<string, string> {
  if (form === 'none') return {};
  // A date has whole seconds: one that is rounded down would send the caller too early.
  const date = new Date(Math.ceil((unixMs + resetMs) / 1000) * 1000);
  return { 'Retry-After': form === 'date' ? date.toUTCString() : String(Math.ceil(resetMs / 1000)) };
}

function stateHeaders(
  form: LimitRule['headers'],
  perMinute: number,
  state: WindowState,
  unixMs: number,
): Record<string, string> {
  if (form === 'none') return {};
  if (form !== 'x-unix') return rateLimitHeaders(form, perMinute, state);
  return rateLimitHeaders('x', perMinute, { ...state, resetMs: unixMs + state.resetMs });
}

export const limitFault = ({ kind, perMinute, retryAfter, headers }: LimitRule): FaultEffect => ({
  at: 'gate',
  createGate({ clock, unixMs }) {
    const windows = new WeakMap<object, RequestWindow>();
    return ({ caller, perMinute: changed }): GateAnswer => {
      const most = changed ?? perMinute;
      const window = windows.get(caller) ?? createRequestWindow(kind);
      windows.set(caller, window);
      const nowUnixMs = unixMs();
      const state = window({ nowMs: clock.now(), unixMs: nowUnixMs }, most);
      const told = stateHeaders(headers, most, state, nowUnixMs);
      if (state.allowed) return { headers: told };
      return {
        headers: { ...told, ...retryAfterHeader(retryAfter, state.resetMs, nowUnixMs) },
        instead: tooMany(`This key may make ${most} requests in 60 seconds.`),
      };
    };
  },
});

/** Counted from the start of the engine. What has been used so far stays used. */
export const limitChangeFault = (afterMs: number, perMinute: number): FaultEffect => ({
  at: 'limit',
  afterMs,
  perMinute,
});

/** The header names are those of a large speech service that has such a cap. */
export const inFlightFault = (most: number): FaultEffect => ({
  at: 'gate',
  createGate:
    () =>
    ({ inFlight }) => ({
      headers: {
        'current-concurrent-requests': String(Math.min(inFlight, most)),
        'maximum-concurrent-requests': String(most),
      },
      ...(inFlight > most && { instead: tooMany(`This key may have ${most} requests under way.`) }),
    }),
});

export const statusFault = (status: number): FaultEffect => ({
  at: 'gate',
  createGate: () => () => ({
    instead: json(status, new AppError('internal', `This engine was started to answer ${status}.`)),
  }),
});

export const wrongTypeFault: FaultEffect = {
  at: 'gate',
  createGate: () => () => ({
    instead: {
      status: 200,
      contentType: 'text/html; charset=utf-8',
      body: '<!doctype html><title>Sign in</title><p>Please sign in to this network.</p>\n',
    },
  }),
};

/** As ElevenLabs refuses a key whose characters are used up: neither 402 nor 429, and the key is good. */
export const quotaFault: FaultEffect = {
  at: 'gate',
  createGate: () => () => ({
    instead: {
      status: 401,
      contentType: 'application/json; charset=utf-8',
      body: JSON.stringify({
        detail: { status: 'quota_exceeded', message: 'This request exceeds the quota of the account.' },
      }),
    },
  }),
};

/** 429 in place of speech, but only after a time between the two, evenly drawn. */
export const slowRefusalFault = (fromMs: number, toMs: number): FaultEffect => ({
  at: 'gate',
  createGate:
    ({ number }) =>
    () => ({
      instead: tooMany('This service is at its limit.'),
      afterMs: Math.round(fromMs + number() * (toMs - fromMs)),
    }),
});

/** A connection that was kept is found closed by the next request on it. */
export const staleSocketFault: FaultEffect = {
  at: 'gate',
  createGate:
    () =>
    ({ onConnectionBefore }) => ({ isCutOff: onConnectionBefore > 0 }),
};
