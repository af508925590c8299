// How `voxgate simulate` has its platform call: in which codec, how late, and signed as Twilio does.

import { twilioSignature } from '../../src/access/twilio-signature.ts';
import { shownAddress } from '../../src/base/shown-address.ts';
import { type Terminal, UsageError } from '../../src/cli/command.ts';
import { readInputFile } from '../../src/cli/input/read-input.ts';
import { passInterruptOn, systemWords } from '../../src/cli/output/system-words.ts';
import { carrierIn, codecsOf } from '../carriers/carrier-codecs.ts';
import type { SimulatedCarrier } from '../carriers/carriers.ts';
import type { CallLateness } from '../carriers/simulated-call.ts';

type Given = Readonly<
  Partial<
    Record<
      'codec' | 'start-ms' | 'first-frame-ms' | 'talk-after-ms' | 'auth-token-file' | 'public-url',
      string | undefined
    >
  >
>;

const SIGNING_KIND = 'twilio';
/** A gateway has long given such a call up. */
const MAX_LATE_MS = 60_000;
const MAX_TALK_AFTER_MS = 600_000;

export function readCodec<Carrier extends SimulatedCarrier>(
  kind: string,
  usual: Carrier,
  { codec }: Given,
): Carrier {
  if (codec === undefined) return usual;
  const chosen = carrierIn(kind, codec);
  if (chosen !== undefined) return { ...usual, ...chosen };
  throw new UsageError(
    `--codec is ${JSON.stringify(codec)}; allowed for ${kind}: ${codecsOf(kind).join(', ')}`,
  );
}

export function readWhole(flag: string, text: string | undefined, least: number, most: number) {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw new UsageError(
    `--${flag} is ${JSON.stringify(text)}; allowed: a whole number from ${least} to ${most}`,
  );
}

export const readLateness = (given: Given): CallLateness => ({
  startMs: readWhole('start-ms', given['start-ms'], 0, MAX_LATE_MS) ?? 0,
  firstFrameMs: readWhole('first-frame-ms', given['first-frame-ms'], 0, MAX_LATE_MS) ?? 0,
  talkAfterMs: readWhole('talk-after-ms', given['talk-after-ms'], 0, MAX_TALK_AFTER_MS),
});

export type Signer = {
  /** Undefined: nothing is signed. */
  readonly authToken: string | undefined;
  /** Headers of the upgrade to `path` of a gateway at `origin`. */
  headers(origin: string, path: string): Readonly<Record<string, string>>;
};

export const signedUpgrade = (authToken: string, origin: string, path: string) => ({
  'X-Twilio-Signature': twilioSignature(authToken, origin, path),
});

type Inputs = Pick<Terminal, 'env' | 'input' | 'interrupted'>;

/** Signs where there is a token; its value is in a file or in the environment and shows nowhere. */
export async function readSigner(kind: string, given: Given, terminal: Inputs): Promise<Signer> {
  const { 'auth-token-file': file, 'public-url': publicUrl } = given;
  for (const flag of ['auth-token-file', 'public-url'] as const)
    if (given[flag] !== undefined && kind !== SIGNING_KIND)
      throw new UsageError(`--${flag} is for ${SIGNING_KIND}: ${kind} does not sign`);
  const token = file === undefined ? terminal.env.VOXGATE_TWILIO_AUTH_TOKEN : await readToken(file, terminal);
  const publicOrigin = publicUrl ?? terminal.env.VOXGATE_PUBLIC_URL;
  if (kind !== SIGNING_KIND || token === undefined || token === '')
    return { authToken: undefined, headers: () => ({}) };
  return {
    authToken: token,
    headers: (origin, path) => signedUpgrade(token, publicOrigin ?? origin, path),
  };
}

/** `--webhook`, which only the platform with webhooks of this kind has; it needs `--url`, where the gateway really is. */
export function readWebhook(
  kind: string,
  webhook: string | undefined,
  { url, say, token }: Readonly<Partial<Record<'url' | 'say' | 'token', string | undefined>>>,
): string | undefined {
  if (webhook === undefined) return undefined;
  if (kind !== SIGNING_KIND) throw new UsageError(`--webhook is for ${SIGNING_KIND}`);
  if (!URL.canParse(webhook) || !/^https?:$/.test(new URL(webhook).protocol))
    throw new UsageError(
      `--webhook is ${JSON.stringify(shownAddress(webhook))}; allowed: an http:// or https:// address`,
    );
  if (url === undefined)
    throw new UsageError('--webhook needs --url: where the gateway is that your bot uses');
  if (say !== undefined || token !== undefined)
    throw new UsageError(
      '--webhook goes without --say and --token: your bot speaks, and its TwiML has the token',
    );
  return webhook;
}

async function readToken(file: string, terminal: Inputs): Promise<string> {
  try {
    return Buffer.from(await readInputFile(terminal, file))
      .toString('utf8')
      .trim();
  } catch (error) {
    passInterruptOn(error);
    throw new UsageError(
      `--auth-token-file is ${JSON.stringify(file)}, which cannot be read: ${systemWords(error)}`,
    );
  }
}
