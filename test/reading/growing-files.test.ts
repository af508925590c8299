// Patterns that took a reading thread from a minute to hours: each is read or refused for what it is, never for the time that
// it took. How the time grows is measured by scripts/reading-growth.mjs, not here.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { AppError } from '../../src/base/app-error.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createWorkerSourceReader } from '../../src/reading/worker-source-reader.ts';
import { GROWING } from './growing-files.ts';

const ENDLESS = [
  'sniff: comments before HTML',
  'sniff: XML declarations before HTML',
  'decode: marks in descending order',
  'text: signs before a letter',
  'text: headings in steps',
  'clean: schemes without an address',
  'clean: stops after an address',
  'clean: brackets after an address',
  'clean: addresses in one sentence',
  'html: clutter',
  'html: elements around a text',
  'html: attributes with names of their own',
  'markdown: an address of stops',
  'markdown: rules',
  'pdf: keywords of streams',
  'pdf: LZW of clear codes',
];

const folder = mkdtempSync(join(tmpdir(), 'voxgate-growing-'));
// Long enough for a busy machine, and far too short for any of them as it was.
const reader = createWorkerSourceReader({ clock: systemClock, log: silentLog, deadlineMs: 50_000 });
afterAll(async () => {
  await reader.close();
  rmSync(folder, { recursive: true });
});

describe('files that grow', () => {
  it.each(ENDLESS)(
    '%s',
    async (what) => {
      const { make, maxBytes, name } = GROWING[what]!;
      const path = join(folder, what.replaceAll(/[^\w]/g, '-'));
      writeFileSync(path, make(maxBytes));
      const outcome = await reader
        .read({ path, name, contentType: undefined }, what, new AbortController().signal)
        .catch((error: AppError) => error);
      if ('blocks' in outcome) return;
      expect(outcome).toMatchObject({ code: 'invalid_source' });
      expect(outcome.message).not.toMatch(/too long to|within \d+ seconds|damaged or not made/);
    },
    60_000,
  );
});
