// The port to the speech services behind the gateway: which of them may say a turn, in order, and what each needs to do so.

import type { AppError } from '../base/app-error.ts';
import type { SynthesisFields } from '../speech/speech-request.ts';
import type { ServiceAsk } from '../upstream/service-choice.ts';
import type { SpeechUpstream } from '../upstream/speech-upstream.ts';
import type { SpokenWith } from './outgoing-request.ts';
import type { SpeechRecovery } from './whole-body/speech-recovery.ts';

/** A service that may say a turn. */
export type ServingService = {
  /** As it is configured. */
  readonly name: string;
  /** Its own connections, keys and limits; refuses texts of tenants that may not use it. */
  readonly upstream: SpeechUpstream;
  /** What is known of its voices and bodies. */
  readonly recovery: SpeechRecovery;
  /** What tells its speech apart from that of all others, for speech that is kept. */
  readonly identity: string;
  /** Fields of a turn that it does not know. */
  readonly ignored: readonly string[];
  /** The voices that were asked for, as it calls them; undefined where none was. */
  readonly voice: string | undefined;
  readonly voice2: string | undefined;
  /** Of a turn that names none; undefined: the service decides. */
  readonly defaultVoice: string | undefined;
  readonly defaultVoice2: string | undefined;
};

export type SpeechServices = {
  /** In order of preference, never empty. Throws `invalid_request` when none may say it, or none has the voice. */
  chain(ask: ServiceAsk): readonly [ServingService, ...ServingService[]];
};

/** What is needed of a runtime: the services, or the only one. */
export type ServiceRuntime = {
  readonly services?: SpeechServices | undefined;
  readonly upstream: SpeechUpstream;
  readonly recovery: SpeechRecovery;
};

type AskedWith = Pick<SpokenWith, 'synthesis' | 'defaultVoice' | 'defaultVoice2'>;

/** How a turn is spoken by the service that was chosen for it. */
export type ServedTurn = Required<AskedWith> & {
  /** Its name as it is configured; undefined where a runtime has no list of services. */
  readonly service: string | undefined;
  readonly upstream: SpeechUpstream;
  readonly recovery: SpeechRecovery;
  readonly identity: string;
  readonly maxText: number | undefined;
  /** Fields that the turn has and the service does not know. */
  readonly ignored: readonly string[];
};

/** A turn that no service may say: it fails with `error`, as any other that its service refuses. */
const refused = ({ recovery }: ServiceRuntime, asked: AskedWith, error: unknown): ServedTurn => ({
  ...asked,
  service: undefined,
  upstream: { open: () => Promise.reject(error as AppError) },
  recovery,
  identity: '',
  maxText: undefined,
  ignored: [],
});

const hasField = (synthesis: SynthesisFields, field: string): boolean =>
  (synthesis as Readonly<Record<string, unknown>>)[field] != null;

/**
 * The gateway's own default is a wish: where it excludes what the caller has narrowed the choice to, the services' own defaults
 * hold.
 */
function firstFor(
  services: SpeechServices,
  ask: ServiceAsk,
  defaultVoice: string | undefined,
): ServingService {
  if (ask.voice == null && defaultVoice !== undefined) {
    try {
      return services.chain({ ...ask, voice: defaultVoice })[0];
    } catch {
      // as without one
    }
  }
  return services.chain(ask)[0];
}

/** What `voice2` of the gateway's own settings is called at the one service that is asked; undefined where it has none. */
function softly(
  services: SpeechServices,
  ask: Pick<ServiceAsk, 'tenant' | 'upstream'>,
  voice2: string | undefined,
): string | undefined {
  if (voice2 === undefined) return undefined;
  try {
    return services.chain({ ...ask, voice: undefined, voice2 })[0].voice2;
  } catch {
    return undefined;
  }
}

/** The first service of the chain, and the turn's voices as it calls them. Never throws. */
export function serveTurn(
  runtime: ServiceRuntime,
  asked: AskedWith,
  { tenant, upstream }: Pick<ServiceAsk, 'tenant' | 'upstream'>,
): ServedTurn {
  const { synthesis, defaultVoice, defaultVoice2 } = asked;
  if (runtime.services === undefined)
    return {
      ...asked,
      service: undefined,
      upstream: runtime.upstream,
      recovery: runtime.recovery,
      identity: '',
      maxText: runtime.upstream.shape?.maxText,
      ignored: [],
    };
  const { services } = runtime;
  const ask = { tenant, upstream };
  let first: ServingService;
  try {
    first = firstFor(services, { ...ask, voice: synthesis.voice, voice2: synthesis.voice2 }, defaultVoice);
  } catch (error) {
    return refused(runtime, asked, error);
  }
  const isOneVoice = synthesis.voice2 == null;
  const second = isOneVoice
    ? softly(services, { ...ask, upstream: [first.name] }, defaultVoice2)
    : first.voice2;
  const { voice: _voice, voice2: _voice2, ...others } = synthesis;
  return {
    synthesis: {
      ...others,
      ...(synthesis.voice === undefined ? {} : { voice: first.voice ?? synthesis.voice }),
      ...(isOneVoice || second === undefined ? {} : { voice2: second }),
    },
    defaultVoice: first.voice ?? first.defaultVoice,
    defaultVoice2: second ?? first.defaultVoice2,
    service: first.name,
    upstream: first.upstream,
    recovery: first.recovery,
    identity: first.identity,
    maxText: first.upstream.shape?.maxText,
    ignored: first.ignored.filter((field) => hasField(synthesis, field)),
  };
}
