// The page's session, as the client of packages/client has it: it comes back by itself after a drop.

import type {
  ConnectionChange,
  SessionClient,
  SessionListeners,
} from '../../packages/client/src/session-client.ts';
import { connectSession } from '../../packages/client/src/session-client.ts';

export type SessionOptions = Required<SessionListeners> & {
  readonly query: URLSearchParams;
  readonly protocols: readonly string[];
  /** Once, after the session was open. */
  readonly onClosed: (reason: string) => void;
};

const REASONS: Readonly<Record<number, string>> = {
  1006: 'the connection was lost',
  1012: 'the gateway is restarting',
  4408: 'nothing was said for a long time',
  4410: 'an operator of the gateway has ended it',
  4429: 'too many messages',
  4508: 'this page stopped reading',
};

/** Resolves at `ready`; rejects when the gateway refuses, which a browser is not told the reason of. */
export async function openSession(options: SessionOptions): Promise<SessionClient> {
  const { query, onClosed, ...more } = options;
  const url = new URL(`/v1/session?${query}`, location.href.replace(/^http/, 'ws'));
  const session = await connectSession({ url: url.href, resumable: true, ...more }).catch(
    (cause: unknown) => {
      throw new Error('The gateway did not take the session.', { cause });
    },
  );
  // Who leaves the page does not come back, and a browser closes with a code that says nothing of it.
  const leave = () => session.close();
  addEventListener('pagehide', leave);
  void session.closed.then(({ code }) => {
    removeEventListener('pagehide', leave);
    onClosed(REASONS[code] ?? `code ${code}`);
  });
  return session;
}

/** What the page shows of it. */
export const stateOf = ({ type }: ConnectionChange): 'opening' | 'open' =>
  type === 'resumed' ? 'open' : 'opening';
