// Why a gateway could not be reached, for people who have typed its address: the system names a code and nothing that helps.

import { causesOf } from '../base/storage-fault.ts';

const START = 'start one there with "voxgate serve", or correct the address';
const CHECK_NAME = 'check the name of the host';
const TLS_REMEDY = 'NODE_EXTRA_CA_CERTS names a file of certificates to be trusted beside the known ones';
const REMEDIES: Readonly<Record<string, string>> = {
  ECONNREFUSED: `nothing listens there: ${START}`,
  ENOTFOUND: `there is no such host: ${CHECK_NAME}`,
  EAI_AGAIN: `the name cannot be looked up now: ${CHECK_NAME} and the network`,
  EHOSTUNREACH: 'there is no way to that host: check the network',
  ENETUNREACH: 'there is no way to that network: check the network',
  ETIMEDOUT: 'it does not answer: check the address and any firewall on the way',
  ECONNRESET: 'it hung up: whatever listens there may be no gateway, or one behind TLS (wss:// and https://)',
  EPROTO: 'what answers there speaks no TLS: use ws:// or http://',
  ERR_SSL_WRONG_VERSION_NUMBER: 'what answers there speaks no TLS: use ws:// or http://',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: `its certificate is signed by nobody known: ${TLS_REMEDY}`,
  SELF_SIGNED_CERT_IN_CHAIN: `its certificate is signed by nobody known: ${TLS_REMEDY}`,
};

/** `thrown` by a connection to `url`; of the address nothing is repeated but where it leads, for the rest may be a token. */
export function connectFault(thrown: unknown, url: string): Error {
  const origin = URL.canParse(url) ? `${new URL(url).protocol}//${new URL(url).host}` : 'the address';
  for (const { code } of causesOf(thrown))
    if (typeof code === 'string' && Object.hasOwn(REMEDIES, code))
      return new Error(`${origin} cannot be reached (${code}); ${REMEDIES[code]}.`, { cause: thrown });
  return thrown instanceof Error && thrown.message !== 'fetch failed'
    ? thrown
    : new Error(`${origin} cannot be reached.`, { cause: thrown });
}
