// An operator is told that a speech service is out or back: signed, a few times, within bounds.
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { webhookSecret } from '../../../src/access/webhook-signature.ts';
import type { LogFields } from '../../../src/base/log.ts';
import { createHealthWebhook } from '../../../src/service/webhooks/health-webhook.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { fixedRandom } from '../../support/fixed-random.ts';
import { type Answer, createFakeReceivers } from './fake-receivers.ts';

const SECRETS = [webhookSecret('new', 'x'), webhookSecret('old', 'x')];
const CHANGE = { service: 'first', kind: 'openai', state: 'out', code: 'upstream_timeout' } as const;

function start(answer: (count: number) => Answer, secrets: readonly string[] = SECRETS) {
  const clock = createFakeClock(0);
  const epochMs = Date.now();
  const receivers = createFakeReceivers(clock, (_, count) => answer(count));
  const results: string[] = [];
  const lines: (LogFields & { readonly event: string })[] = [];
  const keep = (event: string, fields?: LogFields) => void lines.push({ event, ...fields });
  const webhook = createHealthWebhook({
    url: 'https://alerts.example/hook?key=hidden',
    secrets,
    fetch: receivers,
    clock,
    unixMs: () => epochMs + clock.now(),
    random: fixedRandom(),
    log: { debug: keep, info: keep, warn: keep, error: keep },
    onResult: (result) => results.push(result),
  });
  return { clock, receivers, results, lines, webhook };
}

describe('a change of a service', () => {
  it('is one message, which the receiver can verify with either secret', async () => {
    const { clock, receivers, results, webhook } = start(() => ({ status: 200 }));
    webhook.tell(CHANGE);
    await clock.run(50);
    const [arrival] = receivers.arrivals;
    for (const secret of SECRETS)
      expect(new Webhook(secret).verify(arrival!.body, { ...arrival!.headers })).toMatchObject({
        type: 'service.out',
        data: CHANGE,
      });
    expect(results).toEqual(['delivered']);
    webhook.close();
    expect(clock.timers).toBe(0);
  });
  it('is not signed without a secret', async () => {
    const { clock, receivers, webhook } = start(() => ({ status: 204 }), []);
    webhook.tell(CHANGE);
    await clock.run(50);
    expect(Object.keys(receivers.arrivals[0]!.headers)).toEqual(['content-type']);
  });
  it('is tried three times, then given up with a line that has no address', async () => {
    const { clock, receivers, results, lines, webhook } = start(() => ({ status: 500 }));
    webhook.tell(CHANGE);
    await clock.run(400_000);
    expect(receivers.arrivals.map(({ atMs }) => Math.round(atMs / 1000))).toEqual([0, 5, 305]);
    expect(results).toEqual(['again', 'again', 'given-up']);
    expect(lines).toEqual([
      { event: 'health_webhook_given_up', service: 'first', state: 'out', attempts: 3, status: 500 },
    ]);
    expect(JSON.stringify(lines)).not.toContain('hidden');
    expect(clock.timers).toBe(0);
  });
  it('is given up at once when the receiver is gone', async () => {
    const { clock, results, webhook } = start(() => ({ status: 410 }));
    webhook.tell(CHANGE);
    await clock.run(50);
    expect(results).toEqual(['given-up']);
  });
  it('is left out, and counted, beyond those that may wait; and nothing is left when it is closed', async () => {
    const { clock, results, webhook } = start(() => ({ status: 503 }));
    for (let n = 0; n < 20; n += 1) webhook.tell(CHANGE);
    await clock.run(50);
    expect(results.filter((result) => result === 'left-out')).toHaveLength(4);
    webhook.close();
    await clock.run(50);
    expect(clock.timers).toBe(0);
  });
});
