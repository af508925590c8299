// The speech service that a command uses: the running gateway that was named, or one of its own in a folder that goes
// with it.

import { createVoxgateClient, type VoxgateClient } from '../client/voxgate-client.ts';
import { parseConfig } from '../settings/config.ts';
import { toEnv } from '../settings/settings.ts';
import { openTemporaryFolder } from '../storage/temporary-folder.ts';
import { type Caller, serviceUrlOf } from './caller/caller.ts';
import { type Terminal, UsageError } from './command.ts';
import { OF_A_SERVICE } from './own-gateway.ts';
import { sayingFlags } from './words-of-flags.ts';

export type ReachedService = {
  readonly client: VoxgateClient;
  /** `own`: it is gone when the command ends, with its addresses. */
  readonly whose: 'own' | 'named';
  readonly stop: () => Promise<void>;
};

/** For a gateway without keys, where any pair is taken. */
const ANYBODY = 'local';

export async function reachService(terminal: Terminal, caller: Caller): Promise<ReachedService> {
  const { url, key, user = ANYBODY } = caller;
  if (url !== undefined) {
    const baseUrl = serviceUrlOf(url);
    const { username, password } = new URL(url);
    // Without a key, what stands in the address is sent.
    const apiKey = key ?? (username + password === '' ? ANYBODY : '');
    const client = createVoxgateClient({ baseUrl, apiKey, userId: user });
    return { client, whose: 'named', stop: async () => {} };
  }
  const { path: folder, remove: removeFolder } = openTemporaryFolder();
  try {
    const env = { ...terminal.env };
    for (const name of [...OF_A_SERVICE, 'dataDir'] as const) delete env[toEnv(name)];
    const parsed = parseConfig({
      env,
      flags: ['--port', '0', '--data-dir', folder],
      file: terminal.readFile,
    });
    if (!parsed.ok) throw new UsageError(parsed.problems.join('\n'));
    const { version } = terminal;
    // Not loaded by a command that is given one: that would take it twice the time to start.
    const [{ startGateway }, { createPinoLog }] = await Promise.all([
      import('../app/start.ts'),
      import('../base/pino-log.ts'),
    ]);
    const gateway = await startGateway({
      config: parsed.config,
      log: createPinoLog('warn'),
      version,
      searchPath: terminal.env.PATH,
    });
    return {
      whose: 'own',
      client: createVoxgateClient({ baseUrl: gateway.url, apiKey: ANYBODY, userId: ANYBODY }),
      async stop() {
        await gateway.stop(0);
        removeFolder();
      },
    };
  } catch (error) {
    removeFolder();
    throw error;
  }
}

/**
 * What a command that has ended says of its work: the record, and by `files` where its parts have been written. Of a gateway of its
 * own, which is gone then, no address of one is told.
 */
export function endedRecord(
  record: object,
  whose: ReachedService['whose'],
  files: Readonly<Record<string, string | undefined>>,
): string {
  const isAddress = (name: string) => /^url$|Url$/.test(name);
  const left = (name: string, value: unknown) => (whose === 'own' && isAddress(name) ? undefined : value);
  return JSON.stringify({ ...(JSON.parse(JSON.stringify(record, left)) as object), files });
}

/** The voice that was named, or the first of `gender` that the service lists. */
export async function chooseVoice(
  client: VoxgateClient,
  given: string | undefined,
  { flag, gender }: { readonly flag: string; readonly gender: 'Female' | 'Male' },
): Promise<string> {
  if (given !== undefined) return given;
  const voices = await sayingFlags(client.voices());
  const voice = voices.find((each) => each.gender === gender) ?? voices[0];
  if (voice === undefined)
    throw new UsageError(`${flag}: name a voice; this speech service does not list its voices`);
  return voice.id;
}
