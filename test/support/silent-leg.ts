// A leg on which nothing is heard, for tests of who gets it.

import type { CallLeg } from '../../src/playout/call-leg.ts';

type LegLook = Pick<CallLeg, 'id' | 'callId' | 'kind' | 'audio' | 'leadMs' | 'reports'>;

export const silentLeg = (look: LegLook): CallLeg => ({
  ...look,
  play() {},
  cork() {},
  uncork() {},
  isCongested: () => false,
  committedMs: () => undefined,
  finish() {},
  clear() {},
  hangUp() {},
  release() {},
});
