// The REST side of a running gateway as its callers see it: with keys, so that credentials mean something, and with
// everything else that would slow a test down left out.

import type { SpeechRequest } from '../../src/speech/speech-request.ts';
import { type RunningGateway, type RunningGatewayOptions, startRunningGateway } from './running-gateway.ts';

export type Ask = {
  readonly user?: string;
  readonly json?: unknown;
  readonly form?: FormData | Readonly<Record<string, string | Blob>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined when it is not JSON. */
  readonly json: Record<string, unknown> & {
    readonly id: string;
    readonly errorId?: string;
    readonly errorMessage?: string;
  };
  readonly text: string;
};

export type RunningService = RunningGateway & {
  ask(method: string, path: string, ask?: Ask): Promise<Answer>;
  /** As `ask`, with the body unread. */
  open(method: string, path: string, ask?: Ask): Promise<Response>;
  /** Asks until `isOver`; throws after 20 s. */
  until(path: string, isOver: (record: Record<string, unknown>) => boolean, user?: string): Promise<Answer>;
};

const USERS = ['ann', 'bob', 'cat', 'dan', 'eve', 'fay'];
export const VOICE = 'voice://a';
export const keyOf = (user: string): string => `key-of-${user}`;
export const credentialsOf = (user: string): Record<string, string> => ({
  authorization: `Bearer ${keyOf(user)}`,
  'x-user-id': user,
});

/** Of a request that reached the speech service. */
export const spokenBody = (body: unknown): SpeechRequest => body as SpeechRequest;

const toForm = (form: NonNullable<Ask['form']>): FormData => {
  if (form instanceof FormData) return form;
  const made = new FormData();
  for (const [name, value] of Object.entries(form)) {
    if (typeof value === 'string') made.append(name, value);
    else made.append(name, value, 'source.txt');
  }
  return made;
};

export async function startRunningService(options: RunningGatewayOptions = {}): Promise<RunningService> {
  const gateway = await startRunningGateway({
    ...options,
    env: {
      VOXGATE_API_KEYS: USERS.map((user) => `${user}:${keyOf(user)}`).join(','),
      VOXGATE_ASK_PER_MINUTE: '0',
      VOXGATE_FFMPEG: 'off',
      VOXGATE_PRIVATE_ADDRESSES: 'allowed',
      ...options.env,
    },
  });
  const open: RunningService['open'] = (method, path, { user = 'ann', json, form, headers, signal } = {}) =>
    fetch(new URL(path, gateway.url), {
      method,
      headers: {
        ...credentialsOf(user),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(form === undefined ? {} : { body: toForm(form) }),
      ...(signal === undefined ? {} : { signal }),
    });
  const ask: RunningService['ask'] = async (method, path, more) => {
    const response = await open(method, path, more);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      json: (isJson && text !== '' ? JSON.parse(text) : undefined) as Answer['json'],
      text,
    };
  };
  return {
    ...gateway,
    open,
    ask,
    async until(path, isOver, user) {
      const endMs = performance.now() + 100_000;
      for (;;) {
        const answer = await ask('GET', path, user === undefined ? {} : { user });
        if (isOver(answer.json)) return answer;
        if (performance.now() > endMs) throw new Error(`still waiting for ${path}: ${answer.text}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}
