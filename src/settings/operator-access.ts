// What the settings say of whom a gateway serves. As soon as one of them is for callers from elsewhere, there may be a proxy on
// this machine, and then no address tells a program here from the rest of the world.

import { isLoopback } from './setting.ts';
import { type Config, type SettingName, toEnv } from './settings.ts';

/** Settings that are for callers from elsewhere alone; the first that is set is told. */
const FOR_OTHERS = ['apiKeys', 'publicUrl', 'tlsCert', 'twilioAuthToken'] as const satisfies SettingName[];

export type ServedCallers = Pick<Config, (typeof FOR_OTHERS)[number] | 'host' | 'adminKey'>;

function offeredBy(config: ServedCallers): string | undefined {
  const name = FOR_OTHERS.find((each) => config[each] !== undefined && config[each].length > 0);
  if (name !== undefined) return toEnv(name);
  return isLoopback(config.host) ? undefined : toEnv('host');
}

/** `offeredBy`: the variable of the first setting that is for callers from elsewhere; undefined: this machine alone is served. */
export const operatorAccess = (config: ServedCallers) => ({
  adminKey: config.adminKey,
  offeredBy: offeredBy(config),
});
