// How one service is asked: in which sound, and with or without the times of words. What it has shown that it cannot do is not
// asked for again for a while: a request that follows, the retry of the failed one first of all, is for MP3, or without times.

import type { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { AskedSound } from '../../speech/audio-format.ts';
import type { OutgoingRequest } from '../../speech/speech-request.ts';
import { offeredSound } from '../sound-offer.ts';
import type { Credentials } from '../speech-transport.ts';
import type { ServiceHttpRequest, ServiceKind } from './service-kind.ts';
import { TimedAnswer } from './timed-answer.ts';
import { wrongAudioError } from './upstream-failure.ts';

/** A service that is mended is asked as before within this time. */
const DISTRUST_MS = 10 * 60_000;

export type AskedRoute = {
  readonly http: ServiceHttpRequest;
  readonly sound: AskedSound;
  /** Takes the answer apart; undefined: the answer is the sound. */
  readonly timed: TimedAnswer | undefined;
  /** The sound was not what was asked for. */
  readonly distrust: () => void;
  /** The error where a refusal is of the format or of the route, not of the request: asked in another way it may be answered. */
  readonly refusal: (status: number, body: string) => AppError | undefined;
};

const ABOUT_FORMAT =
  /(?<![a-z])formats?(?![a-z])|(?:output|response).?format|encoding|codec|container|sample.?rate/i;
const FORMAT_STATUSES: readonly number[] = [400, 403, 406, 415, 422];
const ROUTE_STATUSES: readonly number[] = [404, 405, 501];
/** A 404 may be about these as well. */
const ABOUT_REQUEST = /voice|model/i;

export class ServiceRoutes {
  private readonly kind: ServiceKind;
  private readonly clock: Pick<Clock, 'now'>;
  /** Until when, ms. */
  private readonly distrusted = new Map<AskedSound['format'] | 'times', number>();

  constructor(kind: ServiceKind, clock: Pick<Clock, 'now'>) {
    this.kind = kind;
    this.clock = clock;
  }

  routeFor(request: OutgoingRequest, credentials: Credentials): AskedRoute {
    const { kind } = this;
    const offered = offeredSound(kind.sounds, request);
    const asked: AskedSound = this.isTrusted(offered.format) ? offered : { format: 'mp3' };
    const timed = kind.timed !== undefined && this.isTrusted('times') ? kind.timed : undefined;
    const made = timed?.toHttp(request, credentials, asked);
    const sound = made?.sound ?? asked;
    const distrust = (what: 'sound' | 'times') => {
      // Where the sound is one that only this route has, it is the route that cannot be used.
      if (what === 'times' || sound.format !== asked.format) this.distrust('times');
      else if (sound.format !== 'mp3') this.distrust(sound.format);
      else if (timed !== undefined) this.distrust('times');
    };
    return {
      http: made ?? kind.toHttp(request, credentials, asked),
      sound,
      timed: timed && new TimedAnswer(timed.form, () => distrust('times')),
      distrust: () => distrust('sound'),
      refusal(status, body) {
        if (timed !== undefined && ROUTE_STATUSES.includes(status) && !ABOUT_REQUEST.test(body)) {
          distrust('times');
          return wrongAudioError(`has no route that tells word times (${status})`);
        }
        if (sound.format === 'mp3' || !FORMAT_STATUSES.includes(status) || !ABOUT_FORMAT.test(body))
          return undefined;
        distrust('sound');
        return wrongAudioError(`refused the format ${sound.format} (${status})`);
      },
    };
  }

  private isTrusted(what: AskedSound['format'] | 'times'): boolean {
    const until = this.distrusted.get(what);
    return until === undefined || this.clock.now() >= until;
  }
  private distrust(what: AskedSound['format'] | 'times'): void {
    this.distrusted.set(what, this.clock.now() + DISTRUST_MS);
  }
}
