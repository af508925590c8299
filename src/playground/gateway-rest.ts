// The gateway's REST side for this page: credentials, which stay in memory, and refusals in the gateway's own words.

import { toVoxgateError, type VoxgateError } from '../../packages/client/src/voxgate-error.ts';
import type { GatewayOffer } from './gateway-offer.ts';

export type PageCredentials = { readonly userId: string; readonly key: string };

export type GatewayRest = {
  readonly credentials: PageCredentials | undefined;
  use(credentials: PageCredentials): void;
  /** Throws a `VoxgateError`. */
  ask(path: string, request?: RequestInit): Promise<Response>;
  json<Answer>(path: string, request?: RequestInit): Promise<Answer>;
  /** With the admin key in place of the caller's, where it has been given. Throws a `VoxgateError`. */
  askAsOperator(path: string, request?: RequestInit): Promise<Response>;
  useAdminKey(key: string): void;
  /** Subprotocols of a session beside its own: a token stands in for the key, which no WebSocket of a browser can carry. */
  protocols(): Promise<readonly string[]>;
};

/**
 * Without API keys any pair of the two headers does, and the user id names whose things are whose. Sessions of such a gateway
 * belong to this user, and so do the things that the command line makes and the examples of docs/service.md.
 */
const LOCAL: PageCredentials = { userId: 'local', key: 'local' };

export const statusOf = (error: unknown): number | undefined =>
  error instanceof Error && 'status' in error ? (error as VoxgateError).status : undefined;

export function createGatewayRest(wants: GatewayOffer['wants']): GatewayRest {
  let credentials = wants === 'nothing' ? LOCAL : undefined;
  let adminKey: string | undefined;

  async function send(path: string, request: RequestInit, headers: Headers): Promise<Response> {
    const response = await fetch(path, { ...request, headers, credentials: 'omit' });
    if (!response.ok) throw await toVoxgateError(response);
    return response;
  }
  async function ask(path: string, request: RequestInit = {}): Promise<Response> {
    const headers = new Headers(request.headers);
    if (credentials !== undefined) {
      headers.set('Authorization', `Bearer ${credentials.key}`);
      headers.set('X-USER-ID', credentials.userId);
    }
    return send(path, request, headers);
  }

  return {
    get credentials() {
      return credentials;
    },
    use(given) {
      credentials = given;
    },
    ask,
    askAsOperator(path, request = {}) {
      const headers = new Headers(request.headers);
      if (adminKey !== undefined) headers.set('Authorization', `Bearer ${adminKey}`);
      return send(path, request, headers);
    },
    useAdminKey(key) {
      adminKey = key;
    },
    json: async (path, request) => (await ask(path, request)).json(),
    async protocols() {
      if (wants === 'nothing') return [];
      const response = await ask('/v1/tokens', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ scope: 'speak' }),
      });
      const { token } = (await response.json()) as { token: string };
      return [`token.${token}`];
    },
  };
}
