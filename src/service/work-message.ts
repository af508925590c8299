// A work as callers see it: the record that REST answers with, and the message to its webhook, which is that record at
// the time of the change.

import type { Random } from '../base/random.ts';
import type { JobRecord, PlayNoteRecord } from '../speech/service-records.ts';
import type { NewDelivery } from '../storage/delivery-store.ts';
import type { Stored, Work } from '../storage/works/work.ts';
import { toJobRecord } from './jobs/job-record.ts';
import { toPlayNoteRecord } from './playnotes/playnote-record.ts';
import type { ServiceAddress } from './service-address.ts';
import { createDelivery, type WebhookType } from './webhooks/webhook-payload.ts';

export type WorkMessages = {
  /** `origin`: as the caller has reached us. */
  toJob(work: Work, origin: string): JobRecord;
  toPlayNote(work: Work, origin: string): PlayNoteRecord;
  /** The message to the webhook of `work` about its present state; undefined: it has none. */
  readonly toDelivery: (work: Work) => NewDelivery | undefined;
};

export type WorkMessagesOptions = {
  readonly address: ServiceAddress;
  /** Where a receiver of webhooks reaches us. */
  readonly origin: () => string;
  readonly unixMs: () => number;
  readonly random: Random;
};

const typeOf = ({ kind, status }: Work): WebhookType => {
  if (status === 'waiting' || status === 'running') return `${kind}.progress`;
  // A PlayNote has no such state (interface 3).
  if (kind === 'playnote') return status === 'completed' ? 'playnote.completed' : 'playnote.failed';
  return `${kind}.${status}`;
};

export function createWorkMessages({ address, origin, unixMs, random }: WorkMessagesOptions): WorkMessages {
  const urlsOf = (work: Work, at: string) => (name: string) => address.urlOf(at, work.id, name);
  const toJob = (work: Work, at: string) => toJobRecord(work, urlsOf(work, at));
  const toPlayNote = (work: Work, at: string) => toPlayNoteRecord(work, urlsOf(work, at));
  return {
    toJob,
    toPlayNote,
    toDelivery(work) {
      const { shown, fields } = work.input as { shown?: Stored; fields?: Stored };
      const url = (shown ?? fields)?.webHookUrl;
      if (typeof url !== 'string') return undefined;
      const data = work.kind === 'tts' ? toJob(work, origin()) : toPlayNote(work, origin());
      return createDelivery({ type: typeOf(work), atMs: unixMs(), data }, { owner: work.owner, url }, random);
    },
  };
}
