// The collector of this thread's heap, to be called by hand. Node keeps it to a flag, which is on for no longer than it takes to get it.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Holds the event loop for some tens of milliseconds; of the young alone, for a few. */
export type Collect = (options?: { readonly type: 'minor' }) => void;

export function collector(): Collect {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  return collect;
}
