// What somebody set, and how they named it: read from the environment, from flags and from the YAML file.
// Knows names but no rules: an unknown name is a problem here, a wrong value is one in config.ts.

import { createRequire } from 'node:module';
import { meantName } from '../base/shown-value.ts';
import type { Setting } from './setting.ts';
import { SETTINGS, type SettingName, toEnv, toFlag } from './settings.ts';

/** One value somebody gave: for which setting, how it was named there, and as what text. */
export type Given = { readonly name: string; readonly as: string; readonly value: string };
type Collected = {
  readonly given: readonly Given[];
  readonly problems: string[];
  readonly warnings: string[];
};

export const NAMES = Object.keys(SETTINGS) as SettingName[];
export const isName = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name);
const formOf = (name: SettingName): Setting<unknown>['form'] => (SETTINGS[name] as Setting<unknown>).form;
export const printable = (name: string): string => name.slice(0, 64).replace(/\p{Cc}/gu, '?');

const BY_ENV = new Map(NAMES.map((name) => [toEnv(name), name]));
const BY_FLAG = new Map(NAMES.map((name) => [toFlag(name), name]));

function unknown(kind: string, given: string, known: readonly string[]): string {
  return `${printable(given)} is not a ${kind} of Voxgate${meantName(given, known)}`;
}

/**
 * Kubernetes and Docker links describe every service to its neighbours in variables named after it, so a service
 * `voxgate` or `voxgate-redis` puts names like VOXGATE_PORT_8080_TCP_ADDR into our environment.
 */
const isInjected = (name: string, value: string): boolean =>
  /^VOXGATE_(SERVICE|PORT)_/.test(name) ||
  /_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP|SCTP)(_|$)/.test(name) ||
  value.startsWith('tcp://');

/** What the commands that call a gateway read (docs/cli.md): in the environment of one that serves, they are no fault. */
const OF_CALLERS: ReadonlySet<string> = new Set([
  'VOXGATE_URL',
  'VOXGATE_KEY',
  'VOXGATE_KEY_FILE',
  'VOXGATE_USER',
]);

export function fromEnv(env: Readonly<Record<string, string | undefined>>): Collected {
  const given: Given[] = [];
  const problems: string[] = [];
  const injected: string[] = [];
  for (const [as, value = ''] of Object.entries(env)) {
    if (!as.startsWith('VOXGATE_') || OF_CALLERS.has(as)) continue;
    const name = BY_ENV.get(as);
    if (isInjected(as, value.trim())) injected.push(printable(as));
    else if (name === undefined) problems.push(unknown('setting', as, NAMES.map(toEnv)));
    else given.push({ name, as, value });
  }
  const more = injected.length > 5 ? ` and ${injected.length - 5} more` : '';
  const warning = `ignored what a container platform injects for a service of this name: ${injected.slice(0, 5).join(', ')}${more}`;
  return { given, problems, warnings: injected.length === 0 ? [] : [warning] };
}

export function fromFlags(flags: readonly string[]): Collected & { readonly configPath: string | undefined } {
  const given: Given[] = [];
  const problems: string[] = [];
  const warnings: string[] = [];
  let configPath: string | undefined;
  for (let at = 0; at < flags.length; at++) {
    const argument = flags[at]!;
    const equals = argument.indexOf('=');
    const as = equals < 0 ? argument : argument.slice(0, equals);
    if (!as.startsWith('--')) {
      // Not repeated: it may be the second half of a secret.
      problems.push(
        `argument ${at + 1} is neither a flag nor the value of one; allowed: --name value or --name=value`,
      );
      continue;
    }
    const name = BY_FLAG.get(as);
    if (name === undefined && as !== '--config') {
      problems.push(unknown('flag', as, [...NAMES.map(toFlag), '--config']));
      if (equals < 0 && flags[at + 1]?.startsWith('--') === false) at++;
      continue;
    }
    const next = flags[at + 1];
    if (equals < 0 && (next === undefined || next.startsWith('--'))) {
      problems.push(`${as} has no value; allowed: ${as} VALUE`);
      continue;
    }
    const value = equals < 0 ? flags[++at]! : argument.slice(equals + 1);
    if (name === undefined) configPath = value;
    else given.push({ name, as, value });
    if (name !== undefined && isName(name) && SETTINGS[name].secrecy === 'secret')
      warnings.push(`${as} can be read in the list of processes; ${toEnv(name)} or a file cannot`);
  }
  return { given, problems, warnings, configPath };
}

/** A list or table of the file as JSON. */
const asJson = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) => {
    if (each instanceof Map) return Object.fromEntries(each);
    return typeof each === 'bigint' ? String(each) : each;
  });

/** `undefined` when the file says nothing (`null` or an empty value), a clause when it is of no use. */
function scalar(
  value: unknown,
  form: 'structure' | undefined,
): { readonly text: string } | { readonly wrong: string } | undefined {
  if (value === null || value === undefined) return undefined;
  if (form === 'structure' && typeof value === 'object') return { text: asJson(value) };
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return { text: String(value) };
  if (Array.isArray(value) && value.every((each) => typeof each === 'string'))
    return { text: value.join('\n') };
  return { wrong: 'is neither text nor a number nor a list of texts' };
}

export function fromYaml(path: string, source: string): Collected {
  const given: Given[] = [];
  const problems: string[] = [];
  const where = `in ${printable(path)}`;
  // Not the parser's own messages: they quote the line, which may hold a key.
  // Most starts have no file, and do not wait for its parser.
  const { LineCounter, parseDocument } = createRequire(import.meta.url)('yaml') as typeof import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
  const fault = document.errors[0];
  if (fault !== undefined) {
    const { line, col } = lines.linePos(fault.pos[0]);
    return {
      given,
      problems: [`line ${line}, column ${col} ${where} is not YAML (${fault.code})`],
      warnings: [],
    };
  }
  let content: unknown;
  try {
    content = document.toJS({ mapAsMap: true });
  } catch {
    return { given, problems: [`the aliases ${where} cannot be resolved`], warnings: [] };
  }
  if (content !== null && !(content instanceof Map))
    return {
      given,
      problems: [`what stands ${where} is not a list of names and values (leadMs: 300)`],
      warnings: [],
    };
  for (const [key, value] of content ?? []) {
    const name = String(key);
    const as = `${printable(name)} ${where}`;
    const read = scalar(value, isName(name) ? formOf(name) : undefined);
    if (!isName(name)) problems.push(`${unknown('setting', name, NAMES)} (${where})`);
    else if (read !== undefined && 'wrong' in read) problems.push(`${as} ${read.wrong}`);
    else if (read !== undefined) given.push({ name, as, value: read.text });
  }
  return { given, problems, warnings: [] };
}
