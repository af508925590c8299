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
  began(): void;
  leave(): void;
};

class PlaceOfSession implements SessionPlace {
  private readonly desk: Pick<AdmissionDesk, 'refusal' | 'take'>;
  private place: SpeakingPlace | undefined;

  constructor(desk: Pick<AdmissionDesk, 'refusal' | 'take'>) {
    this.desk = desk;
  }

  refusal(settings: TurnSettings): AppError | undefined {
    return this.place === undefined ? this.desk.refusal('turn', turnWeight(settings)) : undefined;
  }
  take(settings: TurnSettings): void {
    this.place ??= this.desk.take(turnWeight(settings));
  }
  began(): void {
    this.place?.began();
  }
  leave(): void {
    this.place?.leave();
    this.place = undefined;
  }
}

export const createSessionPlace = (desk: Pick<AdmissionDesk, 'refusal' | 'take'>): SessionPlace =>
  new PlaceOfSession(desk);
