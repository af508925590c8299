// Where everyone who wants to speak asks for room on this thread: it looks five times a second at what the thread uses,
// lets `headroom.ts` judge, and refuses in the one way that all protocols tell. Refusing is cheap (µs).

import { AppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import type { Headroom, HeadroomLevel } from '../limits/headroom.ts';
import { turnWeight } from '../limits/turn-weight.ts';
import type { TurnSettings } from './turn-settings.ts';

/** Who asks: a session at its upgrade, a turn of an open session, a call at its upgrade, speech as the reply to a request. */
export const SPEECH_ASKERS = ['session', 'turn', 'leg', 'reply'] as const;
export type SpeechAsker = (typeof SPEECH_ASKERS)[number];

export type SpeakingPlace = {
  /** Its first audio is on its way. */
  readonly began: () => void;
  readonly leave: () => void;
};

export type AdmissionControl = {
  /** Why nobody of this kind is taken now: `busy`, with the time to come again. */
  refusal(asker: SpeechAsker, weight?: number): AppError | undefined;
  /** A session has come in, which is about to speak. */
  opened(): void;
  /** A speaker holds a place of `weight` until it is given back. */
  take(weight: number): SpeakingPlace;
};

export type AdmissionControlOptions = {
  readonly headroom: Headroom;
  readonly clock: Clock;
  /** The share of the thread's time that was used since it was asked last, 0…1. */
  readonly usedShare: () => number;
  readonly onRefused: (asker: SpeechAsker) => void;
};

const LOOK_MS = 200;
/** A call that rings is somebody's open session. */
const LEVELS: Readonly<Record<SpeechAsker, HeadroomLevel>> = {
  session: 'session',
  reply: 'session',
  turn: 'turn',
  leg: 'turn',
};

export function createAdmissionControl(
  options: AdmissionControlOptions,
): AdmissionControl & { readonly close: () => void } {
  const { headroom, clock, usedShare, onRefused } = options;
  const look = () => {
    headroom.look(clock.now(), usedShare());
    cancelLook = clock.after(LOOK_MS, look);
  };
  usedShare(); // what the start has used is nobody's load
  let cancelLook = clock.after(LOOK_MS, look);

  return {
    refusal(asker, weight = 1) {
      const retryAfterMs = headroom.retryMsIfFull(LEVELS[asker], weight, clock.now());
      if (retryAfterMs === undefined) return undefined;
      onRefused(asker);
      return new AppError('busy', 'The gateway is at capacity; retry after the time given.', {
        retryAfterMs,
      });
    },
    opened: () => headroom.expect(clock.now()),
    take(weight) {
      const place = headroom.take(weight, clock.now());
      return { began: () => place.began(clock.now()), leave: () => place.leave(clock.now()) };
    },
    close: () => cancelLook(),
  };
}

export class SessionPlace {
  private readonly admission: Pick<AdmissionControl, 'refusal' | 'take'>;
  private place: SpeakingPlace | undefined;

  constructor(admission: Pick<AdmissionControl, 'refusal' | 'take'>) {
    this.admission = admission;
  }

  /** Why a turn is not taken now; it has to be told. */
  refusal(settings: TurnSettings): AppError | undefined {
    return this.place === undefined ? this.admission.refusal('turn', turnWeight(settings)) : undefined;
  }
  take(settings: TurnSettings): void {
    this.place ??= this.admission.take(turnWeight(settings));
  }
  began(): void {
    this.place?.began();
  }
  leave(): void {
    this.place?.leave();
    this.place = undefined;
  }
}
