// The HTTP speech of other vendors on the public listener, for their own clients as they are. What each asks and answers is
// in docs/dialects; behind all of them is the one speech of the gateway.

import type { FastifyInstance } from 'fastify';
import { addCartesiaRoutes, CARTESIA } from './cartesia-routes.ts';
import { addDeepgramRoutes, DEEPGRAM } from './deepgram-routes.ts';
import { addElevenLabsRoutes, ELEVENLABS } from './elevenlabs-routes.ts';
import { addJambonzRoutes, JAMBONZ } from './jambonz-routes.ts';
import { addOpenAiRoutes, OPENAI } from './openai-routes.ts';
import type { SpeakAskedMeans } from './speak-asked.ts';
import { openVendorScope, type VendorScopeMeans } from './vendor-scope.ts';

export type CompatRoutesOptions = SpeakAskedMeans & VendorScopeMeans;

const VENDORS = [
  [OPENAI, addOpenAiRoutes],
  [ELEVENLABS, addElevenLabsRoutes],
  [DEEPGRAM, addDeepgramRoutes],
  [CARTESIA, addCartesiaRoutes],
  [JAMBONZ, addJambonzRoutes],
] as const;

export async function addCompatRoutes(app: FastifyInstance, options: CompatRoutesOptions): Promise<void> {
  for (const [vendor, addRoutes] of VENDORS)
    await openVendorScope(app, vendor, options, (scope) => addRoutes(scope, options));
}
