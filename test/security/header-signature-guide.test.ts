import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { useService } from '../support/use-service.ts';
import { PATHS_OF_SAMPLES, SAMPLE_LANGUAGES, commandOf, sampleFile } from '../support/samples.ts';

const run = promisify(execFile);

const running = useService();
beforeAll(async () => {
  await running.demo().fund();
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
