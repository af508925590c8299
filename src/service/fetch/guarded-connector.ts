// The way to a socket for one request: the name is looked up once, every answer is judged, and the socket gets the
// judged addresses themselves. No second lookup stands between the judgement and the connection, so a name that changes
// its answers (DNS rebinding) gains nothing. The URL's name stays what TLS and the Host header say.

import { isIP, type LookupFunction, type Socket } from 'node:net';
import { rootCertificates } from 'node:tls';
import { buildConnector } from 'undici';
import { isPublicAddress } from '../../access/public-address.ts';
import { AppError } from '../../base/app-error.ts';
import type { NameAnswer, NameLookup } from './name-lookup.ts';
import type { AllowPrivate } from './outside-url.ts';

export type GuardedConnectorOptions = {
  readonly lookup: NameLookup;
  readonly allowPrivate: AllowPrivate;
  /** PEM certificates to trust besides the well-known authorities. */
  readonly trusted?: string | undefined;
};

export type GuardedConnector = {
  readonly connect: buildConnector.connector;
  /** Ends the connection in whatever state it is; one that is not yet made is never made. */
  hangUp(): void;
};

/** A name with more addresses than this is tried at the first ones. */
const MAX_ADDRESSES = 8;
/** How long one address is tried before the next one of the same name is (RFC 8305 5 allows up to two seconds). */
const NEXT_ADDRESS_MS = 1000;

const refused = (host: string) =>
  new AppError('address_refused', `The address of ${host} is not one of the open internet.`);

/** The answers for `host`, if every one of them may be connected to; an IP address answers for itself. */
async function judgedAnswers(host: string, options: GuardedConnectorOptions): Promise<readonly NameAnswer[]> {
  const family = isIP(host);
  let answers: readonly NameAnswer[];
  try {
    answers = family === 0 ? await options.lookup(host) : [{ address: host, family: family === 4 ? 4 : 6 }];
  } catch (cause) {
    throw new AppError('address_unreachable', `The name ${host} could not be looked up.`, { cause });
  }
  if (answers.length === 0) throw new AppError('address_unreachable', `The name ${host} has no address.`);
  if (options.allowPrivate === 'refused' && !answers.every(({ address }) => isPublicAddress(address)))
    throw refused(host);
  return answers.slice(0, MAX_ADDRESSES);
}

/** For one connection: `connect` as undici's `connect` option. */
export function createGuardedConnector(options: GuardedConnectorOptions): GuardedConnector {
  let socket: Socket | undefined;
  let state: 'open' | 'hung up' = 'open';

  return {
    connect(target, callback) {
      const host = target.hostname;
      const open = (answers: readonly NameAnswer[]) => {
        if (state === 'hung up')
          return callback(new AppError('address_unreachable', `${host} was given up.`), null);
        const known: LookupFunction = (_, { all }, answer) =>
          all === true ? answer(null, [...answers]) : answer(null, answers[0]!.address, answers[0]!.family);
        // Its type hides that it answers with the socket.
        const connect = buildConnector({
          timeout: 0,
          lookup: known,
          autoSelectFamily: true,
          autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
          ...(options.trusted !== undefined && { ca: [...rootCertificates, options.trusted] }),
        } as buildConnector.BuildOptions) as (...args: Parameters<buildConnector.connector>) => Socket;
        socket = connect(target, callback);
      };
      judgedAnswers(host, options)
        .then(open)
        .catch((error: Error) => callback(error, null));
    },
    hangUp() {
      state = 'hung up';
      socket?.destroy();
    },
  };
}
