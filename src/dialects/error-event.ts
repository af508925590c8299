// A failure as an event: what a client of the native protocol reads, and what other dialects translate.

import type { AppError } from '../base/app-error.ts';
import type { EventOf } from './native-events.ts';

export const errorEvent = (error: AppError, turn?: string): EventOf<'error'> => ({
  type: 'error',
  code: error.code,
  message: error.message,
  ...(turn === undefined ? {} : { turn }),
  // What names a turn reaches no further than that turn.
  scope: turn === undefined ? 'session' : 'turn',
  retryable: error.retryable,
  ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: Math.ceil(error.retryAfterMs) }),
});
