// The page in a real browser, through a proxy that drops its connection: a drop that is shorter than what is in hand is not heard.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChaosProxy, startChaosProxy } from '../../testkit/chaos/chaos-proxy.ts';
import { type OpenPlayground, openPlayground, until } from '../support/open-playground.ts';

let playground: OpenPlayground;
let line: ChaosProxy;
beforeAll(async () => {
  playground = await openPlayground();
  const { origin } = new URL(playground.url);
  line = await startChaosProxy({ target: origin, seed: 1, toxics: [] });
});
afterAll(async () => {
  await line.close();
  await playground.close();
});

it('plays through a drop without a gap, exactly what was sent', async () => {
  const { page } = await playground.page();
  const { pathname } = new URL(playground.url);
  await page.goto(`${line.url}${pathname}`);
  await until(page, `document.getElementById('voice').options.length > 0`);
  await page.selectOption('#sound', 'phone');
  // Five seconds in hand, so that a machine that is slow has time to come back.
  await page.selectOption('#delivery', 'burst');
  // So long that a page which is told late finds it unended.
  await page.fill(
    '#text',
    'The ferry leaves at ten from pier three, and it takes forty minutes to the other side. Dogs are welcome on the lower deck. '.repeat(
      3,
    ),
  );
  await page.click('#say');
  await until(page, `tap.moves.some(({ type }) => type === 'moving')`);
  // More than three seconds of what the gateway may send ahead.
  const received = 'tap.frames.reduce((sum, { bytes }) => sum + bytes.length, 0) / 8';
  const inHandMs = `${received} - Number(document.getElementById('position').dataset.ms)`;
  await until(page, `${inHandMs} > 3000`);
  expect(await page.evaluate(`tap.events.some(({ type }) => type === 'ended')`)).toBe(false);
  const before = (await page.evaluate('tap.moves.length')) as number;
  const [hadMs, cutAtMs] = (await page.evaluate(`[${inHandMs}, performance.now()]`)) as [number, number];
  line.cut();
  await until(page, `tap.events.some(({ type }) => type === 'session_resumed')`);
  const { now, moves } = (await page.evaluate(
    `({ now: performance.now(), moves: tap.moves.slice(${before}) })`,
  )) as { now: number; moves: readonly { readonly why?: string }[] };
  // On a machine that was away for longer than that the sound had to stop.
  if (now - cutAtMs < hadMs) expect(moves.filter(({ why }) => why === 'dry')).toEqual([]);
  await until(page, `document.getElementById('state').textContent === 'Heard to the end'`);

  const ended = (await page.evaluate(`tap.events.find(({ type }) => type === 'ended')`)) as {
    sentMs: number;
  };
  expect(await page.evaluate('tap.moves.findLast(({ played }) => played !== undefined).played')).toBe(
    ended.sentMs * 8,
  );
  const sent = Buffer.from((await page.evaluate(`tap.sent('turn-1')`)) as string, 'base64');
  expect(sent.length).toBe(ended.sentMs * 8);
  expect(await page.evaluate(`document.getElementById('connection').dataset.state`)).toBe('open');
  await page.close();
});
