import { defineConfig } from 'vitest/config';

/** The tests that need no database and test the mutated modules: each mutant runs them. */
export default defineConfig({
  test: {
    include: [
      'test/unit/platform/base/{money,canonical,sealing,ids,clock}.test.ts',
      'test/unit/platform/http/rate-limits.test.ts',
      'test/unit/parties/{signature,header-signature}.test.ts',
      'test/unit/payments/dispatch/next-step.test.ts',
      'test/unit/payments/create/create-rules.test.ts',
      'test/property/signature.test.ts',
    ],
  },
});
