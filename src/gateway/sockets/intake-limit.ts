// How much one client may send: frames and bytes a second, with room for a burst, since a client that was cut off
// sends what it has saved up. HTTP's limits end with the upgrade, and the gateway never stops reading.

import { AppError } from '../../base/app-error.ts';
import { createTokenBucket } from '../../limits/token-bucket.ts';

export type IntakeLimits = {
  /** Messages, pings and pongs. */
  readonly messagesPerSecond: number;
  readonly bytesPerSecond: number;
  /** How many seconds' worth may come at once; 2 unless given. */
  readonly burstSeconds?: number;
};

const BURST_SECONDS = 2;

/** Answers with `rate_limited` when a frame of `bytes` exceeds the limit. */
export function createIntakeLimit({
  messagesPerSecond,
  bytesPerSecond,
  burstSeconds = BURST_SECONDS,
}: IntakeLimits): (nowMs: number, bytes: number) => AppError | undefined {
  const messages = createTokenBucket(messagesPerSecond, messagesPerSecond * burstSeconds);
  const volume = createTokenBucket(bytesPerSecond, bytesPerSecond * burstSeconds);
  const refused = (message: string) => new AppError('rate_limited', message);
  return (nowMs, bytes) => {
    if (!messages.take(nowMs))
      return refused(`More than ${messagesPerSecond} messages a second; send text in larger pieces.`);
    if (!volume.take(nowMs, bytes)) return refused(`More than ${bytesPerSecond} bytes a second; send less.`);
    return undefined;
  };
}
