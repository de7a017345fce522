import { defineConfig } from 'vitest/config';
import { NOT_ON_CITUS, ON_CITUS } from './test/citus-exceptions.ts';

/** Tests that need no database; running only these starts none. */
const PURE = ['test/architecture.test.ts', 'test/unit/**/*.test.ts', 'test/property/**/*.test.ts'];

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    projects: [
      { extends: true, test: { name: 'pure', include: PURE } },
      {
        extends: true,
        test: {
          name: 'database',
          include: ['test/**/*.test.ts'],
          exclude: [...PURE, ...(ON_CITUS ? Object.keys(NOT_ON_CITUS) : [])],
          // There is one database.
          fileParallelism: !ON_CITUS,
          // Runs only when at least one of these test files does.
          globalSetup: 'test/global-setup.ts',
        },
      },
    ],
  },
});
