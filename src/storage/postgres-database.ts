// PostgreSQL as the database of the records of several instances: connections, deadlines, what is done while it does not
// answer, and the news between instances. Nothing is set when a connection begins, so a pooler between (PgBouncer in
// transaction mode) may give each transaction another one; what such a pooler does not pass on is news, hence the poll.

import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely';
import pg from 'pg';
import type { Clock } from '../base/clock.ts';
import { faultCode } from '../base/fault-code.ts';
import type { Log } from '../base/log.ts';
import { pause } from '../base/pause.ts';
import type { Random } from '../base/random.ts';
import { Circuit, FIRST_BACKOFF_MS, MAX_BACKOFF_MS, waitForAnswer } from './circuit.ts';
import {
  CHANNEL,
  crowded,
  isOutage,
  type PostgresDatabase,
  refused,
  SCHEMA,
  type Tables,
  unreachable,
} from './postgres/database.ts';
import { migrate } from './postgres/migrations.ts';

/** What instances tell each other. A hint: each looks for itself every `POLL_MS` as well. */
export type RecordNews = {
  /** There may be works to begin. */
  readonly works?: boolean;
  /** Set by the poll alone: the instance that wrote a message sends it; others look for those of one that died. */
  readonly messages?: boolean;
  /** A token was revoked. */
  readonly revoked?: boolean;
  /** Works that were ended by their caller: whoever is doing one stops. */
  readonly stop?: readonly string[];
};

export type OpenPostgres = PostgresDatabase & {
  readonly isReachable: () => boolean;
  /** Throws `storage_unavailable` while PostgreSQL is known not to answer. */
  readonly checkReachable: () => void;
  /** Asks it, whatever is known, and reads its clock; `thorough` writes something. */
  look(how: 'quick' | 'thorough'): Promise<void>;
  /** The time by the clock of PostgreSQL, which all instances share, Unix ms. */
  readonly unixMs: () => number;
  tell(news: RecordNews): void;
  readonly connections: () => { readonly open: number; readonly waiting: number };
  close(): Promise<void>;
};

export type PostgresDatabaseOptions = {
  readonly url: string;
  readonly maxConnections: number;
  /** What no other instance is called. */
  readonly instance: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Of other instances, of the time in which none could be heard, and by the clock. Undefined: nobody listens. */
  readonly onNews: ((news: RecordNews) => void) | undefined;
  /** How long the start waits for a PostgreSQL that does not answer. */
  readonly startMs?: number;
};

/** To open a connection, or to wait for one that is free. */
const CONNECT_MS = 3_000;
const LOCK_MS = 3_000;
const STATEMENT_MS = 10_000;
/** The same again on this side, for a network that swallows everything. */
const ANSWER_MS = STATEMENT_MS + 2_000;
const IDLE_MS = 30_000;
const MAX_WAITING = 1_000;
const POLL_MS = 5_000;
/** News of so long go out together: PostgreSQL takes one notification after another. */
const GATHER_MS = 20;
const MAX_STOPS = 100;
const START_MS = 15_000;

const BEGIN = `BEGIN; SET LOCAL statement_timeout = ${STATEMENT_MS}; SET LOCAL lock_timeout = ${LOCK_MS};
  SET LOCAL idle_in_transaction_session_timeout = ${STATEMENT_MS}`;

const BIGINT = 20;
const types = {
  getTypeParser: ((oid: number, format: 'text') =>
    oid === BIGINT ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/** Host and port, or the folder of a socket: neither user nor password. */
const placeOf = (url: string): string => {
  const { host, searchParams } = new URL(url);
  return searchParams.get('host') ?? host;
};

/** Several statements have several results, which nobody looks at. */
const begin = async (client: pg.PoolClient) => {
  await client.query(BEGIN);
  return { command: 'SELECT', rowCount: 0, rows: [] };
};

/** Tables brought to their present form. An `Error` that names the setting when that cannot be done. */
export async function openPostgresDatabase(options: PostgresDatabaseOptions): Promise<OpenPostgres> {
  const { url, clock, instance, log, onNews = () => {} } = options;
  const isListening = options.onNews !== undefined;
  const circuit = new Circuit({
    clock,
    random: options.random,
    refusal: unreachable,
    onOpen: (fault) => log.error('database_not_reachable', { server: placeOf(url), code: faultCode(fault) }),
    onClosed: () => log.info('database_reachable_again', { server: placeOf(url) }),
  });
  const connection = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    application_name: 'voxgate',
    types,
  };
  const own = new pg.Pool({ ...connection, max: options.maxConnections, idleTimeoutMillis: IDLE_MS });
  // Of connections that nobody uses: the pool drops them, and the next query tells.
  own.on('error', () => {});
  // Of those that are in use, too: whoever uses one is told by what it has asked.
  own.on('connect', (client) => client.on('error', () => {}));
  const isFull = () => own.totalCount >= options.maxConnections && own.idleCount === 0;

  const take = async (): Promise<pg.PoolClient> => {
    if (own.waitingCount >= MAX_WAITING) throw crowded();
    circuit.enter();
    const wasFull = isFull();
    try {
      return await own.connect();
    } catch (error) {
      // Waited for one of ours, that others had: not the server's fault.
      if (wasFull && circuit.isClosed()) throw crowded();
      circuit.failed(error, 'connection');
      throw unreachable(error);
    }
  };
  const pool: PostgresPool = {
    async connect() {
      const client = await take();
      let state: 'usable' | 'broken' = 'usable';
      const query = async (text: string, values: readonly unknown[]) => {
        try {
          const result = text === 'begin' ? await begin(client) : await client.query(text, [...values]);
          circuit.answered();
          return result;
        } catch (error) {
          if (!(error instanceof pg.DatabaseError)) state = 'broken';
          if (!isOutage(error)) {
            circuit.answered();
            throw refused(error as pg.DatabaseError);
          }
          circuit.failed(error, 'answer');
          throw unreachable(error);
        }
      };
      return {
        query,
        release: (destroy?: boolean) => client.release(destroy === true || state === 'broken'),
      } as unknown as PostgresPoolClient; // no cursors
    },
    end: () => own.end(),
  };
  const bare = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const read = bare.withSchema(SCHEMA);

  let serverMs = { atMs: clock.now(), unixMs: 0 };
  const readClock = async () => {
    const beforeMs = clock.now();
    const { rows } = await sql<{ ms: number }>`
      SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms`.execute(read);
    serverMs = { atMs: (beforeMs + clock.now()) / 2, unixMs: rows[0]?.ms ?? 0 };
  };
  await start(options, async () => {
    circuit.tryNow();
    await migrate(bare);
    await readClock();
  }).catch(async (error) => {
    await bare.destroy();
    throw error;
  });

  const closing = new AbortController();
  const { signal } = closing;
  let listener: pg.Client | undefined;
  const EVERYTHING: RecordNews = { works: true, messages: true, revoked: true };
  /** Until the connection ends. */
  const listen = async (onListening: () => void) => {
    const client = new pg.Client(connection);
    listener = client;
    const ended = new Promise<void>((resolve) => {
      client.on('end', resolve);
      client.on('error', () => resolve());
    });
    client.on('notification', ({ payload = '' }) => {
      const { from, ...news } = JSON.parse(payload) as RecordNews & { readonly from: string };
      if (from !== instance) onNews(news);
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      onListening();
      onNews(EVERYTHING); // what was told meanwhile
      await ended;
    } finally {
      listener = undefined;
      client.end().catch(() => {});
    }
  };
  const listening = (async () => {
    let backoffMs = FIRST_BACKOFF_MS;
    while (isListening && !signal.aborted) {
      await listen(() => (backoffMs = FIRST_BACKOFF_MS)).catch(() => {});
      await pause(backoffMs, clock, signal).catch(() => {});
      backoffMs = Math.min(2 * backoffMs, MAX_BACKOFF_MS);
    }
  })();
  let stopPolling = () => {};
  const pollLater = () => {
    stopPolling = clock.after(POLL_MS, () => {
      onNews(EVERYTHING);
      pollLater();
    });
  };
  if (isListening) pollLater();

  let gathered: RecordNews | undefined;
  const send = () => {
    const payload = JSON.stringify({ from: instance, ...gathered });
    gathered = undefined;
    // Lost news are found by the polls of the others.
    sql`SELECT pg_notify(${CHANNEL}, ${payload})`.execute(read).catch(() => {});
  };

  return {
    read,
    write: (work) => read.transaction().execute(work),
    isReachable: () => circuit.isClosed(),
    checkReachable: () => circuit.check(),
    async look(how) {
      circuit.tryNow();
      await readClock();
      if (how === 'thorough')
        await read
          .updateTable('installation')
          .set((the) => ({ id: the.ref('id') }))
          .execute();
    },
    unixMs: () => Math.round(serverMs.unixMs + clock.now() - serverMs.atMs),
    tell(news) {
      if (gathered === undefined) clock.after(GATHER_MS, send);
      const stop = [...(gathered?.stop ?? []), ...(news.stop ?? [])].slice(0, MAX_STOPS);
      gathered = { ...gathered, ...news, ...(stop.length === 0 ? {} : { stop }) };
    },
    connections: () => ({ open: own.totalCount, waiting: own.waitingCount }),
    async close() {
      closing.abort();
      stopPolling();
      listener?.end().catch(() => {});
      await Promise.race([listening, pause(CONNECT_MS, clock)]);
      await Promise.race([bare.destroy(), pause(ANSWER_MS, clock)]);
    },
  };
}

/** Waits for PostgreSQL at the start. */
const start = ({ url, clock, startMs = START_MS }: PostgresDatabaseOptions, use: () => Promise<void>) => {
  const saidBy = (fault: string) => SAID.find(([code]) => code.test(fault))?.[1];
  const toError = (fault: string) =>
    new Error(
      `VOXGATE_DATABASE_URL: PostgreSQL at ${placeOf(url)} ${saidBy(fault) ?? 'does not answer'} (${fault}): check the address, and that it is running`,
    );
  const isRefusal = (fault: string) => saidBy(fault) !== undefined;
  return waitForAnswer({ clock, startMs, label: 'PostgreSQL: ', isRefusal, toError }, use);
};

const SAID: readonly (readonly [RegExp, string])[] = [
  [/^28/, 'refuses the user or the password'],
  [/^3D000/, 'has no such database'],
  [/^25006/, 'only answers questions, as a standby does'],
];
