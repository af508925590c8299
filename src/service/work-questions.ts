// What callers may do with a work that is there, of either kind: find it, list it, end it. An id of another owner is
// answered exactly like one that never was.

import { AppError } from '../base/app-error.ts';
import type { NewDelivery } from '../storage/delivery-store.ts';
import type { Work, WorkKind } from '../storage/works/work.ts';
import type { WorkFiles } from '../storage/works/work-files.ts';
import { cancelled, isUnfinished } from '../storage/works/work-steps.ts';
import type { WorkPage, WorkStore } from '../storage/works/work-store.ts';
import type { WorkRunner } from './work-runner.ts';

export type WorkQuestions = {
  /** These reject with `not_found`. */
  find(owner: string, id: string): Promise<Work>;
  /** Ends it as cancelled; one that has ended stays as it is. */
  cancel(owner: string, id: string): Promise<Work>;
  /** Forgets it with its files, and stops it when it is being done. */
  remove(owner: string, id: string): Promise<void>;
  list(
    owner: string,
    page: { readonly limit: number; readonly cursor: string | undefined },
  ): Promise<WorkPage>;
};

export type WorkQuestionsOptions = {
  readonly kind: WorkKind;
  /** For people: "job", "PlayNote". */
  readonly called: string;
  readonly store: WorkStore;
  readonly files: WorkFiles;
  readonly runner: Pick<WorkRunner, 'interrupt'>;
  /** Its caller has ended it: cancelled it, or deleted it before it had ended by itself. */
  readonly onEnded: (work: Work) => void;
  /** It was ended or forgotten before its time. */
  readonly onTakenAway: (owner: string, id: string) => Promise<void>;
  readonly unixMs: () => number;
  readonly toDelivery: (work: Work) => NewDelivery | undefined;
  readonly onDelivery: () => void;
};

export function createWorkQuestions(options: WorkQuestionsOptions): WorkQuestions {
  const { kind, store, files, runner } = options;
  const unknown = () => new AppError('not_found', `There is no ${options.called} of this id.`);
  return {
    async find(owner, id) {
      const work = await store.find(owner, kind, id);
      if (work === undefined) throw unknown();
      return work;
    },
    async cancel(owner, id) {
      // Only the store knows which of several calls at once has ended it, and asks only that one for a message.
      let endedHere: Work | undefined;
      const work = await store.cancel(owner, kind, id, options.unixMs(), (ended) => {
        endedHere = ended;
        return options.toDelivery(ended);
      });
      if (work === undefined) throw unknown();
      if (endedHere !== undefined) options.onEnded(endedHere);
      if (work.status === 'cancelled') {
        await runner.interrupt(id); // it still writes to its folder until it has stopped
        options.onDelivery();
        await options.onTakenAway(owner, id);
        await files.remove(id);
      }
      return work;
    },
    async remove(owner, id) {
      const removed = await store.remove(owner, kind, id);
      if (removed === undefined) throw unknown();
      if (isUnfinished(removed)) options.onEnded(cancelled(removed, options.unixMs()));
      await runner.interrupt(id);
      await options.onTakenAway(owner, id);
      await files.remove(id);
      await store.disposed([id]);
    },
    list: (owner, page) => store.list(owner, kind, page),
  };
}
