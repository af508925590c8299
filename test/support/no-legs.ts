// A gateway without telephony.

import { AppError } from '../../src/base/app-error.ts';
import type { LegServer } from '../../src/gateway/calls/leg-server.ts';
import type { LegBroker } from '../../src/session/leg-broker.ts';

export const NO_LEG_DESK: LegBroker = {
  tokenFor: () => 'token',
  attach(_user, _wanted, { onRefused }) {
    onRefused(new AppError('leg_not_found', 'There are no legs here.'));
    return () => {};
  },
};

export const NO_LEG_SERVER: Pick<LegServer, 'takes' | 'upgrade'> = { takes: () => false, upgrade() {} };
