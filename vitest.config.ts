import { defineConfig } from 'vitest/config';
import type { TestProjectInlineConfiguration } from 'vitest/config';
import { NODE_OPTIONS } from './scripts/node-options.ts';
import { CITUS_URLS, NOT_ON_CITUS } from './test/citus-exceptions.ts';
import { SlowFirst } from './test/sequencer.ts';

/** Tests that need no database; running only these starts none. */
const PURE = [
  'test/architecture.test.ts',
  'test/unit/**/*.test.ts',
  'test/property/**/*.test.ts',
  'test/witnesses/**/*.test.ts',
  'test/clients/{vectors,contract,retries}.test.ts',
];

/** Replace modules of the platform, which stay replaced for the files that follow in the same worker. */
const WITH_MOCKS = [
  'test/unit/parties/signature.test.ts',
  'test/unit/connectors/bearer-token.test.ts',
];

const ON_CITUS = CITUS_URLS.length > 0;

/** Of every project. They do not extend the configuration below: it would hide what the command line says. */
const COMMON: TestProjectInlineConfiguration['test'] = {
  pool: 'forks',
  // The source is loaded once per worker, not once per file. A test must not leave changed globals behind.
  isolate: false,
  // As the programs are run: Node loads the source, from its cache of compiled code. `vi.mock` has no effect.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  execArgv: [...NODE_OPTIONS],
  setupFiles: 'test/seed.ts',
  // They only end what hangs: many tests start whole programs, on machines of every speed.
  testTimeout: 120_000,
  hookTimeout: 300_000,
};

export default defineConfig({
  test: {
    sequence: { sequencer: SlowFirst },
    // One more than the two cores that are assumed: tests wait for timers of the service, too.
    maxWorkers: ON_CITUS ? CITUS_URLS.length : 3,
    teardownTimeout: 30_000,
    projects: [
      { test: { ...COMMON, name: 'pure', include: PURE, exclude: WITH_MOCKS } },
      {
        test: {
          ...{ ...COMMON, name: 'mocked', include: WITH_MOCKS, isolate: true },
          experimental: { viteModuleRunner: true },
        },
      },
      {
        test: {
          ...COMMON,
          name: 'database',
          include: ['test/**/*.test.ts'],
          exclude: [...PURE, ...(ON_CITUS ? Object.keys(NOT_ON_CITUS) : [])],
          // Runs only when at least one of these test files does.
          globalSetup: 'test/global-setup.ts',
        },
      },
    ],
  },
});
