// The page for everybody, in a real browser with real sound: without a mouse, by a screen reader, on a phone, in both colour
// schemes; and what it shows of the whole gateway: sessions, calls and PlayNotes, whichever way they came in.
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { playnote } from '../../src/cli/playnote.ts';
import type { ServerEvent } from '../../src/dialects/native-events.ts';
import { createTwilioSide } from '../../testkit/carriers/twilio-side.ts';
import { dial } from '../support/fake-carrier.ts';
import { createFakeTerminal } from '../support/fake-terminal.ts';
import { type BrowserPage, type OpenPlayground, openPlayground, until } from '../support/open-playground.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { openProbe, type SessionProbe } from '../support/session-probe.ts';

const require = createRequire(import.meta.url);
const SOURCE =
  'The ferry leaves at ten. It takes forty minutes to cross the bay. The lighthouse is seen all the way. The old town lies behind.';
const LONG =
  'This is said for long enough to be interrupted in its middle. It has a second sentence. And it has a third one, which nobody waits for.';
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 860 };
const VIEWS = ['speak', 'playnote', 'operator'] as const;
/** A test machine may have much else to do. */
const PATIENT_MS = 60_000;
const LOCAL = { authorization: 'Bearer local', 'x-user-id': 'local' };

let playground: OpenPlayground;
let folder: string;
let bot: SessionProbe;
let page: BrowserPage;
let faults: readonly string[];

const ask = async <Answer>(path: string, init: RequestInit = {}) => {
  const answer = await fetch(`${playground.gateway.url}${path}`, { ...init, headers: LOCAL });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return (answer.status === 204 ? undefined : await answer.json()) as Answer;
};
type Note = { readonly id: string; readonly name: string; readonly status: string };
/** As the curl walk of docs/service.md does it; being made. */
async function beginOverHttp(name: string): Promise<Note> {
  const body = new FormData();
  body.append('synthesisStyle', 'executive-briefing');
  const [voice] = await ask<{ id: string }[]>('/api/v1/voices');
  body.append('voice1', voice!.id);
  body.append('voice1Name', 'Anna');
  body.append('name', name);
  body.append('sourceFile', new Blob([SOURCE]), 'ferry.txt');
  return ask<Note>('/api/v1/playnotes', { method: 'POST', body });
}
async function makeOverHttp(name: string): Promise<void> {
  const { id } = await beginOverHttp(name);
  const isMade = async () => expect((await ask<Note>(`/api/v1/playnotes/${id}`)).status).toBe('completed');
  await vi.waitFor(isMade, { timeout: PATIENT_MS, interval: 100 });
}
async function makeWithTheCommand(name: string): Promise<void> {
  const source = join(folder, `${name}.txt`);
  writeFileSync(source, SOURCE);
  const terminal = createFakeTerminal(
    [
      '--style',
      'executive-briefing',
      '--name',
      name,
      '--url',
      playground.gateway.url,
      '--out',
      join(folder, 'x.mp3'),
      source,
    ],
    '',
  );
  expect(await playnote.run(terminal)).toBe(0);
}
const openBot = (user: string) =>
  openProbe(playground.gateway.url.replace('http', 'ws').concat('/v1/session'), {
    headers: { 'x-user-id': user },
  });

beforeAll(async () => {
  // What finding words costs is no part of these tests.
  playground = await openPlayground({ VOXGATE_WORD_TIMES: 'never' });
  folder = scratchFolder('everybody');
  bot = await openBot('museum');
  await makeOverHttp('By curl');
  await makeWithTheCommand('By command');
}, 2 * PATIENT_MS);
afterAll(async () => {
  bot.terminate();
  await playground.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(options: { hasTouch?: boolean } = {}): Promise<void> {
  ({ page, faults } = await playground.page(options));
  await page.goto(playground.url);
  await until(page, `document.getElementById('voice').options.length > 0`);
}
beforeEach(() => open());
afterEach(async () => {
  expect(await page.evaluate('violations')).toEqual([]);
  expect(faults).toEqual([]);
  await page.close();
});

const text = (selector: string) =>
  page.evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`) as Promise<string>;
const heardFor = (ms: number) =>
  until(page, `Number(document.getElementById('position').dataset.ms) > ${ms}`);
const enter = async (view: (typeof VIEWS)[number]) => {
  await page.click(`a[data-view=${view}]`);
  if (view === 'playnote') await until(page, `document.querySelectorAll('#notes > li audio').length >= 2`);
  if (view === 'operator') await until(page, `document.querySelector('#services table tbody tr') !== null`);
};

describe('the operator’s view', () => {
  it('has every session with its tenant, calls, and the service with its keys, though there are no API keys', async () => {
    const call = await dial(
      playground.gateway.url.replace('http', 'ws').concat('/v1/legs/twilio'),
      createTwilioSide(),
      { callId: 'CA1' },
    );
    const local = await openBot('local');
    local.send({ type: 'attach', leg: { callSid: 'CA1' } });
    await local.event('attached');
    await enter('operator');
    const { session } = await local.event('ready');
    await until(page, `document.querySelector('#calls tbody').textContent.includes('${session}')`);
    const sessions = await text('#sessions tbody');
    expect(sessions).toContain((await bot.event('ready')).session);
    for (const told of ['museum', 'local', 'native', 'to twilio', 'none yet'])
      expect(sessions).toContain(told);
    expect(await text('#calls tbody')).toMatch(/CA1.*twilio.*local/);
    expect(await text('#services')).toMatch(/Embedded engine.*k_[0-9a-f]{8}.*ready.*no limit/s);
    expect(await text('#operator')).not.toContain('Nobody is connected');
    local.send({ type: 'hangup' });
    await local.event('detached');
    await until(page, `document.querySelector('#calls tbody').textContent.includes('No call is there')`);
    call.hangUp();
    local.terminate();
  });

  it('ends a session once it has been asked, and keeps the keyboard on the page', async () => {
    const guest = await openBot('guest');
    const { session } = await guest.event('ready');
    await enter('operator');
    const button = `#sessions button[aria-label="End session ${session} of guest"]`;
    const shows = `document.querySelector('${button}') !== null`;
    await until(page, shows);
    await page.click(button);
    await until(page, `document.getElementById('confirm').open`);
    await page.keyboard.press('Escape');
    await until(page, `!document.getElementById('confirm').open`);
    expect(await page.evaluate(`document.activeElement.matches('${button}')`)).toBe(true);
    expect(guest.socket.readyState).toBe(guest.socket.OPEN);
    await page.click(button);
    await page.click('#confirm-action');
    expect(await guest.closed).toEqual({ code: 4410, reason: 'ended_by_operator' });
    await until(page, `!(${shows})`);
    expect(await text('#told')).toBe(`Session ${session} has been ended.`);
    await until(page, `document.activeElement.id === 'sessions-region'`);
    expect(bot.socket.readyState).toBe(bot.socket.OPEN);
  });

  it('ends the page’s own session, which says so and opens another one', async () => {
    await page.fill('#text', LONG);
    await page.click('#say');
    await heardFor(200);
    expect(await text('#connection-text')).toBe('Connected');
    // Calm: not the colour of what can be pressed, and a full disc where there was a ring.
    const disc = (await page.evaluate(
      `getComputedStyle(document.getElementById('connection'), '::before').backgroundColor`,
    )) as string;
    const [red, green] = disc.match(/\d+/g)!.map(Number);
    expect(green).toBeGreaterThan(red!);
    const ready = (await page.evaluate(`tap.events.find(({ type }) => type === 'ready')`)) as {
      session: string;
    };
    await enter('operator');
    const row = `[...document.querySelectorAll('#sessions tbody tr')].find((row) => row.textContent.includes('(this page)'))`;
    await until(page, `${row} !== undefined`);
    expect(await page.evaluate(`${row}.cells[0].textContent`)).toBe(`${ready.session} (this page)`);
    expect(
      await page.evaluate(`document.querySelectorAll('#sessions button[aria-label$="of this page"]').length`),
    ).toBe(1);
    await page.click('#sessions button[aria-label$="of this page"]');
    expect(await text('#confirm-text')).toContain('the one of this page');
    await page.click('#confirm-leave');
    await fetch(`${playground.gateway.url}/v1/operator/sessions/${ready.session}`, { method: 'DELETE' });
    await until(page, `document.getElementById('notice').textContent.includes('an operator of the gateway')`);
    expect(await text('#connection-text')).toBe('Not connected');
  });
});

describe('PlayNotes', () => {
  it('of every way in are listed, come and go while one looks, and are deleted once it has been asked', async () => {
    await enter('playnote');
    expect(await text('#notes-about')).toContain('user local');
    const names = () =>
      page.evaluate(
        `[...document.querySelectorAll('#notes h3')].map((title) => title.textContent)`,
      ) as Promise<string[]>;
    expect(await names()).toEqual(['By command', 'By curl']);
    await beginOverHttp('Later');
    await until(page, `document.querySelectorAll('#notes > li').length === 3`);
    expect(await names()).toEqual(['Later', 'By command', 'By curl']);

    await page.click(`#notes button[aria-label^="Delete Later, Executive briefing of "]`);
    await page.click('#confirm-leave');
    await until(page, `!document.getElementById('confirm').open`);
    expect((await ask<Note[]>('/api/v1/playnotes')).length).toBe(3);
    await page.click(`#notes button[aria-label^="Delete Later, Executive briefing of "]`);
    await page.click('#confirm-action');
    await until(page, `document.querySelectorAll('#notes > li').length === 2`);
    expect((await ask<Note[]>('/api/v1/playnotes')).map(({ name }) => name)).toEqual([
      'By command',
      'By curl',
    ]);
    await until(page, `document.activeElement.matches('[aria-label^="Delete By command, "]')`);

    const gone = await beginOverHttp('Gone');
    await until(page, `document.querySelectorAll('#notes > li').length === 3`);
    await page.evaluate(
      `document.querySelector('#notes button[aria-label^="Delete Gone, Executive briefing of "]').focus()`,
    );
    await ask(`/api/v1/playnotes/${gone.id}`, { method: 'DELETE' });
    await until(page, `document.querySelectorAll('#notes > li').length === 2`);
    expect(await page.evaluate(`document.activeElement.getAttribute('aria-label')`)).toMatch(
      /^Delete By command, Executive briefing of \d/,
    );
    expect(await names()).toEqual(['By command', 'By curl']);
  });
});

describe('a PlayNote that is asked for here', () => {
  const choose = (name: string, content: string) =>
    page.setInputFiles('#note-file', { name, mimeType: 'text/plain', buffer: Buffer.from(content) });
  const focused = () => page.evaluate('document.activeElement.id');
  const fileName = () => page.evaluate(`document.getElementById('note-file').files[0]?.name`);
  const inSight = (id: string) =>
    page.evaluate(`(() => {
      const { top, bottom } = document.getElementById('${id}').getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    })()`);

  it('that fails is told at the form, where the document stays chosen and the keyboard stays', async () => {
    await page.setViewportSize(PHONE);
    await enter('playnote');
    await page.selectOption('#note-style', 'debate');
    await choose('ferry.txt', SOURCE);
    await page.evaluate(`document.getElementById('note-make').focus()`);
    await page.keyboard.press('Enter');
    await until(page, `document.getElementById('note-notice').textContent.includes('being made')`);
    expect(await focused()).toBe('note-make');
    await until(
      page,
      `document.getElementById('note-notice').textContent.includes('ferry.txt was not made')`,
    );
    const told = await text('#note-notice');
    expect(told).toContain('executive briefing');
    expect(told).not.toMatch(/executive-briefing|childrens-story/);
    expect([await focused(), await fileName(), await inSight('note-notice')]).toEqual([
      'note-make',
      'ferry.txt',
      true,
    ]);
    const card = await text('#notes > li:first-child .hint');
    expect(card).toMatch(/^Debate of \d+ \w+ \d{4}, \d\d:\d\d, failed, from ferry\.txt\. /);
    expect(card).not.toMatch(/executive-briefing|childrens-story/);

    await page.selectOption('#note-style', 'executive-briefing');
    await page.evaluate(`document.getElementById('note-make').focus()`);
    await page.keyboard.press('Enter');
    await until(page, `document.querySelector('#notes > li:first-child audio') !== null`);
    expect([await focused(), await fileName(), await text('#note-notice')]).toEqual([
      'note-make',
      undefined,
      '',
    ]);
    const links = (await page.evaluate(
      `[...document.querySelectorAll('#notes > li:first-child .links a')].map((link) => link.textContent)`,
    )) as string[];
    expect(links).toEqual(['Audio', 'Captions', 'Captions as SRT', 'Chapters', 'Script with word times']);

    await page.click('#notes > li:nth-child(2) .note-head button');
    expect(await text('#confirm-text')).toMatch(/^“ferry”, Debate of \d+ \w+ \d{4}, \d\d:\d\d, is deleted/);
    await page.click('#confirm-action');
    await until(page, `document.querySelectorAll('#notes > li').length === 3`);
    await page.click('#notes > li:first-child .note-head button');
    await page.click('#confirm-action');
    await until(page, `document.querySelectorAll('#notes > li').length === 2`);
  });

  it('that is refused at once is told at the form, too', async () => {
    await enter('playnote');
    const first = await beginOverHttp('In the way');
    await choose('empty.txt', '');
    await page.evaluate(`document.getElementById('note-make').focus()`);
    await page.keyboard.press('Enter');
    await until(page, `document.getElementById('note-notice').textContent.includes('empty.txt was not')`);
    expect([await focused(), await fileName()]).toEqual(['note-make', 'empty.txt']);
    // The browser tells of every refusal by itself.
    expect(faults.every((fault) => fault.includes('403'))).toBe(true);
    (faults as string[]).length = 0;
    await ask(`/api/v1/playnotes/${first.id}`, { method: 'DELETE' });
    for (const { id, status } of await ask<Note[]>('/api/v1/playnotes'))
      if (status === 'failed') await ask(`/api/v1/playnotes/${id}`, { method: 'DELETE' });
  });
});

describe('the keyboard alone', () => {
  const focused = (expression: string) => page.evaluate(`document.activeElement.matches(${expression})`);
  /** What has the focus can be seen: it is in the window, nothing lies on it, and something is drawn around it. */
  const SEEN = `(() => {
    const element = document.activeElement;
    if (element === document.body) return 'nothing has the focus';
    const shown = element.type === 'radio' ? element.nextElementSibling : element;
    const { outlineStyle, outlineWidth } = getComputedStyle(shown);
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const name = element.id || element.outerHTML.slice(0, 80);
    // The browser's own player draws the ring inside.
    if (element.id !== 'main' && element.localName !== 'audio' && (outlineStyle === 'none' || parseFloat(outlineWidth) < 2)) return name + ' has no ring';
    if (bottom < 1 || right < 1 || top > innerHeight - 1 || left > innerWidth - 1) return name + ' is out of sight';
    const [x, y] = [Math.max(1, (left + Math.min(right, innerWidth)) / 2), Math.max(1, top + Math.min(bottom - top, 20) / 2)];
    const over = document.elementFromPoint(x, Math.min(y, innerHeight - 1));
    return over === null || element.contains(over) || over.contains(element) || over === shown ? '' : name + ' is covered';
  })()`;
  async function tabTo(selector: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    for (let presses = 0; (await focused(JSON.stringify(selector))) !== true; presses++) {
      if (presses > 60) throw new Error(`${selector} is not reached with ${key}`);
      await page.keyboard.press(key);
      expect(await page.evaluate(SEEN)).toBe('');
    }
  }
  const press = (key: string) => page.keyboard.press(key);

  it('speaks, interrupts, makes and deletes a PlayNote, and ends a session', async () => {
    const guest = await openBot('guest');
    await page.evaluate(`document.getElementById('text').value = ''`);
    await press('Tab');
    expect(await focused(`'.skip'`)).toBe(true);
    await press('Enter');
    await tabTo('#text');
    await page.keyboard.type(LONG);
    await tabTo('#say');
    await press('Enter');
    await heardFor(200);
    await tabTo('#interrupt');
    await press('Enter');
    await until(page, `document.querySelector('[data-part=unheard]')`);
    const ended = ((await page.evaluate('tap.events')) as ServerEvent[]).filter(
      ({ type }) => type === 'ended',
    );
    expect(ended).toMatchObject([{ outcome: 'cancelled' }]);
    // The button is disabled now; what it was among has the focus.
    expect(await focused(`'#transcript'`)).toBe(true);

    await tabTo('a[data-view=playnote]', 'Shift+Tab');
    await press('Enter');
    await tabTo('#note-file');
    // What the browser's own window for files would do.
    await page.setInputFiles('#note-file', {
      name: 'by-hand.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from(SOURCE),
    });
    await tabTo('#note-style');
    await page.keyboard.type('Executive');
    await tabTo('#note-make');
    await press('Enter');
    await until(page, `document.querySelectorAll('#notes > li').length === 3`);
    await tabTo('#notes > li:nth-child(2) .chapters button');
    await press('Enter');
    await until(page, `!document.querySelector('#notes > li:nth-child(2) audio').paused`);
    await tabTo('#notes > li:first-child .note-head button', 'Shift+Tab');
    await press('Enter');
    await until(page, `document.getElementById('confirm').open`);
    expect(await focused(`'#confirm-leave'`)).toBe(true);
    await tabTo('#confirm-action');
    await press('Enter');
    await until(page, `document.querySelectorAll('#notes > li').length === 2`);
    expect(await focused(`'#notes button'`)).toBe(true);

    await tabTo('a[data-view=operator]', 'Shift+Tab');
    await press('Enter');
    const { session } = await guest.event('ready');
    const end = `#sessions button[aria-label="End session ${session} of guest"]`;
    await until(page, `document.querySelector('${end}') !== null`);
    await tabTo(end);
    await press('Enter');
    await tabTo('#confirm-action');
    await press('Enter');
    expect((await guest.closed).code).toBe(4410);
  });

  it('passes everything that can be used, in the order of the page, and is held nowhere', async () => {
    for (const view of VIEWS) {
      await enter(view);
      await page.evaluate(
        `(scrollTo(0, 0), document.activeElement.blur(), document.querySelector('.skip').focus())`,
      );
      // One stop for all radio buttons of a name, and some inside the browser's own player.
      const wanted = (await page.evaluate(`(() => {
        globalThis.stops = [...document.querySelectorAll('a[href], button, select, textarea, input, [tabindex="0"]')]
          .filter((element) => element.checkVisibility() && !element.disabled && (element.type !== 'radio' || element.checked));
        return stops.length;
      })()`)) as number;
      const order: number[] = [];
      for (let presses = 0; presses < 3 * wanted + 40 && order.at(-1) !== wanted - 1; presses++) {
        const at = (await page.evaluate('stops.indexOf(document.activeElement)')) as number;
        if (at >= 0) order.push(at);
        await press('Tab');
      }
      expect([view, [...new Set(order)]]).toEqual([view, Array.from({ length: wanted }, (_, at) => at)]);
      expect([...order].sort((a, b) => a - b)).toEqual(order);
    }
  });
});

describe('a screen reader', () => {
  it('is told sentences as they are heard, not each word', async () => {
    await page.evaluate(`(() => {
      globalThis.announced = { captions: [], told: [] };
      for (const id of ['captions', 'told'])
        new MutationObserver((changes) => {
          for (const { addedNodes } of changes)
            for (const node of addedNodes) announced[id].push(node.textContent);
        }).observe(document.getElementById(id), { childList: true });
    })()`);
    await page.fill('#text', 'The ferry leaves at ten. It takes forty minutes, or a little more. Goodbye!');
    await page.click('#say');
    await until(page, `document.getElementById('state').textContent === 'Heard to the end'`);
    const { captions, told } = (await page.evaluate('announced')) as Record<string, string[]>;
    expect(captions).toEqual([
      'The ferry leaves at ten.',
      'It takes forty minutes, or a little more.',
      'Goodbye!',
    ]);
    expect(told).toEqual(['Speaking', 'Heard to the end']);
    const regions = (await page.evaluate(
      `['captions', 'told'].map((id) => document.getElementById(id).getAttribute('aria-live'))`,
    )) as string[];
    expect(regions).toEqual(['polite', 'polite']);
    expect(await page.evaluate(`document.querySelector('#transcript').closest('[aria-live]')`)).toBeNull();
  });
});

describe('on a phone', () => {
  beforeEach(async () => {
    await page.close();
    await open({ hasTouch: true });
    await page.setViewportSize(PHONE);
  });
  /** Whether it can be pressed as the page stands, without scrolling. */
  const inReach = (id: string) =>
    page.evaluate(`(() => {
      const element = document.getElementById('${id}');
      const { left, top, right, bottom } = element.getBoundingClientRect();
      const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && element.contains(over);
    })()`);

  it('Interrupt is in reach while speech plays, wherever the page is scrolled to, and in every view', async () => {
    await page.fill('#text', `${LONG} ${LONG}`);
    await page.tap('#say');
    await heardFor(200);
    for (const place of ['0', 'document.body.scrollHeight']) {
      await page.evaluate(`scrollTo(0, ${place})`);
      expect([place, await inReach('interrupt')]).toEqual([place, true]);
    }
    await page.evaluate('scrollTo(0, 0)');
    await page.tap('a[data-view=playnote]');
    expect(await inReach('interrupt-elsewhere')).toBe(true);
    await page.tap('a[data-view=speak]');
    await page.tap('#interrupt');
    await until(page, `document.querySelector('[data-part=unheard]')`);
    expect(await page.evaluate(`document.getElementById('interrupt').disabled`)).toBe(true);
  });

  it('words are in sight once they are spoken, and in Live what is typed, said and pressed', async () => {
    await page.fill('#text', `${LONG} ${LONG}`);
    await page.tap('#say');
    await heardFor(200);
    await until(page, `document.getElementById('transcript').getBoundingClientRect().top < 500`);
    await until(page, `document.getElementById('caption-line').textContent.startsWith('This is')`);
    await page.tap('#interrupt');
    await until(page, `document.querySelector('[data-part=unheard]')`);

    await page.evaluate('scrollTo(0, 0)');
    await page.check('input[value=live]');
    await page.fill('#live', LONG);
    await page.tap('#flush');
    await until(page, `document.getElementById('transport').dataset.state === 'busy'`);
    await until(page, `document.getElementById('caption-line').textContent.startsWith('This is')`);
    expect([await inReach('say'), await inReach('flush'), await inReach('interrupt')]).toEqual([
      true,
      true,
      true,
    ]);
    expect(
      await page.evaluate(`(() => {
        const [line, area] = ['caption-line', 'live'].map((id) => document.getElementById(id).getBoundingClientRect());
        return [line.height > 15, line.bottom <= innerHeight, area.top >= 0, area.top < 600];
      })()`),
    ).toEqual([true, true, true, true]);
    await page.tap('#interrupt');
    await until(page, `document.getElementById('transport').dataset.state === 'idle'`);
  });

  it('rows of the operator’s cards begin at one line', async () => {
    await enter('operator');
    const lefts = (await page.evaluate(
      `[...document.querySelectorAll('#operator tbody :is(th, td)')].map((cell) => getComputedStyle(cell).paddingLeft)`,
    )) as string[];
    expect([...new Set(lefts)]).toEqual(['0px']);
  });

  it('everything is 44 px for a finger, and nothing lies beyond the edge', async () => {
    const SMALL = `[...document.querySelectorAll('a[href], button, select, textarea, input, audio')]
      .filter((element) => element.checkVisibility() && !element.classList.contains('skip'))
      .map((element) => [element, element.getBoundingClientRect()])
      .filter(([, { width, height }]) => width < 44 || height < 44)
      .map(([element, { width, height }]) => (element.id || element.outerHTML.slice(0, 90)) + ' ' + width + '×' + height)`;
    for (const view of VIEWS) {
      await enter(view);
      expect([view, await page.evaluate(SMALL)]).toEqual([view, []]);
      const overhang = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect([view, await page.evaluate(overhang)]).toEqual([view, 0]);
    }
    await enter('speak');
    await page.check('input[value=dialogue]');
    expect(await page.evaluate(SMALL)).toEqual([]);
    await page.check('input[value=live]');
    expect(await page.evaluate(SMALL)).toEqual([]);
  });
});

describe('axe', () => {
  it('finds nothing, in any view, light and dark, wide and narrow, with less motion or not', async () => {
    await page.evaluate(require('axe-core').source);
    const found: Record<string, readonly string[]> = {};
    const find = async (what: string) => {
      const { violations } = (await page.evaluate(
        `axe.run().then(({ violations }) => ({ violations: violations
          .map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target).join(', ')) }))`,
      )) as { violations: string[] };
      if (violations.length > 0) found[what] = violations;
    };
    await page.fill('#text', 'Hello there.');
    await page.click('#say');
    await until(page, `document.getElementById('state').textContent === 'Heard to the end'`);
    // Every pair of a scheme, a size and a motion; a look takes seconds.
    for (const [colorScheme, size, reducedMotion] of [
      ['light', DESKTOP, 'no-preference'],
      ['light', PHONE, 'reduce'],
      ['dark', DESKTOP, 'reduce'],
      ['dark', PHONE, 'no-preference'],
    ] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion });
      await page.setViewportSize(size);
      for (const view of VIEWS) {
        await enter(view);
        // Colours on their way are no colours to judge.
        await until(page, 'document.getAnimations().length === 0');
        await find(`${view} ${colorScheme} ${size.width} ${reducedMotion}`);
      }
      if (reducedMotion === 'reduce')
        expect(
          await page.evaluate(
            `document.getAnimations().length + [...document.querySelectorAll('button, a')]
              .filter((element) => getComputedStyle(element).transitionDuration !== '0s').length`,
          ),
        ).toBe(0);
      await page.click('#sessions button');
      await until(page, `document.getElementById('confirm').open`);
      await find(`question ${colorScheme} ${size.width}`);
      await page.keyboard.press('Escape');
    }
    expect(found).toEqual({});
  });
});
