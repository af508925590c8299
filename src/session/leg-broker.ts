// Where sessions and telephony legs meet: a leg belongs to the user of the token that it brought, a session gets no other
// user's, and either may come first.

import type { AppError } from '../base/app-error.ts';
import type { CallLeg, LegListener } from '../playout/call-leg.ts';

export type LegWanted = { readonly callSid?: string | undefined; readonly token?: string | undefined };

/** `Leg` and `Listener`: what a session gets, and what the leg gets in return. */
export type LegBroker<Leg = CallLeg, Listener = LegListener> = {
  /** What a leg has to bring along to be one of this user. */
  readonly tokenFor: (userId: string, session: string) => string;
  /**
   * Gives the leg at once or when it comes; refuses with `leg_not_found` after a while, and with `leg_taken` when another
   * session has it. The result gives up waiting.
   */
  readonly attach: (
    userId: string,
    wanted: LegWanted,
    answer: {
      readonly onAttached: (leg: Leg) => Listener;
      readonly onRefused: (error: AppError) => void;
      /** It is known whether there is one now; told by a broker that decides later, after the answer if that is one. */
      readonly onDecided?: () => void;
    },
  ) => () => void;
  /** `later`: others have to be asked first whether there is such a leg; absent: what there is, is given within `attach`. */
  readonly decides?: 'later';
};
