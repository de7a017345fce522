import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { PATHS_OF_SAMPLES, SAMPLE_LANGUAGES, commandOf, sampleFile } from '../support/samples.ts';

const run = promisify(execFile);

let database: TestDatabase;
let running: InProcessService;
beforeAll(async () => {
  database = await createTestDatabase();
  running = await startInProcess(database.url);
  await running.demo().fund();
});
afterAll(async () => {
  await running.stop();
  await database.drop();
});

describe.each(SAMPLE_LANGUAGES)('the sample for $title', (language) => {
  test.skipIf(!language.runs)(
    'pays, and gets its first answer again',
    async () => {
      const file = await sampleFile('header', language);
      const pay = async (): Promise<string> => {
        const { stdout } = await run('bash', ['-c', await commandOf(file)], {
          cwd: path.dirname(file),
          env: { ...PATHS_OF_SAMPLES, MALIPO_URL: running.origin },
        });
        return stdout.trim();
      };
      const first = await pay();
      expect(first).toContain('"ipay_reference"');
      expect(await pay()).toBe(first);
    },
    120_000,
  );
});
