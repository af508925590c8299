// What the page can ask for: the sounds and deliveries that it offers, and the fields of the protocol that they stand for.

import type { PlayedFormat } from '../../packages/client/src/player/sample-decoder.ts';
import type { ClientCommand } from '../dialects/native-messages.ts';

type Configure = Omit<Extract<ClientCommand, { type: 'configure' }>, 'type'>;

export type Sound = { readonly format: PlayedFormat; readonly sampleRate: number };

export const SOUNDS = {
  studio: { label: 'Studio, 24 kHz', format: 'raw', sampleRate: 24_000 },
  full: { label: 'Full band, 48 kHz', format: 'raw', sampleRate: 48_000 },
  wide: { label: 'Wideband call, 16 kHz', format: 'raw', sampleRate: 16_000 },
  phone: { label: 'As heard on a phone, µ-law 8 kHz', format: 'mulaw', sampleRate: 8000 },
  'phone-alaw': { label: 'On a European phone, A-law 8 kHz', format: 'alaw', sampleRate: 8000 },
} as const satisfies Record<string, Sound & { label: string }>;
export type SoundName = keyof typeof SOUNDS;

/** In bursts only on credit, so that no more than the greatest lead ever waits here. */
export const DELIVERIES = {
  realtime: { label: 'Real time', pace: 'realtime', flow: 'clock', leadMs: 200 },
  credit: { label: 'By what was heard', pace: 'realtime', flow: 'credit', leadMs: 200 },
  burst: { label: 'In bursts, 5 s ahead', pace: 'burst', flow: 'credit', leadMs: 5000 },
} as const satisfies Record<string, Pick<Configure, 'pace' | 'flow' | 'leadMs'> & { label: string }>;
export type DeliveryName = keyof typeof DELIVERIES;

export type SpeakSettings = {
  readonly sound: SoundName;
  readonly delivery: DeliveryName;
  /** Undefined: the gateway chooses. */
  readonly voice: string | undefined;
  readonly voice2: string | undefined;
  readonly language: NonNullable<Configure['language']>;
  readonly speed: number;
};

/** The session's part of the settings. */
export function toConfigure({ sound, delivery }: Pick<SpeakSettings, 'sound' | 'delivery'>): Configure {
  const { format, sampleRate } = SOUNDS[sound];
  const { pace, flow, leadMs } = DELIVERIES[delivery];
  return { format, sampleRate, pace, flow, leadMs, captions: 'words' };
}

/** A turn's part. */
export const toSynthesis = ({ voice, voice2, language, speed }: SpeakSettings, voices: 'one' | 'two') => ({
  ...(voice !== undefined && { voice }),
  ...(voices === 'two' && voice2 !== undefined && { voice2 }),
  language,
  ...(speed !== 1 && { speed }),
});
