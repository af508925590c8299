// `voxgate simulate chan-websocket --listen`: the fake Asterisk does not dial, its channel waits to be dialled. With --say
// the gateway is asked to dial; otherwise the person who runs a gateway is told how.

import { randomUUID } from 'node:crypto';
import { toVoxgateError } from '../../packages/client/src/voxgate-error.ts';
import { UsageError } from '../../src/cli/command.ts';
import { openTemporaryFolder } from '../../src/storage/temporary-folder.ts';
import type { SimulatedCarrier } from '../carriers/carriers.ts';
import { dialCarrier } from '../carriers/dial-carrier.ts';
import { startMediaServer } from '../carriers/media-server.ts';
import type { CallLateness, SimulatedCall } from '../carriers/simulated-call.ts';

/** The one platform that can be dialled. */
const KIND = 'chan-websocket';

export type WaitingAsterisk = {
  /** Settings of a gateway of one's own that is to dial it. */
  readonly settings: readonly string[];
  /** Resolves when a gateway has come: the one that is asked, or that a person who is told has asked. */
  call(
    carrier: SimulatedCarrier,
    call: { readonly callId: string; readonly token: string | undefined },
    how: {
      readonly gateway: DialRequest;
      /** Undefined: the gateway is asked. */
      readonly tell: ((line: string) => void) | undefined;
      readonly seconds: number;
      readonly lateness: CallLateness;
      readonly interrupted: AbortSignal;
    },
  ): Promise<SimulatedCall>;
  close(): void;
};

export type DialRequest = {
  /** `http://host:port` of the gateway. */
  readonly origin: string;
  readonly key: string | undefined;
  readonly user: string | undefined;
};

/** A gateway without keys takes any pair, and sessions that name no user are this one's. */
const LOCAL = 'local';
const ASKED_MS = 20_000;

/** Undefined without `--listen`. */
export function readListenPort(
  kind: string,
  listen: string | undefined,
  { key, user }: { readonly key?: string | undefined; readonly user?: string | undefined },
): number | undefined {
  if (listen === undefined) return undefined;
  if (kind !== KIND) throw new UsageError(`--listen is for ${KIND}: ${kind} is not dialled`);
  if (key !== undefined && user === undefined)
    throw new UsageError('--listen asks over HTTP, which needs --user next to --key');
  if (/^\d{1,5}$/.test(listen) && Number(listen) <= 65_535) return Number(listen);
  throw new UsageError(
    `--listen is ${JSON.stringify(listen)}; allowed: a port from 0 (any free one) to 65535`,
  );
}

async function askToDial(
  { origin, key = LOCAL, user = LOCAL }: DialRequest,
  connectionId: string,
): Promise<void> {
  const response = await fetch(`${origin}/v1/legs/${KIND}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'x-user-id': user, 'content-type': 'application/json' },
    body: JSON.stringify({ connectionId }),
    signal: AbortSignal.timeout(ASKED_MS),
  });
  if (response.ok) return;
  throw new Error(`The gateway did not dial: ${(await toVoxgateError(response)).message}`);
}

/** Rejects when the time is up or the command is interrupted before `coming` resolves. */
async function before<Value>(
  coming: Promise<Value>,
  seconds: number,
  interrupted: AbortSignal,
): Promise<Value> {
  let stop = () => {};
  const over = new Promise<never>((_resolve, reject) => {
    stop = () => reject(new Error(`Nobody has dialled the channel within ${seconds} s.`));
  });
  const timer = setTimeout(stop, seconds * 1000);
  interrupted.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([coming, over]);
  } finally {
    clearTimeout(timer);
    interrupted.removeEventListener('abort', stop);
  }
}

export async function startWaitingAsterisk(port: number): Promise<WaitingAsterisk> {
  const server = await startMediaServer(port);
  const { path: dataDir, remove } = openTemporaryFolder();
  return {
    settings: ['--asterisk-url', server.url, '--data-dir', dataDir],
    async call(carrier, call, { gateway, tell, seconds, lateness, interrupted }) {
      const connectionId = randomUUID();
      const coming = dialCarrier(
        { ...carrier, side: () => carrier.side(connectionId), transport: server.channel(connectionId) },
        server.url,
        call,
        {
          lateness,
        },
      );
      if (tell === undefined) await askToDial(gateway, connectionId);
      else {
        tell(
          `A channel waits. With VOXGATE_ASTERISK_URL=${server.url} the gateway dials it when it is told to:`,
        );
        tell(
          `curl -H 'Authorization: Bearer KEY' -H 'X-USER-ID: USER' -H 'Content-Type: application/json' -d '{"connectionId":"${connectionId}"}' ${gateway.origin}/v1/legs/${KIND}`,
        );
      }
      return before(coming, seconds, interrupted);
    },
    close() {
      server.close();
      remove();
    },
  };
}
