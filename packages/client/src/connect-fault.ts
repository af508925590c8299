// Why a gateway could not be reached, for people who have typed its address: the system names a code and nothing that helps.

import { hideInAddresses, shownOrigin } from '../../../src/base/addresses/shown-address.ts';
import { causesOf } from '../../../src/base/storage-fault.ts';

const START = 'start one there with "voxgate serve", or correct the address';
const CHECK_NAME = 'check the name of the host';
const NO_HTTP = 'what answers there speaks no HTTP: check the port';
const HUNG_UP =
  'it hung up: whatever listens there may be no gateway, or one behind TLS (wss:// and https://)';
const SILENT = 'it does not answer: check the address and any firewall on the way';
const UNTRUSTED = 'its certificate is signed by nobody known';
const TLS_REMEDY = 'NODE_EXTRA_CA_CERTS names a file of certificates to be trusted beside the known ones';
const REMEDIES: Readonly<Record<string, string>> = {
  ECONNREFUSED: `nothing listens there: ${START}`,
  ENOTFOUND: `there is no such host: ${CHECK_NAME}`,
  EAI_AGAIN: `the name cannot be looked up now: ${CHECK_NAME} and the network`,
  EHOSTUNREACH: 'there is no way to that host: check the network',
  ENETUNREACH: 'there is no way to that network: check the network',
  ETIMEDOUT: SILENT,
  UND_ERR_CONNECT_TIMEOUT: SILENT,
  UND_ERR_HEADERS_TIMEOUT: SILENT,
  ECONNRESET: HUNG_UP,
  UND_ERR_SOCKET: HUNG_UP,
  HPE_INVALID_CONSTANT: NO_HTTP,
  HPE_INVALID_VERSION: NO_HTTP,
  EPROTO: 'what answers there speaks no TLS: use ws:// or http://',
  ERR_SSL_WRONG_VERSION_NUMBER: 'what answers there speaks no TLS: use ws:// or http://',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `${UNTRUSTED}: ${TLS_REMEDY}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `${UNTRUSTED}: ${TLS_REMEDY}`,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name: use the name that the certificate has',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: `${UNTRUSTED}: ${TLS_REMEDY}`,
  SELF_SIGNED_CERT_IN_CHAIN: `${UNTRUSTED}: ${TLS_REMEDY}`,
};

/** What the library of WebSockets says without a code. */
const WORDS: readonly (readonly [said: RegExp, words: string])[] = [
  [/handshake has timed out/, SILENT],
  [
    /subprotocol/,
    'what answers there does not speak voxgate.v1: check the address, and the versions at both ends',
  ],
];

/** Of what this part of the program throws by itself: already a sentence. */
class ConnectFault extends Error {
  override readonly name = 'ConnectFault';
  /** As the system has it; a silence that was waited out here is none of the system's. */
  readonly code: string | undefined;

  constructor(message: string, { code, cause }: { code?: string | undefined; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
const NO_ANSWER = { code: 'ETIMEDOUT' };

/** Nothing came from `url` in time. */
export const silenceOf = (url: string, ms: number): Error =>
  new ConnectFault(
    `${shownOrigin(url)} did not answer within ${ms / 1000} s; check the address, and whether a gateway listens there.`,
    NO_ANSWER,
  );

/** `thrown` by a connection to `url`; of the address nothing is repeated but where it leads, for the rest may be a secret. */
export function connectFault(thrown: unknown, url: string): Error {
  if (thrown instanceof ConnectFault) return thrown;
  const origin = shownOrigin(url);
  const causes = [...causesOf(thrown)];
  for (const { code } of causes)
    if (typeof code === 'string' && Object.hasOwn(REMEDIES, code))
      return new ConnectFault(`${origin} cannot be reached (${code}); ${REMEDIES[code]}.`, { cause: thrown });
  // The innermost cause says most; a library's own words end without a full stop, or with one.
  const said = causes
    .flatMap(({ message }) => (typeof message === 'string' && message !== '' ? [message] : []))
    .at(-1);
  const known = WORDS.find(([words]) => words.test(said ?? ''))?.[1];
  if (known !== undefined)
    return new ConnectFault(`${origin} cannot be reached; ${known}.`, {
      ...(known === SILENT ? NO_ANSWER : {}),
      cause: thrown,
    });
  const why =
    said === undefined || said === 'fetch failed' ? '' : `: ${hideInAddresses(said).replace(/\.$/, '')}`;
  return new ConnectFault(`${origin} cannot be reached${why}.`, { cause: thrown });
}
