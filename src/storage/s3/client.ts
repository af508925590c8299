// Asking a server of S3 or of its interface: the client with its settings, a deadline and a bounded number of retries for
// every call, and what is thrown: a fault of storage, or at the start words for the operator. Neither repeats anything of the
// server's, which may name a key.

import { webcrypto } from 'node:crypto';
import { S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { AppError, storageError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import { faultCode } from '../../base/fault-code.ts';
import type { Log } from '../../base/log.ts';
import type { Random } from '../../base/random.ts';
import type { BucketAddress } from '../../settings/setting.ts';
import { Circuit, waitForAnswer } from '../circuit.ts';

export type BucketOptions = {
  readonly address: BucketAddress;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** How long the start waits for a server that does not answer. */
  readonly startMs?: number;
};
export type Asked = { readonly abortSignal: AbortSignal };

const CONNECT_MS = 2_000;
/** Of a call with little to carry, its retries included. */
export const CALL_MS = 10_000;
const MAX_ATTEMPTS = 3;
/** A player that reads slowly holds its connection meanwhile. */
const MAX_SOCKETS = 1_000;
const START_MS = 15_000;
const RETRY_AFTER_MS = 5_000;
/** Of servers that have no room left, by the codes of several. */
const FULL =
  /^(XMinioStorageFull|XMinioAdminBucketQuotaExceeded|QuotaExceeded|InsufficientStorage|HTTP 507)$/;
/** It was not reached: the next call would not be either. */
const NOT_REACHED = /^(ECONN|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)/;

export const timedOut = () => Object.assign(new Error('timeout'), { code: 'timeout' });

/** One word for the log and the operator: the kind of fault, never what was said of it. */
export function codeOf(error: unknown): string {
  if (error instanceof S3ServiceException) {
    const { name, $metadata } = error;
    return /^(?!Unknown)[A-Za-z]{3,60}$/.test(name) ? name : `HTTP ${$metadata.httpStatusCode ?? '?'}`;
  }
  const { code, name } = error as { readonly code?: unknown; readonly name?: string };
  if (typeof code !== 'string' && name === 'Error' && /region/i.test((error as Error).message))
    return 'NoRegion';
  return faultCode(error);
}

const isMissing = (error: unknown): boolean =>
  error instanceof S3ServiceException &&
  error.$metadata.httpStatusCode === 404 &&
  error.name !== 'NoSuchBucket';

export const unreachable = (fault: unknown) => {
  const code = codeOf(fault);
  if (FULL.test(code)) return storageError('full', new Error(`S3: ${code}`));
  return new AppError('storage_unavailable', 'The files cannot be reached at present; try again later.', {
    cause: new Error(`S3: ${code}`),
    retryAfterMs: RETRY_AFTER_MS,
  });
};

/** Requests are as plain as they can be, without checksums of the newest kind: not all servers are Amazon's. */
function createClient({ endpoint, region }: BucketAddress): S3Client {
  const agent = { keepAlive: true, maxSockets: MAX_SOCKETS };
  const client = new S3Client({
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    maxAttempts: MAX_ATTEMPTS,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_MS, httpAgent: agent, httpsAgent: agent },
  });
  // The signature covers the hash of the body: made in another thread, since this one plays sound.
  client.middlewareStack.add(
    (next) => async (step) => {
      const { body, headers } = step.request as {
        readonly body?: unknown;
        readonly headers: Record<string, string>;
      };
      if (body instanceof Uint8Array)
        headers['x-amz-content-sha256'] = Buffer.from(
          await webcrypto.subtle.digest('SHA-256', body as Uint8Array<ArrayBuffer>),
        ).toString('hex');
      return next(step);
    },
    { step: 'build', name: 'hashBody' },
  );
  return client;
}

export class BucketClient {
  readonly client: S3Client;
  readonly circuit: Circuit;
  /** For people: the bucket and the prefix, and the server where it is not Amazon's. */
  readonly place: string;
  readonly #clock: Clock;

  constructor({ address, clock, random, log }: BucketOptions) {
    const { bucket, prefix, endpoint } = address;
    this.#clock = clock;
    this.client = createClient(address);
    const server = `s3://${bucket}/${prefix}${endpoint === undefined ? '' : ` at ${new URL(endpoint).host}`}`;
    this.place = server;
    this.circuit = new Circuit({
      clock,
      random,
      refusal: unreachable,
      onOpen: (fault) => log.error('files_not_reachable', { server, code: codeOf(fault) }),
      onClosed: () => log.info('files_reachable_again', { server }),
    });
  }

  /** Rejects with a fault of storage. */
  async call<T>(deadlineMs: number, ask: (asked: Asked) => Promise<T>): Promise<T> {
    this.circuit.enter();
    const controller = new AbortController();
    try {
      const answer = await this.within(deadlineMs, () => ask({ abortSignal: controller.signal }));
      this.circuit.answered();
      return answer;
    } catch (error) {
      controller.abort();
      this.circuit.failed(error, NOT_REACHED.test(codeOf(error)) ? 'connection' : 'answer');
      throw unreachable(error);
    }
  }

  /** As `call`; undefined when the server says that it has no such object. */
  find<T>(ask: (asked: Asked) => Promise<T>, deadlineMs = CALL_MS): Promise<T | undefined> {
    return this.call<T | undefined>(deadlineMs, async (asked) => {
      try {
        return await ask(asked);
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    });
  }

  async within<T>(ms: number, ask: () => Promise<T>): Promise<T> {
    let disarm = () => {};
    const late = new Promise<never>((_, reject) => {
      disarm = this.#clock.after(ms, () => reject(timedOut()));
    });
    const asked = ask();
    asked.catch(() => {}); // of one that was late
    try {
      return await Promise.race([asked, late]);
    } finally {
      disarm();
    }
  }
}

const CREDENTIALS =
  'check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or the role that this machine has';
/** What a server says no by, by its code, and what to do. */
const SAID: readonly (readonly [RegExp, string, string])[] = [
  [/^CredentialsProviderError$/, 'cannot be asked without credentials', CREDENTIALS],
  [/^NoRegion$/, 'cannot be asked without a region', 'add ?region=, or set AWS_REGION'],
  [/^NoSuchBucket$/, 'does not exist', 'create the bucket, or correct its name and its ?region='],
  [
    /^(InvalidAccessKeyId|SignatureDoesNotMatch|InvalidToken|ExpiredToken|TokenRefreshRequired|UnrecognizedClientException)$/,
    'refuses the credentials',
    CREDENTIALS,
  ],
  [
    /^(AccessDenied|Forbidden|AllAccessDisabled|AccountProblem|HTTP 401|HTTP 403)$/,
    'lets these credentials not list, write, read and delete below the prefix',
    'give them s3:ListBucket, s3:PutObject, s3:GetObject, s3:DeleteObject, s3:AbortMultipartUpload and s3:ListBucketMultipartUploads',
  ],
  [
    /^(PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException|HTTP 301)$/,
    'is in another region',
    'correct ?region=',
  ],
  [/^(InvalidBucketName|MethodNotAllowed|HTTP 405)$/, 'is no bucket of an S3 server', 'correct the address'],
];

/** Waits for the bucket at `place` at the start. */
export const waitForBucket = (
  { clock, startMs = START_MS }: BucketOptions,
  place: string,
  use: () => Promise<void>,
): Promise<void> => {
  const saidBy = (code: string) => SAID.find(([pattern]) => pattern.test(code));
  const toError = (code: string) => {
    const [, what, remedy] = saidBy(code) ?? [
      undefined,
      'does not answer',
      'check the address, and that it is running',
    ];
    return new Error(`VOXGATE_FILES_URL: ${place} ${what} (${code}): ${remedy}`);
  };
  const isRefusal = (code: string) => saidBy(code) !== undefined;
  return waitForAnswer({ clock, startMs, label: 'S3: ', isRefusal, toError }, use);
};
