// The port to the speech services behind the gateway: which of them may say a turn, in order, and what each needs to do so.

import type { AppError } from '../base/app-error.ts';
import type { SynthesisFields } from '../speech/speech-request.ts';
import type { LAST_RESORTS } from '../speech/upstream-names.ts';
import type { RequestText } from '../text/request-text.ts';
import type { ServiceWatch } from '../upstream/health/service-watch.ts';
import type { ServiceAsk } from '../upstream/service-choice.ts';
import type { SpeechUpstream } from '../upstream/speech-upstream.ts';
import type { SpokenWith } from './outgoing-request.ts';
import { TurnLevel } from './turn-level.ts';
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
  /** As `ServiceKind.seeds`. */
  readonly seeds?: 'best-effort' | undefined;
  /** The voices that were asked for, as it calls them; undefined where none was. */
  readonly voice: string | undefined;
  readonly voice2: string | undefined;
  /** Of a turn that names none; undefined: the service decides. */
  readonly defaultVoice: string | undefined;
  readonly defaultVoice2: string | undefined;
  /** What is known of it by what was heard; undefined where there is nothing to choose among. */
  readonly watch: ServiceWatch | undefined;
  /** The embedded engine at the end of the list: it speaks where all others fail. */
  readonly isLastResort: boolean;
};

/** What the caller wants where only the voice of last resort is left. */
export type LastResort = {
  readonly lastResort?: (typeof LAST_RESORTS)[number] | undefined;
  /** What `apologise` says. */
  readonly lastResortText?: string | undefined;
};

/** Whose turn it is, and what its caller asks of the choice. */
export type ServiceUse = Pick<ServiceAsk, 'tenant' | 'upstream'> &
  Partial<Pick<ServiceAsk, 'prefer' | 'reader'>> &
  LastResort;

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

/** How a turn is spoken by one of the services that may say it. */
export type ServedLink = Required<AskedWith> & {
  /** Its name as it is configured; undefined where a runtime has no list of services. */
  readonly service: string | undefined;
  readonly upstream: SpeechUpstream;
  readonly recovery: SpeechRecovery;
  readonly identity: string;
  readonly maxText: number | undefined;
  /** Fields that the turn has and the service does not know. */
  readonly ignored: readonly string[];
  /** Undefined where there is nothing to choose among. */
  readonly watch: ServiceWatch | undefined;
  /** It speaks only where all others fail, and says this. */
  readonly apology: string | undefined;
};

/** One turn and the services that may say it; which of them speaks may change while it is spoken. */
export class ServedTurn {
  /** In the order in which they are asked. */
  readonly links: readonly [ServedLink, ...ServedLink[]];
  readonly level: TurnLevel = new TurnLevel(voicesOf);
  private at = 0;

  constructor(links: ServedTurn['links']) {
    this.links = links;
  }

  /** The one that speaks, or is asked first. */
  now(): ServedLink {
    return this.links[this.at]!;
  }
  /** From now on this one is asked first. */
  moveTo(link: ServedLink): void {
    this.at = Math.max(0, this.links.indexOf(link));
  }
  /** The one that speaks, those behind it, and those that were before it. */
  inOrder(): readonly ServedLink[] {
    return [...this.links.slice(this.at), ...this.links.slice(0, this.at)];
  }
}

/** Who speaks from a media position on. */
export type SpokenBy = { readonly link: ServedLink; readonly fromMs: number };

/** Who spoke, in media time; `voice` as the service calls it. */
export type ServedBy = {
  readonly upstream: string;
  readonly voice?: string;
  readonly fromMs: number;
  readonly toMs: number;
};

/** Of `sentMs` of sound; nobody where nothing was sent. `link`: who speaks where none is noted. Undefined where services have no names. */
export function servedByOf(
  spoken: readonly SpokenBy[],
  link: ServedLink,
  sentMs: number,
): ServedBy[] | undefined {
  if (link.service === undefined) return undefined;
  const all = spoken.length === 0 ? [{ link, fromMs: 0 }] : spoken;
  return all.flatMap(({ link: { service = '', ...its }, fromMs }, at) => {
    const from = Math.round(at === 0 ? 0 : fromMs);
    const to = Math.round(Math.min(sentMs, all[at + 1]?.fromMs ?? sentMs));
    const voice = its.synthesis.voice ?? its.defaultVoice;
    if (to <= from) return [];
    return [{ upstream: service, ...(voice === undefined ? {} : { voice }), fromMs: from, toMs: to }];
  });
}

/** As the service calls the turn's voice; '' where it chooses. */
export const voiceOf = ({ synthesis, defaultVoice }: ServedLink): string =>
  synthesis.voice ?? defaultVoice ?? '';

/** The same of all who speak in `text`. */
function voicesOf(link: ServedLink, { parts }: RequestText): string {
  const speakers = new Set(parts.map(({ segment }) => segment.speaker ?? 1));
  const second = link.synthesis.voice2 ?? link.defaultVoice2 ?? '';
  if (!speakers.has(2)) return voiceOf(link);
  return speakers.has(1) ? `${voiceOf(link)}\n${second}` : second;
}

/** A turn that no service may say: it fails with `error`, as any other that its service refuses. */
const refused = ({ recovery }: ServiceRuntime, asked: AskedWith, error: unknown): ServedTurn =>
  new ServedTurn([
    {
      ...asked,
      service: undefined,
      upstream: { open: () => Promise.reject(error as AppError) },
      recovery,
      identity: '',
      maxText: undefined,
      ignored: [],
      watch: undefined,
      apology: undefined,
    },
  ]);

const hasField = (synthesis: SynthesisFields, field: string): boolean =>
  (synthesis as Readonly<Record<string, unknown>>)[field] != null;

type Chain = ReturnType<SpeechServices['chain']>;

/**
 * The gateway's own default is a wish: where it excludes what the caller has narrowed the choice to, the services' own defaults
 * hold. Services that do not have it stay behind those that do, with their own defaults.
 */
function chainFor(services: SpeechServices, ask: ServiceAsk, defaultVoice: string | undefined): Chain {
  if (ask.voice == null && defaultVoice !== undefined) {
    try {
      const [first, ...others] = services.chain({ ...ask, voice: defaultVoice });
      const names = new Set([first, ...others].map(({ name }) => name));
      const spare = services.chain(ask).filter(({ name }) => !names.has(name));
      return [first, ...others, ...spare];
    } catch {
      // as without one
    }
  }
  return services.chain(ask);
}

/** What `voice2` of the gateway's own settings is called at one service; undefined where it has none. */
function softly(services: SpeechServices, ask: ServiceAsk, voice2: string | undefined): string | undefined {
  if (voice2 === undefined) return undefined;
  try {
    return services.chain({ ...ask, voice: undefined, voice2 })[0].voice2;
  } catch {
    return undefined;
  }
}

/** Where the caller has chosen none; English, as the engine's first voice. */
const APOLOGY = 'I am sorry, I cannot speak right now.';

function toLink(
  service: ServingService,
  { synthesis, defaultVoice2 }: AskedWith,
  wish: LastResort,
  softVoice2: (name: string) => string | undefined,
): ServedLink {
  const isOneVoice = synthesis.voice2 == null;
  const second = isOneVoice ? softVoice2(service.name) : service.voice2;
  const { voice: _voice, voice2: _voice2, ...others } = synthesis;
  return {
    synthesis: {
      ...others,
      ...(synthesis.voice === undefined ? {} : { voice: service.voice ?? synthesis.voice }),
      ...(isOneVoice || second === undefined ? {} : { voice2: second }),
    },
    defaultVoice: service.voice ?? service.defaultVoice,
    defaultVoice2: second ?? (isOneVoice && defaultVoice2 === undefined ? undefined : service.defaultVoice2),
    service: service.name,
    upstream: service.upstream,
    recovery: service.recovery,
    identity: service.identity,
    maxText: service.upstream.shape?.maxText,
    ignored: service.ignored.filter((field) => hasField(synthesis, field)),
    watch: service.watch,
    apology:
      service.isLastResort && wish.lastResort === 'apologise' ? (wish.lastResortText ?? APOLOGY) : undefined,
  };
}

/** The voice of last resort where there is one, of those that its tenant may use. */
function lastResortOf(
  services: SpeechServices,
  ask: Omit<ServiceAsk, 'voice' | 'voice2'>,
): readonly ServingService[] {
  try {
    const all = services.chain({ ...ask, upstream: [], voice: undefined, voice2: undefined });
    return all.filter(({ isLastResort }) => isLastResort);
  } catch {
    return [];
  }
}

/** The services that may say a turn, in order, and its voices as each calls them. Never throws. */
export function serveTurn(runtime: ServiceRuntime, asked: AskedWith, use: ServiceUse): ServedTurn {
  const { synthesis, defaultVoice, defaultVoice2 } = asked;
  if (runtime.services === undefined) {
    const { upstream, recovery } = runtime;
    const own = { service: undefined, upstream, recovery, identity: '', maxText: upstream.shape?.maxText };
    return new ServedTurn([{ ...asked, ...own, ignored: [], watch: undefined, apology: undefined }]);
  }
  const { services } = runtime;
  const { tenant, upstream, prefer = 'order', reader = 'listener' } = use;
  const ask = { tenant, upstream, prefer, reader };
  let chain: Chain;
  try {
    chain = chainFor(services, { ...ask, voice: synthesis.voice, voice2: synthesis.voice2 }, defaultVoice);
  } catch (error) {
    return refused(runtime, asked, error);
  }
  const [first, ...others] = chain;
  // Who asks for the last resort by name does not mean it as one.
  const mayEnd = (service: ServingService) =>
    !service.isLastResort || use.lastResort !== 'fail' || upstream.includes(service.name);
  const soft = (name: string) =>
    softly(services, { ...ask, upstream: [name], voice: undefined, voice2: undefined }, defaultVoice2);
  const resort = chain.find(({ isLastResort }) => isLastResort);
  const wish = resort !== undefined && upstream.includes(resort.name) ? {} : use;
  const link = (service: ServingService) => toLink(service, asked, wish, soft);
  // An apology has nothing of the text: whom the caller has chosen for that, and in which voice, does not matter.
  const sorry = use.lastResort === 'apologise' && resort === undefined ? lastResortOf(services, ask) : [];
  const apologies = sorry.map((service) => {
    const { voice: _voice, voice2: _voice2, ...voiceless } = synthesis;
    const plain = { synthesis: voiceless, defaultVoice: undefined, defaultVoice2: undefined };
    return toLink(service, plain, use, soft);
  });
  const served = new ServedTurn([link(first), ...others.filter(mayEnd).map(link), ...apologies]);
  const front = served.now();
  front.watch?.tried(voiceOf(front));
  return served;
}
