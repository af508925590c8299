// Codecs read what anybody may send. A fault in one ends the connection that it serves, and nobody else's; only its kind
// is logged, for what it was about may be spoken text.

import { faultKind } from '../../base/fault-kind.ts';
import type { Log } from '../../base/log.ts';

/** Wraps what a connection has its codec do, once per connection: nothing is made for each message. */
export type CodecGuard = <Value>(work: (value: Value) => void) => (value: Value) => void;

export const createCodecGuard =
  (log: Log, end: () => void): CodecGuard =>
  (work) =>
  (value) => {
    try {
      work(value);
    } catch (fault) {
      logCodecFault(log, fault);
      end();
    }
  };

export const logCodecFault = (log: Log, fault: unknown): void =>
  log.error('a codec failed inside', { cause: faultKind(fault) });
