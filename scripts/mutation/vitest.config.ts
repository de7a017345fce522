import { defineConfig } from 'vitest/config';

/** The tests that need no database and test the mutated modules: each mutant runs them. */
export default defineConfig({
  test: {
    include: [
      'test/unit/{money,canonical,canonical-signature,header-signature,sealing,ids}.test.ts',
      'test/unit/{dispatch-decide,create-plan,rate-limits,clock}.test.ts',
      'test/property/{signature,ids}.test.ts',
    ],
  },
});
