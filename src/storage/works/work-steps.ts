// What a step of its life changes in a work, for every store alike: the store decides whether a step may be taken.

import type { Stored, Work, WorkFailure } from './work.ts';
import type { NewWork, WorkEnd } from './work-store.ts';

/** A PlayNote has its owner to itself; of other kinds there may be as many as the caller of the store says. */
export const mostUnfinishedOf = ({ kind, mostUnfinished }: NewWork): number =>
  kind === 'playnote' ? Math.min(1, mostUnfinished) : mostUnfinished;

const WAITING = { status: 'waiting', phase: 'waiting' } as const;

export const asked = ({ id, kind, owner, urgency, input, requestedAtMs }: NewWork): Work => ({
  id,
  kind,
  owner,
  urgency,
  input,
  requestedAtMs,
  ...WAITING,
  progress: 0,
  output: undefined,
  failure: undefined,
  completedAtMs: undefined,
  attempts: 0,
});

export const begun = (work: Work): Work => ({
  ...work,
  status: 'running',
  phase: 'starting',
  attempts: work.attempts + 1,
});

/** Back in line; `attempts` as the caller counts this one. */
export const putBack = (work: Work, attempts: number): Work => ({ ...work, ...WAITING, attempts });

/** One that gets further than any before it is as good as a first: what interrupted those was not the work. */
export const noted = (work: Work, { phase, progress }: Pick<Work, 'phase' | 'progress'>): Work => ({
  ...work,
  phase,
  progress: Math.max(work.progress, progress),
  attempts: progress > work.progress ? 1 : work.attempts,
});

export const ended = (work: Work, end: WorkEnd, nowMs: number): Work =>
  end.status === 'completed'
    ? {
        ...work,
        status: 'completed',
        phase: 'completed',
        progress: 1,
        output: end.output,
        completedAtMs: nowMs,
      }
    : { ...work, status: 'failed', failure: end.failure, completedAtMs: nowMs };

export const cancelled = (work: Work, nowMs: number): Work => ({
  ...work,
  status: 'cancelled',
  completedAtMs: nowMs,
});

const INTERRUPTED: WorkFailure = {
  code: 'interrupted',
  message: 'It was begun several times and interrupted each time.',
};

export const interrupted = (work: Work, nowMs: number): Work =>
  ended(work, { status: 'failed', failure: INTERRUPTED }, nowMs);

export const isUnfinished = ({ status }: Work): boolean => status === 'waiting' || status === 'running';

/** Bytes of the file of a finished work; 0 when it has none. */
export function fileBytesOf(output: Stored | undefined): number {
  const bytes = output?.fileSize;
  return typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes > 0 ? bytes : 0;
}
