// The speech service that a command uses: the running gateway that was named, or one of its own in a folder that goes
// with it.

import { createVoxgateClient, type VoxgateClient } from '../client/voxgate-client.ts';
import { VoxgateError } from '../client/voxgate-error.ts';
import { parseConfig } from '../settings/config.ts';
import { toEnv } from '../settings/settings.ts';
import { openTemporaryFolder } from '../storage/temporary-folder.ts';
import { type Caller, serviceUrlOf } from './caller/caller.ts';
import { type Terminal, UsageError } from './command.ts';
import { OF_A_SERVICE } from './own-gateway.ts';

export type ReachedService = {
  readonly client: VoxgateClient;
  /** `own`: it is gone when the command ends, with its addresses. */
  readonly whose: 'own' | 'named';
  readonly stop: () => Promise<void>;
};

/** What requests call a thing, and what the command line calls it. Refusals of the gateway name the first. */
const CALLED: Readonly<Record<string, string>> = {
  synthesisStyle: '--style',
  voice1: '--voice1',
  voice1Name: '--name1',
  voice2Name: '--name2',
  voice: '--voice',
  voice2: '--voice2',
  name: '--name',
  language: '--language',
  model: '--model',
  quality: '--quality',
  speed: '--speed',
  seed: '--seed',
  temperature: '--temperature',
  agent: '--agent',
  outputFormat: '--format',
  sampleRate: '--sample-rate',
  turnPrefix: '--turn-prefix',
  turnPrefix2: '--turn-prefix2',
  sourceFile: 'FILE',
  sourceFileUrl: 'URL',
  text: 'TEXT',
};
const KEY_FLAGS = '--key-file or --key (VOXGATE_KEY_FILE, VOXGATE_KEY)';
/** A field stands at the beginning of what is wrong with it. */
const FIELD = /(?<=^|; )([a-zA-Z0-9]+)(?=: )/g;

/** A refusal of the gateway in the words of the command line. */
export function inWordsOfFlags(message: string): string {
  const said = message
    .replace(FIELD, (field) => (Object.hasOwn(CALLED, field) ? CALLED[field]! : field))
    .replaceAll('sourceFileUrl', 'the address of the source')
    .replaceAll('GET /api/v1/voices lists', "the gateway's address with /api/v1/voices behind it lists");
  if (/\bAuthorization\b/.test(said))
    return `The gateway wants an API key, or another one; give it with ${KEY_FLAGS}.`;
  if (/\bX-USER-ID\b/.test(said) && !said.includes('--user'))
    return 'The gateway wants the name of the user whose key it is; give it with --user (VOXGATE_USER).';
  return said;
}

/** Runs what calls the service; its refusals are thrown in the words of the command line. `tooLarge`: what is said of a body. */
export async function sayingFlags<Made>(made: Promise<Made>, tooLarge?: string): Promise<Made> {
  try {
    return await made;
  } catch (error) {
    if (error instanceof VoxgateError)
      error.message =
        error.status === 413 && tooLarge !== undefined ? tooLarge : inWordsOfFlags(error.message);
    throw error;
  }
}

/** What a work ended as that was not made, as a sentence. `what`: as the caller named it. */
export function failedLine(what: string, status: string, error: { readonly message: string } | null): string {
  const how = status === 'failed' ? 'could not be made' : `was ${status}`;
  return error === null ? `${what} ${how}.` : `${what} ${how}: ${inWordsOfFlags(error.message)}`;
}

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
