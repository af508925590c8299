// Where settings come from and which wins: flag, then environment, then YAML file, then default.
// Pure: files are read by a function that is handed in. Every fault is one line that names the setting as it
// was given, what was given (never a secret) and what is allowed; all of them are told at once.

import { fromEnv, fromFlags, fromYaml, type Given, isName, NAMES, printable } from './given-settings.ts';
import { PUBLIC_ADDRESSES } from './service-kind-names.ts';
import { isLoopback, type Setting } from './setting.ts';
import { type Config, SETTINGS, type SettingName, toEnv } from './settings.ts';
import { configuredServices, usesEngine } from './upstream-list.ts';

export type ConfigSources = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The arguments after the command: `--name value` or `--name=value`. */
  readonly flags: readonly string[];
  /** Reads a file as UTF-8 text; throws when it cannot. */
  readonly file: (path: string, as: string) => string;
};

export type ConfigResult =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

const reasonOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : 'unreadable';

function readText(
  file: ConfigSources['file'],
  path: string,
  as: string,
  problems: string[],
): string | undefined {
  try {
    return file(path, as);
  } catch (thrown) {
    problems.push(`${as} names a file that cannot be read: ${printable(path)} (${reasonOf(thrown)})`);
    return undefined;
  }
}

/** Rules that hold between settings. `named` tells how a setting was given, or its variable when it was not. */
function crossCheck(
  config: Config,
  named: (name: SettingName) => string,
  problems: string[],
  warnings: string[],
) {
  const open = config.apiKeys.length === 0;
  if (open && !isLoopback(config.host))
    problems.push(
      `${named('host')} is ${config.host}, which others can reach, but there are no API keys, so anybody could speak at your expense; set ${toEnv('apiKeys')} or use 127.0.0.1`,
    );
  if (open && config.publicUrl !== undefined)
    problems.push(
      `${named('publicUrl')} is for callers from elsewhere, who need keys; set ${toEnv('apiKeys')} too`,
    );
  if (config.twilioAuthToken !== undefined && config.publicUrl === undefined)
    warnings.push(
      `${named('twilioAuthToken')} is set, but not the address that Twilio signs, so each of its calls is refused; set ${toEnv('publicUrl')}`,
    );
  if ((config.tlsCert === undefined) !== (config.tlsKey === undefined))
    problems.push(`${toEnv('tlsCert')} and ${toEnv('tlsKey')} belong together; set both or none`);
  if (config.upstreams.length > 0) checkUpstreams(config, named, problems);
  else checkUpstream(config, named, problems, warnings);
  checkVoiceTable(config, named, problems);
  if (config.scriptUrl !== undefined && config.scriptModel === undefined)
    problems.push(
      `${named('scriptUrl')} is set, but not which model is to write; set ${toEnv('scriptModel')}`,
    );
  checkRecords(config, named, problems);
  if (config.adminPort !== 0 && config.adminPort === config.port)
    problems.push(
      `${named('adminPort')} is ${config.adminPort}, the public port too; choose another or 0 = off`,
    );
  checkPeers(config, named, problems);
  if (config.audiosocketPort !== 0 && [config.port, config.adminPort].includes(config.audiosocketPort))
    problems.push(
      `${named('audiosocketPort')} is ${config.audiosocketPort}, the port of another listener, too; choose another or 0 = off`,
    );
}

/** Records that several instances share are of no use without what else they have to share. */
function checkRecords(config: Config, named: (name: SettingName) => string, problems: string[]) {
  const { databaseUrl, filesUrl, secret } = config;
  if (databaseUrl !== undefined && secret.length === 0)
    problems.push(
      `${named('databaseUrl')} is set, but not the secret that all instances sign with; set ${toEnv('secret')} or ${toEnv('secretFile')} (openssl rand -base64 32)`,
    );
  if (databaseUrl !== undefined && filesUrl === undefined)
    problems.push(
      `${named('databaseUrl')} is set, but not where files lie that all instances reach; set ${toEnv('filesUrl')}`,
    );
  if (databaseUrl === undefined && config.worksAtOnce === 0)
    problems.push(
      `${named('worksAtOnce')} is 0, and nobody else makes the works of ${toEnv('dataDir')}; set 1 or more, or ${toEnv('databaseUrl')} with instances that make them`,
    );
  if (databaseUrl === undefined && filesUrl !== undefined)
    problems.push(
      `${named('filesUrl')} is set, but the records are in ${toEnv('dataDir')}, and files lie beside them; set ${toEnv('databaseUrl')} too, or leave it out`,
    );
}

/** An instance is found in Redis, reached at its address, and believed by its secret. */
function checkPeers(config: Config, named: (name: SettingName) => string, problems: string[]) {
  const { peerPort, peerUrl } = config;
  if (peerPort === 0) return;
  const missing = (['peerUrl', 'redisUrl', 'secret'] as const).filter(
    (name) => config[name] === undefined || config[name].length === 0,
  );
  if (missing.length > 0)
    problems.push(
      `${named('peerPort')} is ${peerPort}, and other instances need more than that; set ${missing.map(toEnv).join(' and ')}, too`,
    );
  if (config.processes > 1)
    problems.push(
      `${named('peerPort')} is ${peerPort}, and ${named('processes')} is ${config.processes}; allowed: one of them. Run an instance for each core instead`,
    );
  if (peerUrl?.startsWith('https:') === true && config.tlsCert === undefined)
    problems.push(`${named('peerUrl')} is https, which needs ${toEnv('tlsCert')} and ${toEnv('tlsKey')}`);
  if ([config.port, config.adminPort, config.audiosocketPort].includes(peerPort))
    problems.push(
      `${named('peerPort')} is ${peerPort}, the port of another listener, too; choose another or 0 = off`,
    );
}

/** The list and the settings of one service say the same in two ways. */
function checkUpstreams(config: Config, named: (name: SettingName) => string, problems: string[]) {
  const { upstreamKind, upstreamUrl, upstreamModel, upstreamKeys } = config;
  const both = [
    ...(upstreamKind === SETTINGS.upstreamKind.default ? [] : ['upstreamKind' as const]),
    ...(upstreamUrl === undefined ? [] : ['upstreamUrl' as const]),
    ...(upstreamModel === undefined ? [] : ['upstreamModel' as const]),
    ...(upstreamKeys.length === 0 ? [] : ['upstreamKeys' as const]),
  ];
  for (const name of both)
    problems.push(
      `${named(name)} is set beside ${named('upstreams')}; allowed: one of them; write that service into the list`,
    );
}

function checkVoiceTable(config: Config, named: (name: SettingName) => string, problems: string[]) {
  const names = configuredServices(config).map(({ name }) => name);
  for (const [alias, row] of Object.entries(config.voices))
    for (const name of Object.keys(row))
      if (!names.includes(name))
        problems.push(
          `${named('voices')}, ${JSON.stringify(alias)}: there is no service ${JSON.stringify(name.slice(0, 64))}; allowed: ${names.join(', ')}`,
        );
}

function checkUpstream(
  config: Config,
  named: (name: SettingName) => string,
  problems: string[],
  warnings: string[],
) {
  const { upstreamKind: kind, upstreamUrl, upstreamKeys, upstreamModel } = config;
  const isVendors = Object.hasOwn(PUBLIC_ADDRESSES, kind);
  if (kind === 'engine' && upstreamUrl !== undefined)
    problems.push(
      `${named('upstreamUrl')} is set, but ${named('upstreamKind')} is engine, which has no address; leave one of them out`,
    );
  if (
    (upstreamUrl !== undefined || isVendors) &&
    upstreamKeys.length === 0 &&
    kind !== 'openai' &&
    kind !== 'engine'
  )
    problems.push(
      `${named(isVendors ? 'upstreamKind' : 'upstreamUrl')} is set, but there are no keys to call it with; set ${toEnv('upstreamKeys')}`,
    );
  if (kind === 'openai' && upstreamUrl === undefined && upstreamKeys.length === 0)
    problems.push(
      `${named('upstreamKind')} is openai at its public address, which takes no request without a key; set ${toEnv('upstreamKeys')}, or ${toEnv('upstreamUrl')} for a server without keys`,
    );
  if (usesEngine(config) && upstreamKeys.length > 0)
    warnings.push(
      `${named('upstreamKeys')} is not used: without ${toEnv('upstreamUrl')} the embedded engine speaks`,
    );
  const nameless = upstreamKeys.findIndex(({ userId }) => userId === '');
  if (kind === 'speech-service' && upstreamUrl !== undefined && nameless >= 0)
    problems.push(
      `${named('upstreamKeys')} entry ${nameless + 1} has no colon (value not shown); allowed: userId:apiKey[@perMinute][#atOnce] for services of the kind speech-service`,
    );
  if (upstreamModel !== undefined && !isVendors)
    warnings.push(`${named('upstreamModel')} is not used: the kind ${kind} has no models`);
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}

/** All settings from all sources, validated, or every reason why not. An empty value means "not set here". */
export function parseConfig({ env, flags, file }: ConfigSources): ConfigResult {
  const fromCommand = fromFlags(flags);
  const fromVariables = fromEnv(env);
  const problems = [...fromCommand.problems, ...fromVariables.problems];
  const warnings = [...fromCommand.warnings, ...fromVariables.warnings];
  const { configPath } = fromCommand;
  const yamlText = configPath === undefined ? undefined : readText(file, configPath, '--config', problems);
  const fromFile = yamlText === undefined ? undefined : fromYaml(configPath!, yamlText);
  problems.push(...(fromFile?.problems ?? []));

  // From the weakest source to the strongest; what comes later replaces what came before.
  const chosen = new Map<string, Given>();
  for (const each of [...(fromFile?.given ?? []), ...fromVariables.given, ...fromCommand.given]) {
    const given = { ...each, value: each.value.trim() };
    if (given.value !== '' && isName(given.name)) chosen.set(given.name, given);
  }

  const values: Record<string, unknown> = {};
  const take = (name: SettingName, as: string, value: string) => {
    const setting: Setting<unknown> = SETTINGS[name];
    const reading = setting.read(value, (path) => file(path, as));
    if (reading.ok) values[name] = reading.value;
    else if (reading.faults !== undefined) problems.push(...reading.faults.map((fault) => `${as}${fault}`));
    else problems.push(`${as} ${reading.wrong}; allowed: ${setting.allowed}`);
  };
  for (const name of NAMES) {
    const given = chosen.get(name);
    if (given === undefined) values[name] = SETTINGS[name].default;
    else take(name, given.as, given.value);
  }
  for (const [name, fileName] of [
    ['apiKeys', 'apiKeysFile'],
    ['upstreamKeys', 'upstreamKeysFile'],
    ['webhookSecrets', 'webhookSecretsFile'],
    ['asteriskUrl', 'asteriskUrlFile'],
    ['databaseUrl', 'databaseUrlFile'],
    ['secret', 'secretFile'],
  ] as const) {
    const given = chosen.get(fileName);
    if (given === undefined) continue;
    const direct = chosen.get(name);
    if (direct !== undefined) {
      problems.push(`${direct.as} and ${given.as} are both set; set one of them`);
      continue;
    }
    const content = readText(file, given.value, given.as, problems);
    if (content !== undefined) take(name, `the file of ${given.as}`, content.trim());
  }

  // Rules between settings are checked only on values that are right by themselves.
  if (problems.length > 0) return { ok: false, problems };
  const config = values as Config;
  crossCheck(config, (name) => chosen.get(name)?.as ?? toEnv(name), problems, warnings);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, config: deepFreeze(config), warnings };
}
