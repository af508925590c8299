// Several speech services in order of preference, as the YAML file lists them (or JSON in the variable), and the one that plain
// settings describe. Every wrong field is told by its entry and name, with what was given (never a key) and what is allowed.

import { KEY_LIMITS, type UpstreamKey, upstreamKeyFault, upstreamKeyList } from './credential-lists.ts';
import { PUBLIC_ADDRESSES, SERVICE_KINDS, type ServiceKindName } from './service-kind-names.ts';
import { oneOf, type Reading, type Setting, text, webAddress } from './setting.ts';

/** A value that JSON knows. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

export type UpstreamSetting = {
  /** Unique. */
  readonly name: string;
  readonly kind: ServiceKindName;
  /** Undefined: that of the vendor, or the embedded engine. */
  readonly url: string | undefined;
  readonly keys: readonly UpstreamKey[];
  readonly model: string | undefined;
  /** Keys of the same group share one limit; undefined: each key has its own. */
  readonly group: string | undefined;
  /** User ids whose texts may go there; undefined: all. */
  readonly tenants: readonly string[] | undefined;
  /** Fields that are added to each request. */
  readonly options: Readonly<Record<string, Json>>;
  readonly fallbackVoice: string | undefined;
  readonly fallbackVoice2: string | undefined;
};

const FIELDS = [
  ...['name', 'kind', 'url', 'keys', 'keysFile', 'model', 'group', 'tenants', 'options'],
  ...['fallbackVoice', 'fallbackVoice2'],
];
const MAX_SERVICES = 32;
const MAX_TENANTS = 10_000;
const MAX_OPTIONS_CHARACTERS = 10_000;
const NAME = /^[a-z0-9-]{1,40}$/;
const SERVICE_NAMES_ALLOWED = '1 to 40 of a-z, 0-9 and -';

type Entry = Readonly<Record<string, unknown>>;
/** Reads a file as UTF-8 text; throws when it cannot. */
type ReadFile = (path: string) => string;
/** Tells one fault of a field: what is wrong with it, and what is allowed. */
type Tell = (field: string, wrong: string, allowed?: string) => void;

export const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const shown = (value: unknown): string => {
  const written = JSON.stringify(value) ?? 'nothing';
  return `is ${written.length > 80 ? `${written.slice(0, 80)}…` : written}`;
};

const KIND = oneOf('speech-service', { values: SERVICE_KINDS, placeholder: '', meaning: '' });
const URL_BASE = webAddress('base', '');
const SHORT = text(undefined, { placeholder: '', meaning: '' });
export const VOICE = text(undefined, { longest: 2048, placeholder: '', meaning: '' });
const KEYS = upstreamKeyList('');

function readText<T>(entry: Entry, field: string, setting: Setting<T>, tell: Tell): T {
  const given = entry[field];
  if (given === undefined || given === null || given === '') return setting.default;
  if (typeof given !== 'string') {
    tell(field, shown(given), setting.allowed);
    return setting.default;
  }
  const reading = setting.read(given.trim());
  if (reading.ok) return reading.value;
  tell(field, reading.wrong, setting.allowed);
  return setting.default;
}

const KEY_FIELDS: readonly string[] = ['user', 'key', 'keyFile', ...KEY_LIMITS];
const KEYS_ALLOWED = `a list; each entry in the short form [userId:]apiKey[@perMinute][#atOnce], or user, key or keyFile, ${KEY_LIMITS.join(', ')}`;

function contentOf(path: unknown, file: ReadFile): string | undefined {
  try {
    return typeof path === 'string' ? file(path).trim() : undefined;
  } catch {
    return undefined;
  }
}

/** A key as an object, which needs no marks that divide. */
function readKeyObject(given: Entry, file: ReadFile): Reading<UpstreamKey> {
  const wrong = (what: string): Reading<never> => ({ ok: false, wrong: what });
  const unknown = Object.keys(given).find((name) => !KEY_FIELDS.includes(name));
  if (unknown !== undefined) return wrong(`has the unknown field ${JSON.stringify(unknown.slice(0, 64))}`);
  const { user = '', key, keyFile } = given;
  if ((key === undefined) === (keyFile === undefined))
    return wrong('must have exactly one of key and keyFile');
  let apiKey: unknown = key;
  if (keyFile !== undefined) {
    apiKey = contentOf(keyFile, file);
    if (apiKey === undefined) return wrong('names a keyFile that cannot be read');
  }
  if (typeof user !== 'string' || typeof apiKey !== 'string')
    return wrong('has a user or key that is no text');
  const limits = KEY_LIMITS.map((name) => [name, given[name]] as const);
  if (limits.some(([, limit]) => limit !== undefined && !Number.isInteger(limit)))
    return wrong('has a limit that is no whole number');
  const told = Object.fromEntries(limits.filter(([, limit]) => limit !== undefined));
  const read: UpstreamKey = { userId: user, apiKey, perMinute: undefined, atOnce: undefined, ...told };
  const fault = upstreamKeyFault(read);
  return fault === undefined ? { ok: true, value: read } : wrong(fault);
}

function readKeys(entry: Entry, file: ReadFile, tell: Tell): readonly UpstreamKey[] {
  const { keysFile } = entry;
  let given = entry.keys;
  if (keysFile !== undefined && given !== undefined) {
    tell('keysFile', 'is set beside keys', 'one of them');
    return [];
  }
  if (keysFile !== undefined) {
    given = contentOf(keysFile, file);
    if (given === undefined)
      tell('keysFile', 'names a file that cannot be read', 'a file of keys in the short form');
  }
  if (given === undefined || given === null || given === '') return [];
  const entries = typeof given === 'string' ? [given] : given;
  if (!Array.isArray(entries)) {
    tell('keys', 'is something else (value not shown)', KEYS_ALLOWED);
    return [];
  }
  const keys: UpstreamKey[] = [];
  for (const [at, each] of (entries as unknown[]).entries()) {
    const reading: Reading<readonly UpstreamKey[]> = isEntry(each)
      ? asList(readKeyObject(each, file))
      : typeof each === 'string' && each.trim() !== ''
        ? KEYS.read(each.trim())
        : { ok: false, wrong: 'is empty or no text' };
    if (!reading.ok) tell(`keys, entry ${at + 1}`, `${reading.wrong.replace(/^entry 1 /, '')}`, KEYS_ALLOWED);
    else
      for (const key of reading.value) {
        if (keys.some(({ apiKey }) => apiKey === key.apiKey))
          tell(`keys, entry ${at + 1}`, 'has a key that was given before (value not shown)', 'each key once');
        else keys.push(key);
      }
  }
  return keys;
}
const asList = (reading: Reading<UpstreamKey>): Reading<readonly UpstreamKey[]> =>
  reading.ok ? { ok: true, value: [reading.value] } : reading;

/** Only services of our own interface have user ids; what looks like one is a part of another vendor's key. */
function keysOfKind(kind: ServiceKindName, keys: readonly UpstreamKey[]): readonly UpstreamKey[] {
  if (kind === 'speech-service') return keys;
  return keys.map((key) =>
    key.userId === '' ? key : { ...key, userId: '', apiKey: `${key.userId}:${key.apiKey}` },
  );
}

function readTenants(entry: Entry, tell: Tell): readonly string[] | undefined {
  const { tenants } = entry;
  if (tenants === undefined || tenants === null) return undefined;
  const list: unknown[] = Array.isArray(tenants) ? tenants : [tenants];
  const isUsers = list.every((each) => typeof each === 'string' && /^[\x21-\x7e]{1,512}$/.test(each));
  if (isUsers && list.length > 0 && list.length <= MAX_TENANTS) return list as string[];
  tell(
    'tenants',
    shown(tenants),
    `a list of 1 to ${MAX_TENANTS} user ids of VOXGATE_API_KEYS; leave it out for all`,
  );
  return undefined;
}

function readOptions(entry: Entry, tell: Tell): UpstreamSetting['options'] {
  const { options } = entry;
  if (options === undefined || options === null) return {};
  if (isEntry(options) && JSON.stringify(options).length <= MAX_OPTIONS_CHARACTERS)
    return options as UpstreamSetting['options'];
  tell(
    'options',
    isEntry(options) ? 'is too long' : shown(options),
    'fields of the service with their values',
  );
  return {};
}

function readEntry(entry: Entry, file: ReadFile, tell: Tell): UpstreamSetting {
  for (const field of Object.keys(entry))
    if (!FIELDS.includes(field)) tell(field.slice(0, 64), 'is no field of a service', FIELDS.join(', '));
  if (entry.kind === undefined) tell('kind', 'is not set', KIND.allowed);
  const kind = readText(entry, 'kind', KIND, tell);
  const name = readText(entry, 'name', SHORT, tell) ?? kind;
  if (!NAME.test(name)) tell('name', shown(name), SERVICE_NAMES_ALLOWED);
  const service: UpstreamSetting = {
    name,
    kind,
    url: readText(entry, 'url', URL_BASE, tell),
    keys: keysOfKind(kind, readKeys(entry, file, tell)),
    model: readText(entry, 'model', SHORT, tell),
    group: readText(entry, 'group', SHORT, tell),
    tenants: readTenants(entry, tell),
    options: readOptions(entry, tell),
    fallbackVoice: readText(entry, 'fallbackVoice', VOICE, tell),
    fallbackVoice2: readText(entry, 'fallbackVoice2', VOICE, tell),
  };
  // Of an unknown kind nothing else is known.
  if (entry.kind === kind) checkKind(service, entry, tell);
  return service;
}

function checkKind({ kind, url, keys }: UpstreamSetting, entry: Entry, tell: Tell): void {
  const isGiven = (field: string) => entry[field] !== undefined && entry[field] !== null;
  if (kind === 'engine') {
    for (const field of ['url', 'keys', 'keysFile', 'model', 'group', 'options'])
      if (isGiven(field)) tell(field, 'is set, but the embedded engine has none', 'leave it out');
    return;
  }
  if (url === undefined && PUBLIC_ADDRESSES[kind] === undefined && !isGiven('url'))
    tell('url', 'is not set', 'the base address of the service, http:// or https://');
  const mayLackKeys = kind === 'openai' && url !== undefined;
  if (keys.length === 0 && !mayLackKeys && !isGiven('keys') && !isGiven('keysFile'))
    tell('keys', 'is not set', `${KEYS_ALLOWED}; or keysFile`);
  const nameless = keys.findIndex(({ userId }) => userId === '');
  if (kind === 'speech-service' && nameless >= 0)
    tell(`keys, entry ${nameless + 1}`, 'has no user id (value not shown)', 'userId:apiKey, or user and key');
  if (kind === 'speech-service')
    for (const field of ['model', 'options'])
      if (isGiven(field)) tell(field, 'is set, but services of this kind have none', 'leave it out');
}

const addressOf = ({ kind, url }: UpstreamSetting) => url ?? PUBLIC_ADDRESSES[kind];
const differ = (a: UpstreamKey, b: UpstreamKey) =>
  KEY_LIMITS.some((limit) => a[limit] !== undefined && b[limit] !== undefined && a[limit] !== b[limit]);

/** What is wrong between the entries, each by its place. */
function faultsBetween(services: readonly UpstreamSetting[]): string[] {
  const faults: string[] = [];
  for (const [at, { name, kind, group, keys }] of services.entries()) {
    const before = services.slice(0, at);
    const twin = before.findIndex((other) => other.name === name);
    if (twin >= 0)
      faults.push(`, entry ${at + 1}: name is "${name}", as in entry ${twin + 1}; allowed: each name once`);
    if (kind === 'engine' && before.some((other) => other.kind === 'engine'))
      faults.push(`, entry ${at + 1}: kind is engine once more; allowed: one embedded engine`);
    if (group === undefined) {
      // The same key at the same address is one key there.
      for (const key of keys) {
        const same = before.findIndex(
          (other) =>
            other.group === undefined &&
            addressOf(other) === addressOf(services[at]!) &&
            other.keys.some((its) => its.apiKey === key.apiKey && differ(its, key)),
        );
        if (same >= 0)
          faults.push(
            `, entry ${at + 1}: keys has a key of entry ${same + 1}, at the same address, with another limit (value not shown); allowed: one limit, since it is one key there`,
          );
      }
      continue;
    }
    const members = [...before, services[at]!].filter((other) => other.group === group);
    const of = (limit: (typeof KEY_LIMITS)[number]) =>
      new Set(members.flatMap((member) => member.keys.flatMap((key) => key[limit] ?? [])));
    if (keys.length > 0 && KEY_LIMITS.some((limit) => of(limit).size > 1))
      faults.push(
        `, entry ${at + 1}: keys of the group "${group}" have different limits; allowed: one limit, since they share it`,
      );
  }
  return faults;
}

export function upstreamList(meaning: string): Setting<readonly UpstreamSetting[]> {
  return {
    meaning,
    allowed: `a list of 1 to ${MAX_SERVICES} services with ${FIELDS.join(', ')}; in the YAML file, or as JSON`,
    placeholder: 'LIST',
    default: [],
    secrecy: 'secret',
    form: 'structure',
    read(given, file = unreadable) {
      const list = parsed(given);
      if (!Array.isArray(list) || list.length === 0 || list.length > MAX_SERVICES || !list.every(isEntry))
        return { ok: false, wrong: 'is no such list (value not shown)' };
      const faults: string[] = [];
      const services = list.map((entry, at) =>
        readEntry(entry, file, (field, wrong, allowed) =>
          faults.push(
            `, entry ${at + 1}: ${field} ${wrong}${allowed === undefined ? '' : `; allowed: ${allowed}`}`,
          ),
        ),
      );
      if (faults.length === 0) faults.push(...faultsBetween(services));
      return faults.length === 0 ? { ok: true, value: services } : { ok: false, wrong: '', faults };
    },
  };
}
const unreadable: ReadFile = () => {
  throw new Error('there are no files here');
};
export const parsed = (given: string): unknown => {
  try {
    return JSON.parse(given);
  } catch {
    return undefined;
  }
};

/** The settings that name one service. */
export type OneService = {
  readonly upstreams: readonly UpstreamSetting[];
  readonly upstreamKind: ServiceKindName;
  readonly upstreamUrl: string | undefined;
  readonly upstreamModel: string | undefined;
  readonly upstreamKeys: readonly UpstreamKey[];
};

/** The services that are configured, in order of preference; never empty: without any setting the engine speaks. */
export function configuredServices(set: OneService): readonly [UpstreamSetting, ...UpstreamSetting[]] {
  const [first, ...others] = set.upstreams;
  if (first !== undefined) return [first, ...others];
  const isEngine =
    set.upstreamKind === 'engine' || (set.upstreamKind === 'speech-service' && set.upstreamUrl === undefined);
  const kind = isEngine ? 'engine' : set.upstreamKind;
  return [
    {
      name: kind,
      kind,
      url: set.upstreamUrl,
      keys: isEngine ? [] : keysOfKind(kind, set.upstreamKeys),
      model: set.upstreamModel,
      group: undefined,
      tenants: undefined,
      options: {},
      fallbackVoice: undefined,
      fallbackVoice2: undefined,
    },
  ];
}

/** The embedded engine is one of the services. */
export const usesEngine = (set: OneService): boolean =>
  configuredServices(set).some(({ kind }) => kind === 'engine');
