import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HAS_BROWSER } from '../support/browser.ts';
import { startConsole } from '../support/console-fixture.ts';
import type { ConsoleFixture } from '../support/console-fixture.ts';

// Forms and dialogs while something else changes: the file, the biller, the choice, what others do.

describe.skipIf(!HAS_BROWSER)('a form in a browser', () => {
  let fixture: ConsoleFixture;

  beforeAll(async () => {
    fixture = await startConsole();
  });
  afterAll(async () => {
    await fixture.stop();
  });
  beforeEach(() => {
    fixture.problems.length = 0;
  });

  test('of a file: a changed file that is chosen again is checked again', async () => {
    const page = await fixture.open('demo-cashier', '/bulk');
    const file = path.join(fixture.folder, 'rent.csv');
    const choose = async (amount: string): Promise<void> => {
      await writeFile(file, `biller_name,account,amount\nkplc_prepaid,14234567890,${amount}\n`);
      const chooser = page.waitForEvent('filechooser');
      await page.getByLabel('File', { exact: true }).click();
      await (await chooser).setFiles(file);
    };
    await choose('500');
    await page.getByText('KES 500.00').waitFor();
    await choose('700');
    await page.getByText('KES 700.00').waitFor();
    expect(fixture.problems).toEqual([]);
  });
});
