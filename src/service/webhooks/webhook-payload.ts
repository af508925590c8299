// What a webhook says: the public record of a job or a PlayNote, in the envelope of Standard Webhooks, never more than
// receivers are promised to have to read. What does not fit is left out whole and named; nothing is cut in the middle.

import type { Random } from '../../base/random.ts';
import type { NewDelivery } from '../../storage/delivery-store.ts';
import type { Stored } from '../../storage/works/work.ts';

export type WebhookType =
  | 'tts.completed'
  | 'tts.failed'
  | 'tts.cancelled'
  | 'tts.progress'
  | 'playnote.completed'
  | 'playnote.failed'
  | 'playnote.progress';

export type WebhookEvent = {
  readonly type: WebhookType;
  /** Unix milliseconds of the change; receivers order by it, because deliveries may overtake each other. */
  readonly atMs: number;
  /** The record as REST tells it, at that time. */
  readonly data: Stored;
};

/** Standard Webhooks asks for less than 20 KB. */
const MAX_BYTES = 20_000;
/** Always told: without them a receiver could not ask for the rest. */
const KEPT: readonly string[] = ['id', 'status', 'omitted'];

const isRecord = (value: unknown): value is Stored =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/** The member of `record` that takes the most bytes, among those that may go. */
const largestOf = (record: Stored): string | undefined => {
  let largest: string | undefined;
  let most = -1;
  for (const [name, value] of Object.entries(record)) {
    const bytes = bytesOf(value);
    if (KEPT.includes(name) || value === undefined || bytes <= most) continue;
    most = bytes;
    largest = name;
  }
  return largest;
};

/** `record` without its largest member; of `input` (the only nested part that may be large) first its own members. */
function lighten(record: Stored): { readonly record: Stored; readonly omitted: string } | undefined {
  const name = largestOf(record);
  if (name === undefined) return undefined;
  const inner = record[name];
  const part = name === 'input' && isRecord(inner) ? largestOf(inner) : undefined;
  if (part === undefined || !isRecord(inner)) {
    const { [name]: _, ...rest } = record;
    return { record: rest, omitted: name };
  }
  const { [part]: _, ...rest } = inner;
  return { record: { ...record, [name]: rest }, omitted: `${name}.${part}` };
}

/** `{"type", "timestamp" (RFC 3339), "data"}`, at most 20,000 bytes. A longer one loses the largest members of `data`
 * one by one, of `data.input` its own (as a rule `text`); `data.omitted` names them: `["input.text"]`.
 */
export function webhookPayload({ type, atMs, data }: WebhookEvent): string {
  const timestamp = new Date(atMs).toISOString();
  let record = data;
  let omitted: readonly string[] = [];
  for (;;) {
    const told = omitted.length === 0 ? record : { ...record, omitted };
    const payload = JSON.stringify({ type, timestamp, data: told });
    if (Buffer.byteLength(payload) <= MAX_BYTES) return payload;
    const lighter = lighten(record);
    if (lighter === undefined) return payload;
    record = lighter.record;
    omitted = [...omitted, lighter.omitted];
  }
}

/** As it is called: the parser escapes what no store of text keeps, and one receiver is told from others by it. */
const asCalled = (url: string): string => (URL.canParse(url) ? new URL(url).href : url);

/** The row for the outbox, to be written together with the change that it tells. */
export const createDelivery = (
  event: WebhookEvent,
  to: { readonly owner: string; readonly url: string },
  random: Random,
): NewDelivery => ({
  id: `msg_${random.id(16)}`,
  owner: to.owner,
  url: asCalled(to.url),
  type: event.type,
  body: webhookPayload(event),
  createdAtMs: event.atMs,
});
