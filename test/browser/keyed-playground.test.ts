// The page of a gateway that has API keys: it asks for them once, speaks with a token, and shows what runs.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OpenPlayground, openPlayground, until } from '../support/open-playground.ts';

let playground: OpenPlayground;
beforeAll(async () => {
  playground = await openPlayground({ VOXGATE_API_KEYS: 'guide:key-of-the-guide' });
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
  await until(page, `document.querySelectorAll('#sessions tr').length > 0`);
  expect(await page.evaluate('localStorage.length + sessionStorage.length + document.cookie.length')).toBe(0);
  expect(await page.evaluate('violations')).toEqual([]);
  // A wrong key is a 401, which the browser tells by itself.
  expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
  await page.close();
});
