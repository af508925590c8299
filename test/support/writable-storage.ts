// A disk that takes everything, for tests of something else.

import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { StorageWatch } from '../../src/storage/works/storage-watch.ts';

/** It is never looked at; a fault that is noted stays. */
export const writableStorage = (): StorageWatch =>
  new StorageWatch({ probe: { look: async () => {} }, clock: systemClock, log: silentLog });
