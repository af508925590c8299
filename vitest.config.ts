import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    setupFiles: ['./test/support/property-seed.ts'],
    // So that worker threads can run the sources, too.
    execArgv: ['--import', './test/support/typescript-workers.mjs'],
  },
});
