// Every hostile file is refused with words for a person, those just within the bounds are refused or read; none harms
// this process. What it costs is measured by scripts/hostile-uploads.mjs, not here.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { AppError } from '../../src/base/app-error.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createWorkerSourceReader } from '../../src/reading/worker-source-reader.ts';
import { trialSize } from '../support/trial-size.ts';
import { HOSTILE } from './hostile-files.ts';
import { NEAR_BOUND, NEAR_BOUND_READ } from './near-bound-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'voxgate-hostile-'));
const reader = createWorkerSourceReader({ clock: systemClock, log: silentLog });
afterAll(async () => {
  await reader.close();
  rmSync(folder, { recursive: true });
});

const nameOf = (what: string): string =>
  what.startsWith('Markdown') ? 'a.md' : what.startsWith('a table') ? 'a.csv' : 'upload.bin';

const ALL = Object.entries({ ...HOSTILE, ...NEAR_BOUND });
/** Every fourth one, unless all are asked for. */
const FILES = ALL.filter((_file, index) => index % trialSize(1, 4) === 0);

describe('hostile files', () => {
  it.concurrent.each(FILES)(
    '%s',
    async (what, make) => {
      const path = join(folder, what.replaceAll(/[^\w]/g, '-'));
      writeFileSync(path, make());
      const outcome = await reader
        .read({ path, name: nameOf(what), contentType: undefined }, what, new AbortController().signal)
        .catch((error: AppError) => error);
      if (NEAR_BOUND_READ.has(what)) return expect(outcome).toHaveProperty('blocks');
      expect(outcome).toMatchObject({ code: 'invalid_source', http: 422 });
      expect((outcome as AppError).message).toMatch(/^[A-Z].{15,}\.$/);
    },
    60_000,
  );
});
