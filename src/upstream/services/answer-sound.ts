// The beginning of an answer, until its type and its first bytes show what sound it is, or that it is none.

import { Buffer } from 'node:buffer';
import { type BodyType, bodyTypeOf } from '../../audio/bodies/body-type.ts';
import type { AppError } from '../../base/app-error.ts';
import type { AskedSound } from '../../speech/audio-format.ts';
import { badAudioError, wrongAudioError } from './upstream-failure.ts';

export class AnswerSound {
  private readonly asked: AskedSound;
  private readonly usualRate: number | undefined;
  /** Where no header has told one: of sound that came within something else. */
  private contentType: string | undefined = 'application/octet-stream';
  private readonly onWrong: () => void;
  private came: Uint8Array = new Uint8Array(0);

  /** `usualRate`: Hz of PCM that is told nowhere. `onWrong`: what came is not what it was said to be, or no sound. */
  constructor(asked: AskedSound, usualRate: number | undefined, onWrong: () => void) {
    this.onWrong = onWrong;
    this.asked = asked;
    this.usualRate = usualRate;
  }

  /** Why such headers cannot be those of sound. */
  refusal(contentType: string | undefined, contentEncoding: string | undefined): AppError | undefined {
    this.contentType = contentType;
    const error = badAudioError({ contentType, asked: this.asked }, contentEncoding);
    if (error !== undefined) this.onWrong();
    return error;
  }
  /** `isAll`: nothing follows. Undefined: more bytes are needed. */
  take(chunk: Uint8Array, isAll: boolean): BodyType | AppError | undefined {
    this.came = this.came.length === 0 ? chunk : Buffer.concat([this.came, chunk]);
    const { contentType, asked, usualRate } = this;
    const known = bodyTypeOf({ contentType, asked, usualRate }, this.came, isAll);
    if (known.found === 'more-bytes') return undefined;
    if (known.found === 'type') return known.type;
    this.onWrong();
    return wrongAudioError(known.what);
  }
  /** What has come so far. */
  bytes(): Uint8Array {
    return this.came;
  }
}
