// Which of several speech services may say a turn, and with which of their voices: in order of preference, those that its tenant
// may use, that its caller has not excluded, and that have the voices asked for. Pure. The first of the chain is asked; whatever
// goes on when that one fails walks down the same chain.

import type { PREFERENCES } from '../speech/upstream-names.ts';

/** A voice as a service itself calls it. `perhaps`: the service may have one of this name. */
export type FoundVoice = { readonly as: string; readonly has: 'surely' | 'perhaps' };

/** One speech service, as far as the choice goes. */
export type ServiceProfile = {
  readonly name: string;
  /** User ids whose texts may go there; undefined: all. */
  readonly tenants: readonly string[] | undefined;
  /** For voices that it does not have. */
  readonly fallbackVoice: string | undefined;
  readonly fallbackVoice2: string | undefined;
  /** Undefined: it surely has no such voice. */
  find(voice: string): FoundVoice | undefined;
};

/** One voice under its name at each service: alias → name of the service → voice. */
export type VoiceTable = Readonly<Record<string, Readonly<Record<string, string>>>>;

export type ServiceAsk = {
  /** The user id whose text it is; `anybody`: a question about what there is, by the operator's own means. */
  readonly tenant: string | { readonly is: 'anybody' };
  /** Names of services, in order, to which the caller narrows the choice; none: all. */
  readonly upstream: readonly string[];
  readonly voice: string | null | undefined;
  readonly voice2: string | null | undefined;
  /** Default: `order`. */
  readonly prefer?: Preference;
  /** Whether somebody waits for the speech; default: yes. */
  readonly reader?: 'listener' | 'nobody';
};

/**
 * What the caller weighs most: the order of the services, that the voice is the one that was asked for, or that the first audio
 * comes soon.
 */
export type Preference = (typeof PREFERENCES)[number];

/** A service that may say the turn; voices as it calls them itself. */
export type ServiceLink = {
  readonly name: string;
  /** Undefined where none was asked for. */
  readonly voice: string | undefined;
  readonly voice2: string | undefined;
  /** One of them is a fallback for the one that was asked for. */
  readonly isFallback?: true;
};

/** How a service is, for the order in which those that may say a turn are asked. */
export type ServiceStanding = {
  /** `try`: at its place, to find out whether it is well again. */
  readonly health: 'in-order' | 'try' | 'last';
  /** None of its keys takes a request now. */
  readonly isFull: boolean;
  /** Usual time to first speech, ms; undefined: not known. */
  readonly usualMs: number | undefined;
};

/** Those that are well before those that are not; among them by what the caller weighs. Pure, and keeps the order of equals. */
export function inPreference<Link extends Pick<ServiceLink, 'isFallback'>>(
  links: readonly Link[],
  prefer: Preference,
  standingOf: (link: Link) => ServiceStanding,
): readonly Link[] {
  const rows = links.map((link) => ({ link, ...standingOf(link) }));
  // One trial at a time is enough for a turn.
  const trial = rows.find(({ health }) => health === 'try');
  const known = rows.flatMap(({ usualMs }) => usualMs ?? []);
  // What has not been heard is neither better nor worse than what has.
  const middleMs = known.length === 0 ? 0 : known.reduce((sum, ms) => sum + ms, 0) / known.length;
  const weights = new Map(
    rows.map((row) => {
      const isAway = row.health === 'last' || (row.health === 'try' && row !== trial);
      const health = isAway ? 1 : 0;
      const full = row.isFull ? 1 : 0;
      const other = row.link.isFallback === true ? 1 : 0;
      const usualMs = row.usualMs ?? middleMs;
      const weight: readonly number[] =
        prefer === 'order'
          ? [health]
          : prefer === 'voice'
            ? [health, other, full]
            : [health, full, usualMs, other];
      return [row.link, weight] as const;
    }),
  );
  return links.toSorted((a, b) => {
    const [left, right] = [weights.get(a)!, weights.get(b)!];
    const at = left.findIndex((weight, index) => weight !== right[index]);
    return at < 0 ? 0 : left[at]! - right[at]!;
  });
}

export type ServiceChoice =
  | { readonly ok: true; readonly chain: readonly [ServiceLink, ...ServiceLink[]] }
  /** `upstream`: the tenant may use none of those that the caller names; else the voice that none of them has. */
  | { readonly ok: false; readonly field: 'upstream' | 'voice' | 'voice2' };

type AskedVoice = { readonly voice: string; readonly only: string | undefined };

/** `NAME/voice` speaks through that service and no other; it counts only for a configured name. */
export function readNamedVoice(names: readonly string[], voice: string): AskedVoice {
  const slash = voice.indexOf('/');
  const name = slash <= 0 ? undefined : voice.slice(0, slash);
  if (name === undefined || slash === voice.length - 1 || !names.includes(name))
    return { voice, only: undefined };
  return { voice: voice.slice(slash + 1), only: name };
}

export const mayUse = (tenants: readonly string[] | undefined, tenant: ServiceAsk['tenant']): boolean =>
  tenants === undefined || (typeof tenant === 'string' ? tenants.includes(tenant) : true);

type Found = FoundVoice | 'none-in-table' | undefined;

function findVoice(service: ServiceProfile, table: VoiceTable, voice: string): Found {
  if (!Object.hasOwn(table, voice)) return service.find(voice);
  const row = table[voice]!;
  if (!Object.hasOwn(row, service.name)) return 'none-in-table';
  const own = row[service.name]!;
  return { as: ownName(service, own), has: 'surely' };
}

/** What an operator calls a voice of a service: its own name, or one of its short names. */
const ownName = (service: ServiceProfile, voice: string): string => service.find(voice)?.as ?? voice;

/** The voice of each service for one that is asked for; a service that has none is not there. */
function voicesOf(
  services: readonly ServiceProfile[],
  table: VoiceTable,
  voice: string,
  fallback: 'fallbackVoice' | 'fallbackVoice2',
): ReadonlyMap<string, { readonly as: string; readonly isFallback: boolean }> {
  const found = services.map((service) => ({ service, it: findVoice(service, table, voice) }));
  // A name that one service surely has is not tried elsewhere.
  const isKnown = found.some(({ it }) => typeof it === 'object' && it.has === 'surely');
  return new Map(
    found.flatMap(({ service, it }): [string, { readonly as: string; readonly isFallback: boolean }][] => {
      const isIts = typeof it === 'object' && (it.has === 'surely' || !isKnown);
      if (isIts) return [[service.name, { as: it.as, isFallback: false }]];
      const spare = service[fallback];
      return spare === undefined ? [] : [[service.name, { as: ownName(service, spare), isFallback: true }]];
    }),
  );
}

export function chooseServices(
  services: readonly ServiceProfile[],
  table: VoiceTable,
  { tenant, upstream, voice, voice2 }: ServiceAsk,
): ServiceChoice {
  const names = services.map(({ name }) => name);
  const allowed = services.filter(({ tenants }) => mayUse(tenants, tenant));
  const wanted =
    upstream.length === 0
      ? allowed
      : [...new Set(upstream)].flatMap((name) => allowed.filter((service) => service.name === name));
  if (wanted.length === 0) return { ok: false, field: 'upstream' };
  let chain: readonly ServiceProfile[] = wanted;
  const own: { voice?: ReturnType<typeof voicesOf>; voice2?: ReturnType<typeof voicesOf> } = {};
  for (const [field, given] of [['voice', voice] as const, ['voice2', voice2] as const]) {
    if (given == null) continue;
    const asked = readNamedVoice(names, given);
    if (asked.only !== undefined) chain = chain.filter(({ name }) => name === asked.only);
    const fallback = field === 'voice' ? 'fallbackVoice' : 'fallbackVoice2';
    const voices = voicesOf(chain, table, asked.voice, fallback);
    chain = chain.filter(({ name }) => voices.has(name));
    if (chain.length === 0) return { ok: false, field };
    own[field] = voices;
  }
  const [first, ...others] = chain.map(({ name }) => ({
    name,
    voice: own.voice?.get(name)?.as,
    voice2: own.voice2?.get(name)?.as,
    ...(own.voice?.get(name)?.isFallback === true || own.voice2?.get(name)?.isFallback === true
      ? ({ isFallback: true } as const)
      : {}),
  }));
  return { ok: true, chain: [first!, ...others] };
}
