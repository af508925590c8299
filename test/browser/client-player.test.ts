// The package's player in a real browser, as a page that was written for it has it: through a dropped connection, and silent at
// once when it is interrupted.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChaosProxy, startChaosProxy } from '../../testkit/chaos/chaos-proxy.ts';
import { type OpenPlayground, openPlayground, until } from '../support/open-playground.ts';
import { buildProgram } from '../support/program.ts';

const DIST = new URL('../../packages/client/dist/', import.meta.url);
let playground: OpenPlayground;
let line: ChaosProxy;
beforeAll(async () => {
  buildProgram();
  playground = await openPlayground();
  line = await startChaosProxy({ target: new URL(playground.url).origin, seed: 1, toxics: [] });
});
afterAll(async () => {
  await line.close();
  await playground.close();
});

const WHOLE = 'The ferry leaves at ten from pier three, and it takes forty minutes to the other side.';
const CUT =
  'Dogs are welcome on the lower deck, and there is coffee on the upper one, for as long as there is any.';

it('plays to the end through a drop, and is silent when it is interrupted', async () => {
  const { page } = await playground.page();
  const { pathname } = new URL(playground.url);
  await page.goto(`${line.url}${pathname}`);
  await page.route('**/of-the-package/*.js', (route) => {
    const name = new URL(route.request().url()).pathname.split('/').at(-1)!;
    return route.fulfill({ contentType: 'text/javascript', body: readFileSync(new URL(name, DIST), 'utf8') });
  });
  // The worklet is the page's own, built of the same source: what a browser loads for one cannot be put in its place.
  await page.evaluate(
    `(async () => {
      const [{ createVoxgateClient }, { openPlayer }] = await Promise.all([
        import('/of-the-package/voxgate-client.js'),
        import('/of-the-package/player.js'),
      ]);
      globalThis.seen = [];
      const main = document.querySelector('script[type=module]').src;
      const [worklet] = /playout-worklet[\\w-]*\\.js/.exec(await (await fetch(main)).text());
      const voxgate = createVoxgateClient({ baseUrl: location.origin });
      const player = await openPlayer({ workletUrl: new URL(worklet, main), onDry: () => seen.push({ type: 'dry' }) });
      const session = await voxgate.session(player.query, player.listeners({
        onEvent: (event) => seen.push(event),
        onConnection: (change) => seen.push({ ...change, type: 'connection ' + change.type, error: undefined }),
      }));
      player.follow(session);
      Object.assign(globalThis, { player, session });
      session.send({ type: 'speak', turn: 'whole', text: ${JSON.stringify(WHOLE)} });
    })()`,
  );
  const saw = (what: string) => `seen.some((event) => ${what})`;
  await until(page, `player.heardMs('whole') > 500`);
  line.cut();
  await until(page, saw(`event.type === 'connection resumed' && event.exact`));
  await until(page, saw(`event.type === 'heard' && event.turn === 'whole'`));
  const whole = await page.evaluate(`({
    heard: seen.find((event) => event.type === 'heard'),
    ended: seen.find((event) => event.type === 'ended'),
    heardMs: player.heardMs('whole'),
  })`);
  const { heard, ended, heardMs } = whole as {
    heard: { remainingText: string };
    ended: { outcome: string; audioMs: number };
    heardMs: number;
  };
  expect([ended.outcome, heard.remainingText]).toEqual(['complete', '']);
  expect(Math.abs(heardMs - ended.audioMs)).toBeLessThan(1);

  await page.evaluate(`session.send({ type: 'speak', turn: 'cut', text: ${JSON.stringify(CUT)} })`);
  await until(page, `player.heardMs('cut') > 300`);
  await page.evaluate('player.interrupt()');
  await until(page, saw(`event.type === 'heard' && event.turn === 'cut'`));
  const atCut = await page.evaluate(`player.heardMs('cut')`);
  const told = (await page.evaluate(
    `seen.find((event) => event.type === 'heard' && event.turn === 'cut')`,
  )) as { playedMs: number; spokenText: string; remainingText: string };
  // What was on its way to the sound card is heard a moment later.
  expect(Math.abs(told.playedMs - (atCut as number))).toBeLessThanOrEqual(100);
  expect(told.remainingText.length).toBeGreaterThan(0);
  expect(CUT.startsWith(told.spokenText.trim())).toBe(true);
  // Nothing more of it is heard.
  const later = `new Promise((resolve) => setTimeout(() => resolve(player.heardMs('cut')), 300))`;
  expect(await page.evaluate(later)).toBeLessThanOrEqual(told.playedMs + 1);
  await page.evaluate('player.close()');
  await page.close();
});
