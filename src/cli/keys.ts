// `voxgate keys`: what the keys of a running gateway may still send, as its admin listener tells it.

import { z } from 'zod';
import { splitCredentials } from '../base/addresses/address-credentials.ts';
import { shownAddress } from '../base/addresses/shown-address.ts';
import { type Command, JSON_FLAG, type Terminal, UsageError } from './command.ts';
import { readFlags } from './read-flags.ts';

// The state of a pool as a table for people: what /pool of the admin listener answers, checked and set in columns.
const ms = z.number().min(0);
const count = z.number().min(0);

/** What of /pool is shown; further fields are no fault, so that an older `voxgate keys` reads a newer gateway. */
export const poolSchema = z.object({
  keys: z.array(
    z.object({
      fingerprint: z.string(),
      service: z.string().optional(),
      state: z.string(),
      used: count,
      limit: count.optional(),
      mode: z.string(),
      stage: z.string().optional(),
      source: z.string().optional(),
      configuredPerMinute: count.optional(),
      characters: z
        .object({
          charactersPerMinute: count.optional(),
          charactersPerMonth: count.optional(),
          inMinute: count,
          inMonth: count,
        })
        .optional(),
      heldMs: ms,
      inFlight: count,
      cap: count,
      doubt: z.object({ reason: z.string(), restMs: ms }).optional(),
    }),
  ),
  waiting: count,
  waitingByClass: z.record(z.string(), count),
  hedge: z.object({ budget: z.number(), afterMs: ms.optional() }),
});
export type Pool = z.infer<typeof poolSchema>;

/** `service` only where there are several, `characters` only where a key is limited in them. */
const COLUMNS = [
  'service',
  'key',
  'state',
  'used',
  'limit',
  'characters',
  'counted',
  'known',
  'in flight',
  'free in',
] as const;

const seconds = (restMs: number): string => (restMs === 0 ? '–' : `${(restMs / 1000).toFixed(1)} s`);

/** With the configured number where the service takes less. */
const limitOf = ({ limit, configuredPerMinute }: Pool['keys'][number]): string => {
  if (limit === undefined) return '–';
  const isLess = configuredPerMinute !== undefined && limit < configuredPerMinute;
  return isLess ? `${limit} of ${configuredPerMinute}` : String(limit);
};

/** Used of what there is in a minute, and in a month. */
const charactersOf = ({ characters }: Pool['keys'][number]): string => {
  if (characters === undefined) return '–';
  const { charactersPerMinute, charactersPerMonth, inMinute, inMonth } = characters;
  const minute = charactersPerMinute === undefined ? [] : [`${inMinute} of ${charactersPerMinute} a minute`];
  const month = charactersPerMonth === undefined ? [] : [`${inMonth} of ${charactersPerMonth} a month`];
  return [...minute, ...month].join(', ');
};

const rowOf = (key: Pool['keys'][number]): readonly string[] => [
  key.service ?? '',
  key.fingerprint,
  key.state,
  String(key.used),
  limitOf(key),
  charactersOf(key),
  key.mode,
  [key.source, key.stage].filter((part) => part !== undefined).join(', ') || '–',
  `${key.inFlight} of ${key.cap}`,
  seconds(Math.max(key.heldMs, key.doubt?.restMs ?? 0)),
];

/** Lines of a table, one row per key, and what waits below it. */
export function poolTable({ keys, waiting, waitingByClass, hedge }: Pool): readonly string[] {
  const hidden = [
    ...(keys.some(({ service }) => service !== undefined) ? [] : ['service']),
    ...(keys.some(({ characters }) => characters !== undefined) ? [] : ['characters']),
  ];
  const rows = [COLUMNS, ...keys.map(rowOf)].map((row) =>
    row.filter((_, column) => !hidden.includes(COLUMNS[column]!)),
  );
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  const classes = Object.entries(waitingByClass)
    .filter(([, number]) => number > 0)
    .map(([name, number]) => `${name} ${number}`);
  const late =
    hedge.afterMs === undefined
      ? 'not known yet how late is late'
      : `a second key is asked after ${Math.round(hedge.afterMs)} ms, ${Math.floor(hedge.budget)} in hand`;
  return [
    ...rows.map(line),
    `waiting: ${waiting}${classes.length === 0 ? '' : ` (${classes.join(', ')})`}`,
    `hedging: ${late}`,
  ];
}

const FLAGS = {
  url: { type: 'string' },
  ...JSON_FLAG,
  watch: { type: 'boolean', default: false },
} as const;

const ANSWER_MS = 5000;
const WATCH_MS = 1000;

async function run(terminal: Terminal): Promise<number> {
  const { values } = readFlags(terminal.args, FLAGS, 'none');
  const { pool, headers } = readAdmin(readAdminUrl(values.url, terminal.env), terminal.env.VOXGATE_ADMIN_KEY);
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
      `--url is ${JSON.stringify(shownAddress(url))}; allowed: the http:// address of an admin listener`,
    );
  return new URL(url);
}

/** No request can be made to an address with a user in it; a key goes before one. */
function readAdmin(url: URL, key: string | undefined) {
  const { authorization } = splitCredentials(url);
  const sent = key === undefined || key === '' ? authorization : `Bearer ${key}`;
  const headers: Record<string, string> = sent === undefined ? {} : { authorization: sent };
  return { pool: new URL('/pool', url.origin), headers };
}

/** The answer as it came and as it was understood; a string says why there is none. */
async function ask(pool: URL, headers: Record<string, string>, interrupted: AbortSignal) {
  const signal = AbortSignal.any([interrupted, AbortSignal.timeout(ANSWER_MS)]);
  try {
    const response = await fetch(pool, { headers, signal, redirect: 'error' });
    const text = await response.text();
    if (response.status === 401 || response.status === 403)
      return `${pool.origin} lets nobody look without its admin key; set VOXGATE_ADMIN_KEY.`;
    if (response.status === 404)
      return `${pool.origin}/pool answered 404; give the address of the admin listener (VOXGATE_ADMIN_PORT), which is not the public one.`;
    if (!response.ok) return `${pool.origin}/pool answered ${response.status}.`;
    const read = poolSchema.safeParse(JSON.parse(text));
    return read.success
      ? { text, state: read.data }
      : `${pool.origin}/pool answered with something else than a pool.`;
  } catch (error) {
    if (error instanceof SyntaxError) return `${pool.origin}/pool answered with something else than a pool.`;
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
  flags: FLAGS,
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
      'service  where there are several of them',
      'state    ready; limited: after a 429; else why it rests',
      'counted  learning: its limit is being found out; sliding: by any minute; phase: by the minutes that the service',
      '         counts; local: Redis is away, and only this gateway’s share is used',
      'known    where the limit comes from (configured, headers, learned), and how far it is believed: learning,',
      '         confirming, probing for more',
      'limit    40 of 60: the service takes less than is configured',
      'characters  used of what a key has in a minute and in a month, where that is configured',
    ].join('\n'),
  run,
};
