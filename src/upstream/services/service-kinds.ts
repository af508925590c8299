// The kinds of speech services by the names that settings have for them. A new kind is a file beside this one and a line here.

import type { ServiceKindName } from '../../settings/service-kind-names.ts';
import { createCartesiaService } from './cartesia-service.ts';
import { createDeepgramService } from './deepgram-service.ts';
import { createElevenLabsService } from './elevenlabs-service.ts';
import { createOpenAiService } from './openai-service.ts';
import type { KindSettings, ServiceKind } from './service-kind.ts';
import { createVoxgateService } from './voxgate-service.ts';

const KINDS: Readonly<Record<Exclude<ServiceKindName, 'engine'>, (settings: KindSettings) => ServiceKind>> = {
  'speech-service': createVoxgateService,
  openai: createOpenAiService,
  elevenlabs: createElevenLabsService,
  deepgram: createDeepgramService,
  cartesia: createCartesiaService,
};

export const createServiceKind = (
  name: Exclude<ServiceKindName, 'engine'>,
  settings: KindSettings,
): ServiceKind => {
  const { timed, ...plain } = KINDS[name](settings);
  const { sound = 'auto', wordTimes = 'ours' } = settings;
  const kind = timed === undefined || wordTimes === 'ours' ? plain : { ...plain, timed };
  return sound === 'auto' ? kind : { ...kind, sounds: { ...kind.sounds, prefers: sound } };
};
