import { defineConfig } from 'vitest/config';
import { builtPrograms } from './test/support/built-programs.ts';

/**
 * Folders whose tests put nothing in a module's place (`vi.mock`) and leave nothing behind in one: their files share one load
 * of the program in each worker.
 */
const SHARED = [
  'access',
  'audio',
  'captions',
  'gateway',
  'http',
  'legs',
  'limits',
  'pipeline',
  'playground',
  'playout',
  'reading',
  'script',
  'service',
  'session',
  'settings',
  'speech',
  'text',
  'upstream',
];
const shared = SHARED.map((folder) => `test/${folder}/**/*.test.ts`);

export default defineConfig({
  plugins: [builtPrograms()],
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // What a test waits for comes when the machine has time for it; the usual second is a bound on its speed.
    expect: { poll: { timeout: 50_000, interval: 20 } },
    setupFiles: ['./test/support/property-seed.ts'],
    // So that worker threads can run the sources, too, where no build of them is new enough.
    execArgv: ['--import', './test/support/typescript-workers.mjs'],
    projects: [
      { extends: true, test: { name: 'shared', include: shared, isolate: false } },
      {
        extends: true,
        test: {
          name: 'alone',
          include: ['test/**/*.test.ts'],
          exclude: shared,
          // Real servers, browsers and clocks: on a machine that is very busy each of them stands still now and then, and is
          // late once; what is wrong is wrong each time. Tests that were run again are told as such.
          retry: 2,
        },
      },
    ],
  },
});
