// A gateway that lives as long as one command has none of the settings of a service that others call.

import type { SettingName } from '../settings/settings.ts';

export const OF_A_SERVICE = [
  'host',
  'port',
  'apiKeys',
  'apiKeysFile',
  'publicUrl',
  'tlsCert',
  'tlsKey',
  'adminPort',
  'asteriskUrl',
  'asteriskUrlFile',
] as const satisfies readonly SettingName[];
