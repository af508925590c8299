// The beginning of an incoming call at Twilio: it asks the webhook of the number, signed, and does what the TwiML says. As strict
// as its documents (Voice webhooks, validating signatures, TwiML <Connect><Stream>); built from these, not tried against it.

import { createHmac } from 'node:crypto';
import { connectFault } from '../../packages/client/src/connect-fault.ts';
import { splitCredentials } from '../../src/base/addresses/address-credentials.ts';
import { shownAddress } from '../../src/base/addresses/shown-address.ts';
import { readXml, type XmlElement } from './small-xml.ts';

/** What `<Connect><Stream>` told Twilio to dial. */
export type TwimlStream = {
  readonly url: URL;
  readonly parameters: Readonly<Record<string, string>>;
};

/** Twilio waits so long for a webhook (error 11200 beyond it). */
const ANSWER_DEADLINE_MS = 15_000;
/** Bytes of a TwiML document (error 11750). */
const MAX_TWIML_BYTES = 64 * 1024;
const XML = /^(?:text|application)\/xml\b/;
const ACCOUNT_SID = `AC${'0'.repeat(32)}`;

/** The address as it is configured, then name and value of every field, by name; HMAC-SHA-1 in base64. */
export const webhookSignature = (
  authToken: string,
  address: string,
  fields: Readonly<Record<string, string>>,
): string =>
  createHmac('sha1', authToken)
    .update(
      address +
        Object.keys(fields)
          .sort()
          .map((name) => name + fields[name])
          .join(''),
    )
    .digest('base64');

/** Throws an Error with what Twilio's documents do not allow. */
export function readTwiml(twiml: string): TwimlStream {
  const root = readRoot(twiml);
  if (root.name !== 'Response') throw new Error('The TwiML is no <Response>.');
  const [verb] = root.children;
  const [stream] = verb?.children ?? [];
  if (verb?.name !== 'Connect' || stream?.name !== 'Stream')
    throw new Error('The first verb of the TwiML is not <Connect> with a <Stream>: nobody would speak.');
  const { url: address = '' } = stream.attributes;
  if (!URL.canParse(address) || new URL(address).protocol !== 'wss:')
    throw new Error(
      `The url of <Stream> is ${JSON.stringify(shownAddress(address))}; Twilio dials wss:// only.`,
    );
  const url = new URL(address);
  if (url.search !== '') throw new Error('The url of <Stream> has a query, which Twilio does not support.');
  const parameters = stream.children.map(({ name: tag, attributes: { name, value } }) => {
    if (tag !== 'Parameter' || name === undefined || value === undefined)
      throw new Error('Inside of <Stream> only <Parameter name="…" value="…"/> may stand.');
    return [name, value] as const;
  });
  return { url, parameters: Object.fromEntries(parameters) };
}

function readRoot(twiml: string): XmlElement {
  try {
    return readXml(twiml.trim());
  } catch (error) {
    throw new Error(`The TwiML is not well-formed (12100): ${(error as Error).message}`);
  }
}

/** What a webhook that refuses has to be compared with. The path is signed, so it is shown; what may be a secret is not. */
function signedWords(address: string, authToken: string | undefined): string {
  if (authToken === undefined)
    return 'The request had no signature: --auth-token-file or VOXGATE_TWILIO_AUTH_TOKEN signs it.';
  const { origin, pathname, search } = new URL(address);
  const shown = `${origin}${pathname}${search === '' ? '' : '?…'}`;
  return `The request was signed with the auth token for exactly ${shown}: a webhook that checks needs the same token and the same address.`;
}

/** Rejects when the webhook does not answer as it should. `authToken`: undefined does not sign. */
export async function askTwilioWebhook(
  address: string,
  { callSid, authToken }: { readonly callSid: string; readonly authToken: string | undefined },
): Promise<TwimlStream> {
  const fields = {
    AccountSid: ACCOUNT_SID,
    ApiVersion: '2010-04-01',
    CallSid: callSid,
    CallStatus: 'ringing',
    Direction: 'inbound',
    From: '+15005550006',
    To: '+15005550001',
  };
  const signature = authToken === undefined ? undefined : webhookSignature(authToken, address, fields);
  // Twilio sends what stands before the @ as Basic authentication, and signs the address with it.
  const { url, authorization } = splitCredentials(address);
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...(signature !== undefined && { 'X-Twilio-Signature': signature }),
      ...(authorization !== undefined && { authorization }),
    },
    body: new URLSearchParams(fields),
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_DEADLINE_MS),
  }).catch((error: unknown) => {
    throw new Error(`The webhook did not answer: ${connectFault(error, address).message}`);
  });
  const twiml = await response.text();
  if (!response.ok)
    throw new Error(`The webhook answered ${response.status}. ${signedWords(address, authToken)}`);
  const type = response.headers.get('content-type') ?? '';
  if (!XML.test(type)) throw new Error(`The webhook answered ${JSON.stringify(type)} in place of text/xml.`);
  if (twiml.length > MAX_TWIML_BYTES) throw new Error('The TwiML has more than 64 kB.');
  return readTwiml(twiml);
}
