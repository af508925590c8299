// The page of a gateway that has API keys: it asks for them once, speaks with a token, and shows what runs.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OpenPlayground, openPlayground, until } from '../support/open-playground.ts';
import { openProbe } from '../support/session-probe.ts';

let playground: OpenPlayground;
beforeAll(async () => {
  playground = await openPlayground({
    VOXGATE_API_KEYS: 'guide:key-of-the-guide,museum:key-of-the-museum',
    VOXGATE_ADMIN_KEY: 'key-of-the-admin',
  });
});
afterAll(() => playground.close());

it('asks for the keys until they are right, keeps them from every store, and speaks with a token', async () => {
  const { page, faults } = await playground.page();
  await page.goto(playground.url);
  await until(page, `document.getElementById('keys').open`);
  await page.fill('#user-id', 'guide');
  await page.fill('#api-key', 'not-the-key');
  await page.keyboard.press('Enter');
  await until(page, `document.getElementById('keys-notice').textContent !== ''`);
  await page.fill('#api-key', 'key-of-the-guide');
  await page.keyboard.press('Enter');
  await until(page, `!document.getElementById('keys').open`);
  await until(page, `document.getElementById('voice').options.length > 0`);
  await page.selectOption('#delivery', 'burst');
  await page.fill('#text', 'Good morning.');
  await page.click('#say');
  await until(page, `document.getElementById('state').textContent === 'Heard to the end'`);

  await page.click('a[data-view=operator]');
  const museum = await openProbe(playground.gateway.url.replace('http', 'ws').concat('/v1/session'), {
    headers: { authorization: 'Bearer key-of-the-museum' },
  });
  // Where others are served, who else is here is seen with the admin key alone, on this machine as well.
  await until(page, `!document.getElementById('admin-form').hidden`);
  await until(page, `document.getElementById('operator-sum').textContent === '1 session of yours now.'`);
  const shown = `document.getElementById('sessions').textContent`;
  expect(await page.evaluate(shown)).not.toContain('museum');
  const buttons = `document.querySelectorAll('#sessions button').length`;
  expect(await page.evaluate(buttons)).toBe(0);
  for (const [key, is] of [
    [
      'not-the-key',
      `document.getElementById('admin-text').textContent.startsWith('That is not the admin key.')`,
    ],
    ['key-of-the-admin', `document.getElementById('admin-form').hidden`],
  ] as const) {
    await page.fill('#admin-key', key);
    await page.keyboard.press('Enter');
    await until(page, is);
  }
  await until(page, `${shown}.includes('museum')`);
  await until(page, `${buttons} === 2`);
  await page.click('#sessions button[aria-label$="of museum"]');
  await page.click('#confirm-action');
  expect((await museum.closed).code).toBe(4410);
  expect(await page.evaluate('localStorage.length + sessionStorage.length + document.cookie.length')).toBe(0);
  expect(await page.evaluate('violations')).toEqual([]);
  // A wrong key is a 401, which the browser tells by itself.
  expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
  await page.close();
});
