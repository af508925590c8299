// Which of the three endpoints an upgrade is for, and the voice in its path. Voices may be URIs: clients
// put them there raw, slashes and all, or percent-encoded, so the match is greedy and what it finds is decoded.

import { fieldError } from '../../base/check-fields.ts';

/**
 * `multi`: many contexts of one voice; `single`: one context; `dialogue`: many contexts whose voices are in the
 * messages.
 */
export type FrontDoor = 'multi' | 'single' | 'dialogue';

export type EnteredDoor = {
  readonly door: FrontDoor;
  /** As it stands in the path; undefined where voices are in the messages. */
  readonly rawVoice: string | undefined;
};

const DIALOGUE_PATH = '/v1/text-to-dialogue/multi-stream-input';
const SPEECH_PATH = /^\/v1\/text-to-speech\/(.+)\/(multi-stream-input|stream-input)$/s;

export function enterDoor(path: string): EnteredDoor | undefined {
  if (path === DIALOGUE_PATH) return { door: 'dialogue', rawVoice: undefined };
  const match = SPEECH_PATH.exec(path);
  if (match === null) return undefined;
  return { door: match[2] === 'stream-input' ? 'single' : 'multi', rawVoice: match[1] };
}

/** Throws `invalid_request` for a percent sign that begins no escape. */
export function decodeVoice(rawVoice: string): string {
  try {
    return decodeURIComponent(rawVoice);
  } catch {
    throw fieldError({
      field: 'voice_id',
      allowed: 'must be percent-encoded UTF-8, with % as %25',
      given: rawVoice,
    });
  }
}
