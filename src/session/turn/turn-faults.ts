// Why a turn cannot go on, or not as it is wanted.

import { AppError } from '../../base/app-error.ts';

export const noAudio = () =>
  new AppError('upstream_bad_audio', 'The speech service answered with no sound at all.');

export const creditTimeout = () =>
  new AppError(
    'credit_timeout',
    'No played report came; with flow: "credit" send played as the listener hears the turn.',
  );

export const pauseTimeout = (ms: number) =>
  new AppError('pause_timeout', `The turn was paused and not resumed within ${Math.round(ms / 1000)} s.`);
export const closedContainer = (format: string) =>
  new AppError('cannot_seek', `The ${format} of this turn is closed; nothing can be put behind it.`);
