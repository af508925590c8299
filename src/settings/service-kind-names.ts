// The kinds of speech services by the names that settings have for them, and where their vendors have them.

/** Whose interface a speech service speaks. */
export const SERVICE_KINDS = [
  'speech-service',
  'openai',
  'elevenlabs',
  'deepgram',
  'cartesia',
  'engine',
] as const;
export type ServiceKindName = (typeof SERVICE_KINDS)[number];

/** Where a kind's own vendor has it. */
export const PUBLIC_ADDRESSES: Readonly<Partial<Record<ServiceKindName, string>>> = {
  openai: 'https://api.openai.com/v1',
  elevenlabs: 'https://api.elevenlabs.io',
  deepgram: 'https://api.deepgram.com',
  cartesia: 'https://api.cartesia.ai',
};
