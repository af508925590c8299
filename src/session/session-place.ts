// The place of one session among those who speak: asked for by the turn that begins to speak, held while one turn follows
// another, given back when the last has ended. What is named behind a turn that speaks costs nothing more.

import type { AppError } from '../base/app-error.ts';
import { turnWeight } from '../limits/turn-weight.ts';
import type { AdmissionDesk, SpeakingPlace } from './admission-desk.ts';
import type { TurnSettings } from './turn-settings.ts';

export type SessionPlace = {
  /** Why a turn is not taken now; it has to be told. */
  refusal(settings: TurnSettings): AppError | undefined;
  take(settings: TurnSettings): void;
  readonly began: () => void;
  readonly leave: () => void;
};

export function createSessionPlace(desk: Pick<AdmissionDesk, 'refusal' | 'take'>): SessionPlace {
  let place: SpeakingPlace | undefined;
  return {
    refusal: (settings) => (place === undefined ? desk.refusal('turn', turnWeight(settings)) : undefined),
    take(settings) {
      place ??= desk.take(turnWeight(settings));
    },
    began: () => place?.began(),
    leave() {
      place?.leave();
      place = undefined;
    },
  };
}
