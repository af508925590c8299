// What the caller of an attached leg says, on its way to the client: numbered and timed, and dropped from the oldest on
// while the client's socket is full.

import type { ServerEvent } from '../dialects/native-events.ts';
import type { LegAudio } from '../legs/leg.ts';
import { bytesPerMs } from '../speech/plain-sound.ts';
import type { SessionOutlet } from './session-outlet.ts';

/** Audio that waits: a second of it. */
const MAX_WAITING = 50;

export class InboundSound {
  private audio: LegAudio;
  private readonly outlet: SessionOutlet;
  private readonly waiting: ServerEvent[] = [];
  private seq = 0;
  private ms = 0;

  constructor(audio: LegAudio, outlet: SessionOutlet) {
    this.audio = audio;
    this.outlet = outlet;
  }

  /** The next sound that the caller makes. */
  heard(bytes: Uint8Array): void {
    const { audio, outlet, waiting, seq } = this;
    const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
    waiting.push({ type: 'inbound', seq, ms: Math.round(this.ms), format: audio.format, data });
    if (waiting.length > MAX_WAITING) waiting.shift();
    if (!outlet.isCongested()) for (const event of waiting.splice(0)) outlet.say(event);
    this.seq += 1;
    this.ms += bytes.length / bytesPerMs(audio);
  }
  /** What is heard from now on is in this audio. */
  goOnIn(audio: LegAudio): void {
    // What waits is said before the client learns of the change.
    for (const event of this.waiting.splice(0)) this.outlet.say(event);
    this.audio = audio;
  }
}
