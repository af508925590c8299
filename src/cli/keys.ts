// `voxgate keys`: what the keys of a running gateway may still send, as its admin listener tells it.

import type { parseArgs } from 'node:util';
import { type Command, type Terminal, UsageError } from './command.ts';
import { poolSchema, poolTable } from './pool-table.ts';
import { readFlags } from './read-flags.ts';

const OPTIONS = {
  url: { type: 'string' },
  json: { type: 'boolean', default: false },
  watch: { type: 'boolean', default: false },
} as const satisfies NonNullable<Parameters<typeof parseArgs>[0]>['options'];

const ANSWER_MS = 5000;
const WATCH_MS = 1000;

async function run(terminal: Terminal): Promise<number> {
  const { values } = readFlags(terminal.args, OPTIONS, 'none');
  const pool = new URL('/pool', readAdminUrl(values.url, terminal.env));
  const key = terminal.env.VOXGATE_ADMIN_KEY;
  const headers: Record<string, string> =
    key === undefined || key === '' ? {} : { authorization: `Bearer ${key}` };
  /** What the last look failed with: a watcher hears of it once. */
  let failed: string | undefined;
  for (;;) {
    const answer = await ask(pool, headers, terminal.interrupted);
    if (terminal.interrupted.aborted) return 0;
    const failure = typeof answer === 'string' ? answer : undefined;
    if (failure !== undefined && failure !== failed) terminal.complain(failure);
    failed = failure;
    if (typeof answer !== 'string') {
      if (values.json) terminal.print(answer.text);
      else for (const line of poolTable(answer.state)) terminal.print(line);
    }
    if (!values.watch) return failure === undefined ? 0 : 1;
    if (await interruptedWithin(WATCH_MS, terminal.interrupted)) return 0;
    if (!values.json && failure === undefined) terminal.print('');
  }
}

function readAdminUrl(given: string | undefined, env: Terminal['env']): URL {
  const port = env.VOXGATE_ADMIN_PORT ?? '0';
  const url = given ?? (/^[1-9]\d{0,4}$/.test(port) ? `http://127.0.0.1:${port}` : undefined);
  if (url === undefined)
    throw new UsageError(
      '--url is not set and VOXGATE_ADMIN_PORT names no port; start the gateway with --admin-port N and give --url http://127.0.0.1:N',
    );
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(
      `--url is ${JSON.stringify(url)}; allowed: the http:// address of an admin listener`,
    );
  return new URL(url);
}

/** The answer as it came and as it was understood; a string says why there is none. */
async function ask(pool: URL, headers: Record<string, string>, interrupted: AbortSignal) {
  const signal = AbortSignal.any([interrupted, AbortSignal.timeout(ANSWER_MS)]);
  try {
    const response = await fetch(pool, { headers, signal, redirect: 'error' });
    const text = await response.text();
    if (response.status === 401 || response.status === 403)
      return `${pool.origin} lets nobody look without its admin key; set VOXGATE_ADMIN_KEY.`;
    if (!response.ok) return `${pool.href} answered ${response.status}; is this the admin listener?`;
    const read = poolSchema.safeParse(JSON.parse(text));
    return read.success
      ? { text, state: read.data }
      : `${pool.href} answered with something else than a pool.`;
  } catch (error) {
    if (error instanceof SyntaxError) return `${pool.href} answered with something else than a pool.`;
    const { name, cause } = error as { name?: unknown; cause?: { code?: unknown } };
    const why =
      name === 'TimeoutError'
        ? `within ${ANSWER_MS} ms`
        : `(${typeof cause?.code === 'string' ? cause.code : 'no connection'})`;
    return `${pool.origin} did not answer ${why}; start the gateway with --admin-port N.`;
  }
}

const interruptedWithin = (ms: number, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve(true);
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve(signal.aborted);
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });

export const keys: Command = {
  help: () =>
    [
      'Usage: voxgate keys [--url URL] [--watch] [--json]',
      '',
      '  --url URL   The admin listener of a running gateway (voxgate serve --admin-port N).',
      '              Default: http://127.0.0.1 with the port in VOXGATE_ADMIN_PORT',
      '  --watch     Again every second, until interrupted, even when a look fails',
      '  --json      The answer as it came',
      '',
      'VOXGATE_ADMIN_KEY is sent when it is set. Keys are shown as fingerprints: k_ and 8 digits of a SHA-256.',
      '',
      'state    ready; limited: after a 429; else why it rests',
      'counted  learning: its limit is being found out; sliding: by any minute; phase: by the minutes that the service',
      '         counts; local: Redis is away, and only this gateway’s share is used',
      'known    where the limit comes from (configured, headers, learned), and how far it is believed: learning,',
      '         confirming, probing for more',
      'limit    40 of 60: the service takes less than is configured',
    ].join('\n'),
  run,
};
