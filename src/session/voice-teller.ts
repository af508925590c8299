// The answer to a client's `voices`: the list in parts, each small enough for one message, and no faster than the client reads.

import { toAppError } from '../base/app-error.ts';
import type { Clock } from '../base/clock.ts';
import { pause } from '../base/pause.ts';
import { errorEvent } from '../dialects/error-event.ts';
import type { ListedVoice } from '../speech/listed-voice.ts';
import type { SessionOutlet } from './session-outlet.ts';

/** Some 100 kB. */
const MAX_VOICES = 400;
const BETWEEN_MS = 20;
/** A client that takes nothing for a sixth of this is let go as one that does not read. */
const MAX_CONGESTION_MS = 60_000;

/** Tells `list` each time it is called; whoever asks while one is on its way gets that one. */
export class VoiceTeller {
  private state: 'idle' | 'telling' = 'idle';

  private readonly outlet: Pick<SessionOutlet, 'say' | 'isCongested'>;
  private readonly clock: Clock;

  constructor(outlet: Pick<SessionOutlet, 'say' | 'isCongested'>, clock: Clock) {
    this.outlet = outlet;
    this.clock = clock;
  }

  tell(list: () => Promise<readonly ListedVoice[]>): void {
    if (this.state === 'telling') return;
    this.state = 'telling';
    void tellVoices(list, this.outlet, this.clock).then(() => {
      this.state = 'idle';
    });
  }
}

/** Resolves when all of it has been told, or nobody takes it. Never rejects. */
async function tellVoices(
  list: () => Promise<readonly ListedVoice[]>,
  outlet: Pick<SessionOutlet, 'say' | 'isCongested'>,
  clock: Clock,
): Promise<void> {
  let voices: readonly ListedVoice[];
  try {
    voices = await list();
  } catch (thrown) {
    return outlet.say(errorEvent(toAppError(thrown), undefined));
  }
  const untilMs = clock.now() + MAX_CONGESTION_MS;
  for (let from = 0; from === 0 || from < voices.length; from += MAX_VOICES) {
    if (from > 0) await pause(BETWEEN_MS, clock);
    while (outlet.isCongested()) {
      if (clock.now() >= untilMs) return;
      await pause(BETWEEN_MS, clock);
    }
    const part = voices.slice(from, from + MAX_VOICES);
    outlet.say({ type: 'voices', voices: [...part], more: from + MAX_VOICES < voices.length });
  }
}
