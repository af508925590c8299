// What the gateway that served this page has, as it wrote into it: nothing needs to be tried out and to fail.

export const FEATURES = ['service', 'tokens', 'sessions', 'pool', 'operator', 'narration'] as const;
export type Feature = (typeof FEATURES)[number];

export type GatewayOffer = {
  /** On a machine of one's own nothing, else a user id and a key. */
  readonly wants: 'nothing' | 'keys';
  has(feature: Feature): boolean;
};

/** `content` of the page's `voxgate-gateway`: words with spaces between them. */
export function readGatewayOffer(content: string): GatewayOffer {
  const words = new Set(content.split(' '));
  return { wants: words.has('keys') ? 'keys' : 'nothing', has: (feature) => words.has(feature) };
}
