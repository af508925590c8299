import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDelivery, webhookPayload } from '../../../src/service/webhooks/webhook-payload.ts';
import { fixedRandom } from '../../support/fixed-random.ts';

const AT_MS = Date.UTC(2026, 10, 20, 12);
const payload = (data: Record<string, unknown>) =>
  webhookPayload({ type: 'tts.completed', atMs: AT_MS, data });
const data = (text: string) => JSON.parse(text).data as Record<string, unknown>;

describe('webhookPayload', () => {
  it('is the envelope around the record', () => {
    const record = { id: 'a', input: { text: 'Hello', voice: 'v' }, output: { url: 'u' } };
    expect(JSON.parse(payload(record))).toEqual({
      type: 'tts.completed',
      timestamp: '2026-11-20T12:00:00.000Z',
      data: record,
    });
  });

  it('leaves a long text out, and says so', () => {
    const text = payload({ id: 'a', input: { text: 'x'.repeat(50_000), voice: 'v' }, completedAt: null });
    expect(data(text)).toEqual({
      id: 'a',
      input: { voice: 'v' },
      completedAt: null,
      omitted: ['input.text'],
    });
  });

  it('leaves out no more than it must', () => {
    const text = payload({ id: 'a', input: { text: 'x'.repeat(15_000), prompt: 'y'.repeat(10_000) } });
    expect(data(text)).toMatchObject({ omitted: ['input.text'], input: { prompt: 'y'.repeat(10_000) } });
    const both = payload({
      id: 'a',
      input: { text: 'x'.repeat(45_000), prompt: 'y'.repeat(30_000), voice: 'v' },
    });
    expect(data(both)).toEqual({ id: 'a', input: { voice: 'v' }, omitted: ['input.text', 'input.prompt'] });
  });

  it('counts bytes, not characters', () => {
    expect(data(payload({ id: 'a', input: { text: '語'.repeat(7000) } }))).toHaveProperty('omitted');
    expect(data(payload({ id: 'a', input: { text: '\u0001'.repeat(4000) } }))).toHaveProperty('omitted');
    expect(data(payload({ id: 'a', input: { text: 'x'.repeat(19_000) } }))).not.toHaveProperty('omitted');
  });

  it('is JSON within its bound, whatever the record, and keeps the id', () => {
    // One to four bytes, and some that JSON writes longer.
    const letter = fc.constantFrom('a', 'é', '語', '😀', '\u0001', '"');
    const part = fc.oneof(
      fc.string({ unit: letter, maxLength: 40 }).map((text) => text.repeat(300)),
      fc.oneof(fc.double(), fc.boolean(), fc.constant(null), fc.array(fc.integer())),
    );
    const record = fc.record({
      id: fc.uuid(),
      input: fc.oneof(fc.dictionary(fc.string(), part), part),
      output: part,
      name: part,
    });
    fc.assert(
      fc.property(record, (given) => {
        const text = payload(given);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(20_000);
        expect(data(text).id).toBe(given.id);
      }),
      { numRuns: 50 },
    );
  });
});

it('createDelivery addresses a message as a receiver is called, in characters that every store keeps', () => {
  const event = { type: 'tts.failed', atMs: AT_MS, data: {} } as const;
  const urlOf = (url: string) => createDelivery(event, { owner: 'ann', url }, fixedRandom()).url;
  expect(urlOf('https://hook.example/a\0b?c=\0d')).toBe('https://hook.example/a%00b?c=%00d');
  expect(urlOf('HTTPS://Hook.example')).toBe('https://hook.example/');
});

it('createDelivery gives each message an id of its own', () => {
  const event = { type: 'playnote.failed', atMs: AT_MS, data: { id: 'p' } } as const;
  const to = { owner: 'ann', url: 'https://hook.example/' };
  expect(createDelivery(event, to, fixedRandom())).toEqual({
    id: 'msg_id-0',
    ...to,
    type: 'playnote.failed',
    body: webhookPayload(event),
    createdAtMs: AT_MS,
  });
});
