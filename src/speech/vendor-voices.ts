// Which voices belong to which vendor, by name or by the form of an id: so that a voice that a caller has in the settings of a
// client finds the service that has it, on whatever way it comes in.

import { WELL_KNOWN_NAMES } from './well-known-voices.ts';

/** Vendors whose voices are known by name or form. */
export type VoiceVendor = 'openai' | 'elevenlabs' | 'deepgram' | 'cartesia';

/** ElevenLabs: 20 letters and digits. Names are looked up first, so that a name of 20 letters is a name. */
const ELEVENLABS_ID = /^[A-Za-z0-9]{20}$/;
/** Cartesia: a UUID. */
const CARTESIA_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Deepgram: a voice is a model, `aura-2-thalia-en`, `aura-asteria-en`, `flux-alexis-en`. */
const DEEPGRAM_ID = /^(aura|flux)-[a-z0-9-]{2,60}$/;

/** The vendor's own id of the voice that callers call `voice`; undefined: it is no voice that the vendor is known for. */
export function vendorVoice(vendor: VoiceVendor, voice: string): string | undefined {
  if (voice.length > 64) return undefined;
  switch (vendor) {
    case 'openai':
      return WELL_KNOWN_NAMES.openai.has(voice) ? voice : undefined;
    case 'elevenlabs':
      return WELL_KNOWN_NAMES.elevenlabs.get(voice) ?? (ELEVENLABS_ID.test(voice) ? voice : undefined);
    case 'deepgram':
      return DEEPGRAM_ID.test(voice) ? voice : undefined;
    case 'cartesia':
      return CARTESIA_ID.test(voice) ? voice : undefined;
  }
}
