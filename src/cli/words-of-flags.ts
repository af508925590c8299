// A refusal of the gateway in the words of the command line, for every command that may be refused: flags in the place of fields.

import { SessionError } from '../../packages/client/src/session-error.ts';
import { VoxgateError } from '../../packages/client/src/voxgate-error.ts';

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
/** A field stands at the beginning of what is wrong with it, behind the code where a session was refused. */
const FIELD = /(?<=^|; |[A-Z]: )([a-zA-Z0-9]+)(?=: )/g;

/** A refusal of the gateway in the words of the command line. */
export function inWordsOfFlags(message: string): string {
  const said = message
    .replace(FIELD, (field) => (Object.hasOwn(CALLED, field) ? CALLED[field]! : field))
    .replaceAll('sourceFileUrl', 'the address of the source')
    .replaceAll('GET /api/v1/voices lists', 'voxgate voices lists');
  if (/\bAuthorization\b/.test(said))
    return `The gateway wants an API key, or another one; give it with ${KEY_FLAGS}.`;
  if (/\bbelong to the user of X-USER-ID\b/.test(said))
    return 'No user was named, or the key is that of another one; name the user whose key it is with --user (VOXGATE_USER).';
  if (/\bX-USER-ID\b/.test(said))
    return 'The gateway wants the name of the user whose key it is; give it with --user (VOXGATE_USER).';
  return said;
}

/** Runs what calls the service; its refusals are thrown in the words of the command line. `tooLarge`: what is said of a body. */
export async function sayingFlags<Made>(made: Promise<Made>, tooLarge?: string): Promise<Made> {
  try {
    return await made;
  } catch (error) {
    if (error instanceof VoxgateError || error instanceof SessionError)
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
