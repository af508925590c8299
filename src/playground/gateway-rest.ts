// The gateway's REST side for this page: credentials, which stay in memory, and refusals in the gateway's own words.

import type { GatewayOffer } from './gateway-offer.ts';

export type PageCredentials = { readonly userId: string; readonly key: string };

export type GatewayRest = {
  readonly credentials: PageCredentials | undefined;
  use(credentials: PageCredentials): void;
  /** Throws `RestRefusal`. */
  ask(path: string, request?: RequestInit): Promise<Response>;
  json<Answer>(path: string, request?: RequestInit): Promise<Answer>;
  /** Subprotocols of a session: a token stands in for the key, which no WebSocket of a browser can carry. */
  protocols(): Promise<readonly string[]>;
};

export type RestRefusal = Error & { readonly status: number };

/** Without API keys any pair of the two headers does; the user id names whose jobs are whose. */
const LOCAL: PageCredentials = { userId: 'playground', key: 'playground' };
const SUBPROTOCOL = 'voxgate.v1';

export const statusOf = (error: unknown): number | undefined =>
  error instanceof Error && 'status' in error ? (error as RestRefusal).status : undefined;

async function refusalOf(response: Response): Promise<RestRefusal> {
  const body = (await response.json().catch(() => undefined)) as { errorMessage?: string } | undefined;
  const message = body?.errorMessage ?? `The gateway answered ${response.status}.`;
  return Object.assign(new Error(message), { status: response.status });
}

export function createGatewayRest(wants: GatewayOffer['wants']): GatewayRest {
  let credentials = wants === 'nothing' ? LOCAL : undefined;

  async function ask(path: string, request: RequestInit = {}): Promise<Response> {
    const headers = new Headers(request.headers);
    if (credentials !== undefined) {
      headers.set('Authorization', `Bearer ${credentials.key}`);
      headers.set('X-USER-ID', credentials.userId);
    }
    const response = await fetch(path, { ...request, headers, credentials: 'omit' });
    if (!response.ok) throw await refusalOf(response);
    return response;
  }

  return {
    get credentials() {
      return credentials;
    },
    use(given) {
      credentials = given;
    },
    ask,
    json: async (path, request) => (await ask(path, request)).json(),
    async protocols() {
      if (wants === 'nothing') return [SUBPROTOCOL];
      const response = await ask('/v1/tokens', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ scope: 'speak' }),
      });
      const { token } = (await response.json()) as { token: string };
      return [SUBPROTOCOL, `token.${token}`];
    },
  };
}
