// Which voices a session or request may name, by which names, and which services can say them. The embedded engine's list is
// complete, so a name that no service can have is refused; lists of other services need not be, so every other name goes to one.

import type { AppError } from '../base/app-error.ts';
import { fieldError } from '../base/check-fields.ts';
import type { Language } from '../speech/language.ts';
import { type ListedVoice, unknownVoice } from '../speech/listed-voice.ts';
import { resolveVoices, type VoiceAliases } from '../speech/voice-aliases.ts';
import {
  chooseServices,
  mayUse,
  readNamedVoice,
  type ServiceAsk,
  type ServiceLink,
  type ServiceProfile,
  type VoiceTable,
} from '../upstream/service-choice.ts';

/** Whose text it is, and what its caller has narrowed the choice to; default: anybody's, of all services. */
export type VoiceUse = Partial<Pick<ServiceAsk, 'tenant' | 'upstream'>>;

export type VoiceDirectory = {
  /** Of all services that the tenant may use. */
  list(use?: VoiceUse): Promise<readonly ListedVoice[]>;
  /** Short names for voices, for callers of any protocol. */
  readonly aliases: VoiceAliases;
  /**
   * The first and second voice by the fields that name them, aliases resolved. Throws `invalid_request` for one that is known not to exist, and for
   * services that the tenant may not use.
   */
  check(fields: Readonly<Record<string, string | null | undefined>>, use?: VoiceUse): void;
  /** Fields of a request that no speech service does anything with. */
  readonly ignoredFields: readonly string[];
  /**
   * The language whose rules read `language` at `service`, when it is known to be another one; undefined: at the only one that
   * there is.
   */
  spokenAs(language: Language, service?: string): string | undefined;
};

/** A service, as far as its voices go. */
export type VoiceService = {
  readonly name: string;
  readonly tenants: readonly string[] | undefined;
  /** Fields that it does nothing with. */
  readonly ignored: readonly string[];
  list(): Promise<readonly ListedVoice[]>;
  /** Ids and names of its voices that are known without asking. */
  readonly knownNames: readonly string[];
};

export type ServiceVoicesOptions = Pick<VoiceDirectory, 'aliases' | 'spokenAs'> & {
  /** `plain`: the one of plain settings. */
  readonly form: 'plain' | 'list';
  readonly services: readonly VoiceService[];
  readonly profiles: readonly ServiceProfile[];
  readonly table: VoiceTable;
};

const ANYBODY = { tenant: { is: 'anybody' }, upstream: [] } as const;

export function createServiceVoices(options: ServiceVoicesOptions): VoiceDirectory & {
  /** In order of preference. Throws as `check`. */
  choose(ask: ServiceAsk): readonly [ServiceLink, ...ServiceLink[]];
} {
  const { form, services, profiles, table, aliases, spokenAs } = options;

  const refusal = ({ upstream, tenant }: ServiceAsk): AppError =>
    noService(
      upstream,
      services.filter(({ tenants }) => mayUse(tenants, tenant)).map(({ name }) => name),
    );
  const choose = (ask: ServiceAsk): readonly [ServiceLink, ...ServiceLink[]] => {
    const choice = chooseServices(profiles, table, ask);
    if (choice.ok) return choice.chain;
    throw choice.field === 'upstream' ? refusal(ask) : noVoice(choice.field, ask[choice.field]!, ask.tenant);
  };
  /** Names what is near among what this tenant may use, of one service where the caller has named it. */
  const noVoice = (field: string, given: string, tenant: ServiceAsk['tenant']): AppError => {
    const open = services.filter(({ tenants }) => mayUse(tenants, tenant));
    const named = open.map(({ name }) => name);
    const { only } = readNamedVoice(named, given);
    const shared = [...Object.keys(aliases), ...Object.keys(table)].filter(
      (alias) => !Object.hasOwn(table, alias) || named.some((name) => Object.hasOwn(table[alias]!, name)),
    );
    const own = open.flatMap(({ name, knownNames }) => {
      if (only === undefined) return knownNames;
      return only === name ? knownNames.map((voice) => `${name}/${voice}`) : [];
    });
    return unknownVoice(field, given, only === undefined ? [...shared, ...own] : own);
  };
  /** The id by which a voice of one of several services is asked for there: its own, where that leads to it. */
  const idAt = (service: string, voice: string, tenant: ServiceAsk['tenant']): string => {
    const { voice: named = voice } = resolveVoices(aliases, { voice });
    const choice = chooseServices(profiles, table, { tenant, upstream: [], voice: named, voice2: undefined });
    const leadsThere = choice.ok && choice.chain[0].name === service && choice.chain[0].voice === voice;
    return leadsThere ? voice : `${service}/${voice}`;
  };
  const listAll = async (tenant: ServiceAsk['tenant']): Promise<readonly ListedVoice[]> => {
    const open = services.filter(({ tenants }) => mayUse(tenants, tenant));
    const lists = await Promise.allSettled(open.map((service) => service.list()));
    const first = lists.find((list) => list.status === 'rejected');
    // A service that is away does not hide the voices of the others.
    if (first !== undefined && lists.every((list) => list.status === 'rejected')) throw first.reason;
    const names = open.map(({ name }) => name);
    const shared = Object.entries(table).flatMap(([alias, row]) => {
      const at = names.filter((name) => Object.hasOwn(row, name));
      return at.length === 0 ? [] : [{ id: alias, name: alias, upstream: at.join(',') }];
    });
    return [
      ...shared,
      ...lists.flatMap((list, index) => {
        const name = names[index]!;
        if (list.status === 'rejected') return [];
        return list.value.map((voice) => ({ ...voice, id: idAt(name, voice.id, tenant), upstream: name }));
      }),
    ];
  };

  return {
    choose,
    aliases,
    spokenAs,
    ignoredFields: services[0]!.ignored.filter((field) =>
      services.every(({ ignored }) => ignored.includes(field)),
    ),
    list({ tenant = ANYBODY.tenant } = {}) {
      if (form === 'plain' && Object.keys(table).length === 0) return services[0]!.list();
      return listAll(tenant);
    },
    check(fields, { tenant = ANYBODY.tenant, upstream = [] } = {}) {
      const [first, second] = Object.entries(fields);
      const [voice, voice2] = [first?.[1], second?.[1]];
      const ask = { tenant, upstream, voice, voice2 };
      const choice = chooseServices(profiles, table, ask);
      if (choice.ok) return;
      if (choice.field === 'upstream') throw refusal(ask);
      if (choice.field === 'voice') throw noVoice(first![0], voice!, tenant);
      // A second voice that exists is no unknown one: the two are only not of one service.
      const isThere = chooseServices(profiles, table, { ...ask, voice: undefined }).ok;
      throw isThere ? notTogether(second![0], voice2!) : noVoice(second![0], voice2!, tenant);
    },
  };
}

const notTogether = (field: string, voice: string): AppError =>
  fieldError({
    field,
    allowed: 'no speech service has this voice and the first one',
    name: voice,
    todo: 'take two voices of one service',
  });

const noService = (asked: readonly string[], allowed: readonly string[]): AppError =>
  fieldError({
    field: 'upstream',
    allowed:
      allowed.length === 0
        ? 'there is no speech service for this user'
        : `must be one of ${allowed.join(', ')}`,
    ...(asked.length === 0 ? {} : { name: asked.join(', ') }),
    ...(allowed.length === 0 ? { todo: 'the operator lists users in the tenants of a service' } : {}),
  });
