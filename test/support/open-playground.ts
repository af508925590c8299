// The playground in Chromium, as people have it: the page built from the sources, a whole gateway with the embedded engine
// that serves it, and a browser that plays into no device. What the page does is looked on at by page-tap.mjs.

import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPlayground } from '../../scripts/build-playground.mjs';
import type { Gateway } from '../../src/app/gateway.ts';
import { startGateway } from '../../src/app/start.ts';
import { silentLog } from '../../src/base/log.ts';
import { LAUNCH } from './chromium.ts';
import { accepted } from './settings.ts';

type Media = { readonly colorScheme?: 'light' | 'dark'; readonly reducedMotion?: 'reduce' | 'no-preference' };
type Reported = { type(): string; text(): string; url(): string };
/** The little of Playwright that is used here; its own types want those of a whole browser. */
export type BrowserPage = {
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  goto(url: string): Promise<unknown>;
  evaluate(expression: string): Promise<unknown>;
  route(
    pattern: string,
    handle: (route: {
      request(): { url(): string };
      fulfill(reply: { contentType: string; body: string }): Promise<void>;
    }) => Promise<void>,
  ): Promise<void>;
  addInitScript(script: { content: string }): Promise<void>;
  click(selector: string): Promise<void>;
  tap(selector: string): Promise<void>;
  fill(selector: string, text: string): Promise<void>;
  check(selector: string): Promise<void>;
  selectOption(selector: string, value: string): Promise<unknown>;
  setInputFiles(selector: string, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void>;
  setViewportSize(size: { width: number; height: number }): Promise<void>;
  emulateMedia(media: Media): Promise<void>;
  screenshot(options: { path: string; fullPage?: boolean }): Promise<unknown>;
  on(event: 'request' | 'console' | 'websocket', listener: (reported: Reported) => void): void;
  on(event: 'pageerror', listener: (error: Error) => void): void;
  close(): Promise<void>;
};
type BrowserContext = { newPage(): Promise<BrowserPage>; close(): Promise<void> };
type Playwright = {
  readonly chromium: {
    launch(options: { executablePath: string; args: readonly string[] }): Promise<{
      newContext(options: object): Promise<BrowserContext>;
      close(): Promise<void>;
    }>;
  };
};
const require = createRequire(import.meta.url);
const { chromium } = require('playwright-core') as Playwright;

const support = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');

const MOST_WAIT_MS = 50_000;
const POLL_MS = 15;

/** Asks until `expression` is true in the page. Playwright's own way evaluates in the page, which its policy forbids. */
export async function until(page: BrowserPage, expression: string): Promise<void> {
  const endMs = performance.now() + MOST_WAIT_MS;
  while ((await page.evaluate(`Boolean(${expression})`)) !== true) {
    if (performance.now() > endMs) throw new Error(`still waiting for ${expression}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

export type OpenPlayground = {
  readonly url: string;
  readonly gateway: Gateway;
  /** A page of its own, with the tap; `faults` gathers what it should not have done. */
  page(options?: {
    scale?: number;
    hasTouch?: boolean;
  }): Promise<{ page: BrowserPage; faults: readonly string[] }>;
  close(): Promise<void>;
};

export async function openPlayground(env: Readonly<Record<string, string>> = {}): Promise<OpenPlayground> {
  const folder = mkdtempSync(join(tmpdir(), 'voxgate-playground-'));
  await buildPlayground(join(folder, 'page'));
  // Worklets are loaded past everything that Playwright could put in between.
  copyFileSync(new URL('./tap-worklet.mjs', import.meta.url), join(folder, 'page/assets/tap-worklet.js'));
  const { config } = accepted({
    env: {
      VOXGATE_PORT: '0',
      VOXGATE_DATA_DIR: join(folder, 'data'),
      VOXGATE_FFMPEG: 'off',
      VOXGATE_BUSY_AT: '0',
      ...env,
    },
  });
  const gateway = await startGateway({
    config,
    log: silentLog,
    version: '0.0.0-test',
    playgroundFolder: join(folder, 'page'),
  });
  const browser = await chromium.launch(LAUNCH);
  const origin = new URL(gateway.url);
  return {
    url: gateway.playgroundUrl!,
    gateway,
    async page({ scale = 1, hasTouch = false } = {}) {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 860 },
        deviceScaleFactor: scale,
        hasTouch,
      });
      const page = await context.newPage();
      const faults: string[] = [];
      const mustBeOurs = (url: string) => {
        if (new URL(url).host !== origin.host) faults.push(`a request to ${url}`);
      };
      page.on('request', (request) => mustBeOurs(request.url()));
      page.on('websocket', (socket) => mustBeOurs(socket.url()));
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
      });
      page.on('pageerror', ({ message }) => faults.push(message));
      await page.addInitScript({ content: support('./page-tap.mjs') });
      await page.addInitScript({
        content: `globalThis.violations = [];
          document.addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective));`,
      });
      return { page, faults };
    },
    async close() {
      await browser.close();
      await gateway.stop(0);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
