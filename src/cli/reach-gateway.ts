// The gateway that a command speaks through: the one that was named, or one of its own for as long as the command runs.

import { parseConfig } from '../settings/config.ts';
import { toEnv } from '../settings/settings.ts';
import { type Caller, callerHeaders, sessionUrlOf } from './caller/caller.ts';
import { type Terminal, UsageError } from './command.ts';
import { OF_A_SERVICE } from './own-gateway.ts';

export type ReachedGateway = {
  /** Where sessions are opened, and with which headers. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
};

/** `flags` are settings of a gateway of its own, and `service` whether it answers over HTTP as well. */
export async function reachGateway(
  terminal: Terminal,
  caller: Caller,
  flags: readonly string[] = [],
  service: 'on' | 'off' = 'off',
): Promise<ReachedGateway> {
  const { url } = caller;
  if (url !== undefined)
    return { url: sessionUrlOf(url), headers: callerHeaders(caller), stop: async () => {} };
  const env = { ...terminal.env };
  for (const name of OF_A_SERVICE) delete env[toEnv(name)];
  const parsed = parseConfig({ env, flags: ['--port', '0', ...flags], file: terminal.readFile });
  if (!parsed.ok) throw new UsageError(parsed.problems.join('\n'));
  // Not loaded by a command that is given one: that would take it twice the time to start.
  const [{ startGateway }, { createPinoLog }] = await Promise.all([
    import('../app/start.ts'),
    import('../base/pino-log.ts'),
  ]);
  const gateway = await startGateway({
    service,
    config: parsed.config,
    log: createPinoLog('warn'),
    version: terminal.version,
  });
  // It asks for no key.
  return { url: gateway.sessionUrl, headers: {}, stop: () => gateway.stop(0) };
}
