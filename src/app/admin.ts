// The operator's listener, where there is to be one, on this machine alone.

import { type AdminServerOptions, createAdminServer } from '../http/server/admin-server.ts';
import type { Config } from '../settings/settings.ts';
import { originOf, portOf } from './gateway.ts';

const HOST = '127.0.0.1';

/** Its address; undefined when it is off. */
export async function openAppAdmin(
  { adminPort, adminKey }: Pick<Config, 'adminPort' | 'adminKey'>,
  told: Omit<AdminServerOptions, 'adminKey'>,
  onStop: (stop: () => Promise<void>) => void,
): Promise<string | undefined> {
  if (adminPort === 0) return undefined;
  const admin = createAdminServer({ ...told, adminKey });
  await admin.listen({ host: HOST, port: adminPort });
  onStop(async () => {
    await admin.close();
  });
  return originOf('http', HOST, portOf(admin.server.address()));
}
