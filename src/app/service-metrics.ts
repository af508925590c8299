// What is measured and logged of the speech service: works, webhooks, the disk. What only a store or a file system can tell
// is asked for now and then, so that a scrape costs nothing and reads the same whoever comes.

import { statfs } from 'node:fs/promises';
import { ERROR_TABLE, type ErrorCode } from '../base/app-error.ts';
import { levelOfStatus } from '../base/log.ts';
import type { WebhookVerdict } from '../limits/webhook-schedule.ts';
import type { Work } from '../storage/works/work.ts';
import type { AppContext } from './context.ts';
import type { AppRecords } from './service-parts.ts';

const LOOK_MS = 10_000;

/** All that there are, by the compiler's word: each is counted from the start. */
const KINDS: Readonly<Record<Work['kind'], true>> = { tts: true, playnote: true };
const ENDS: Readonly<Record<Exclude<Work['status'], 'waiting' | 'running'>, true>> = {
  completed: true,
  failed: true,
  cancelled: true,
};
const VERDICTS: Readonly<Record<WebhookVerdict['kind'], true>> = {
  delivered: true,
  again: true,
  'given-up': true,
  gone: true,
};

export type ServiceMetrics = {
  readonly workEnded: (work: Work) => void;
  readonly webhookAttempted: (verdict: WebhookVerdict['kind']) => void;
};

type Measured = Pick<
  AppRecords,
  'works' | 'deliveries' | 'storage' | 'folder' | 'database' | 'bucketUp' | 'unixMs'
> & {
  readonly running: () => number;
};

export function openServiceMetrics(
  { clock, log, metrics, onStop }: AppContext,
  { works, deliveries, storage, folder, database, bucketUp, running, unixMs }: Measured,
): ServiceMetrics {
  let backlog: Awaited<ReturnType<typeof works.backlog>> | undefined;
  let outbox: Awaited<ReturnType<typeof deliveries.backlog>> | undefined;
  let freeBytes: number | undefined;
  let phase: 'open' | 'closed' = 'open';
  let cancel = () => {};

  const look = async () => {
    // What cannot be asked is not told; who owns it complains.
    backlog = await works.backlog().catch(() => undefined);
    outbox = await deliveries.backlog().catch(() => undefined);
    freeBytes = await statfs(folder).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => undefined,
    );
    if (phase === 'open') cancel = clock.after(LOOK_MS, () => void look());
  };
  void look();
  onStop(() => {
    phase = 'closed';
    cancel();
  });
  const secondsSince = (atMs: number | undefined) =>
    atMs === undefined ? 0 : Math.max(0, unixMs() - atMs) / 1000;

  const ended = metrics.counters(
    'voxgate_works_total',
    'Jobs and PlayNotes that have ended, by kind and status',
    { kind: Object.keys(KINDS), status: Object.keys(ENDS) },
  );
  metrics.gauge('voxgate_works_running', 'Jobs and PlayNotes that are being made', running);
  metrics.gauge('voxgate_works_waiting', 'Jobs and PlayNotes that wait to be made', () => backlog?.waiting);
  metrics.gauge(
    'voxgate_works_oldest_waiting_seconds',
    'How long the oldest of them has waited',
    () => backlog && secondsSince(backlog.oldestAtMs),
  );
  const attempts = metrics.counters(
    'voxgate_webhook_attempts_total',
    'Attempts to tell a webhook, by what came of it',
    { result: Object.keys(VERDICTS) },
  );
  metrics.gauge('voxgate_webhooks_waiting', 'Messages to webhooks that wait', () => outbox?.waiting);
  metrics.gauge(
    'voxgate_webhooks_overdue_seconds',
    'For how long the message that is due first has been due',
    () => outbox && secondsSince(outbox.dueAtMs),
  );
  metrics.gauge(
    'voxgate_storage_writable',
    '1 while the disk of the data folder takes what is written',
    () => (storage.state() === 'ok' ? 1 : 0),
  );
  metrics.gauge('voxgate_database_up', '1 while PostgreSQL answers', () => database()?.up);
  metrics.gauge('voxgate_database_connections', 'Connections to PostgreSQL', () => database()?.open);
  metrics.gauge(
    'voxgate_database_waiting',
    'Statements that wait for a connection to PostgreSQL',
    () => database()?.waiting,
  );
  metrics.gauge('voxgate_files_up', '1 while the bucket of files answers', bucketUp);
  metrics.gauge('voxgate_storage_free_bytes', 'Room on the disk of the data folder', () => freeBytes);

  return {
    workEnded(work) {
      const { id, kind, owner, status, failure, attempts: begun, output } = work;
      ended.add(1, { kind, status });
      const code = failure?.code;
      const level = code === undefined ? 'info' : levelOfStatus(ERROR_TABLE[code as ErrorCode]?.http ?? 500);
      const took = (work.completedAtMs ?? unixMs()) - work.requestedAtMs;
      const { duration } = (output ?? {}) as { readonly duration?: number };
      log[level]('work_ended', {
        work: id,
        kind,
        tenant: owner,
        outcome: status,
        code,
        attempts: begun,
        tookSeconds: Math.round(took) / 1000,
        audioSeconds: duration,
      });
    },
    webhookAttempted: (result) => attempts.add(1, { result }),
  };
}
