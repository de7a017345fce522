import SWAHILI from '../../console/src/locales/proposals.sw.json' with { type: 'json' };
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listAudit } from '../../src/parties/people/read-audit.ts';
import { HAS_BROWSER } from '../support/browser.ts';
import { startConsole } from '../support/console-fixture.ts';
import type { ConsoleFixture } from '../support/console-fixture.ts';
import { csvOf, rightLine } from '../support/credit-files.ts';

// Two risk officers import a lender's file and merge two people of it; one looks at the scorecard that
// answers.

let fixture: ConsoleFixture;

beforeAll(async () => {
  fixture = await startConsole();
});
afterAll(async () => {
  await fixture.stop();
});

const first = rightLine(1);
const FILE = csvOf([
  first,
  rightLine(2, { Gender: 'X' }),
  rightLine(3, { Surname: 'B4' }),
  // The same document, and other names.
  { ...first, AccountNumber: 'OTHER', Surname: 'Otieno', Forename1: 'Juma', Forename2: '' },
]);

/** Shows the page in another language. */
async function speak(page: Page, language: string): Promise<void> {
  await page.evaluate(`localStorage.setItem('malipo.language', '${language}')`);
  await page.reload();
}

async function give(page: Page, content: string): Promise<void> {
  await page.getByLabel('File', { exact: true }).setInputFiles({
    name: 'from-the-lender.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(content),
  });
  await page.getByRole('button', { name: 'Import', exact: true }).click();
}

test.skipIf(!HAS_BROWSER)(
  'a file with faults is tried and imported; a merge needs a second person; a card shows its test',
  async () => {
    const { pool } = fixture.running.service;
    const page = await fixture.open('risk', '/credit/imports');
    await page.getByText('No file has been imported yet.').waitFor();
    await page.getByRole('link', { name: 'Import a file' }).click();
    await page.getByLabel('Lender', { exact: true }).fill('EXAMPLE_BANK');
    await page.getByLabel('As of').fill('2026-10-31');
    await page.getByLabel('File', { exact: true }).setInputFiles({
      name: 'october.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(FILE),
    });
    await page.getByRole('button', { name: 'See what would change' }).click();
    await page.getByRole('cell', { name: 'Gender', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Propose to import the accepted records' }).click();
    await page.getByLabel('Evidence').fill('E-mail of 3 November');
    await page.getByLabel('Reason').fill('monthly file');
    await page.getByRole('button', { name: 'Propose', exact: true }).click();
    await page.getByText('another person has to approve it').first().waitFor();
    expect(await page.getByRole('button', { name: 'Approve and import' }).count()).toBe(0);

    // The second person has the file, too.
    const other = await fixture.open('risk2', '/approvals');
    await speak(other, 'sw');
    await other.getByRole('cell', { name: SWAHILI['Import a lender’s file'] }).waitFor();
    await speak(other, 'en');
    await other.getByRole('link', { name: 'Look at it' }).click();
    await other.getByRole('heading', { name: 'Import a lender’s file' }).waitFor();
    await other.getByRole('button', { name: 'Approve and import' }).click();
    await give(other, `${FILE}\n`);
    await other.getByText('This is not the file that was proposed.').waitFor();
    await give(other, FILE);
    await other.getByRole('heading', { name: 'october.csv' }).waitFor();
    await other.getByRole('cell', { name: 'Surname', exact: true }).waitFor();
    await other.getByRole('link', { name: 'Findings as CSV' }).waitFor();

    await page.getByRole('link', { name: 'People and disputes' }).first().click();
    await page.getByRole('link', { name: 'Several people have one document' }).click();
    await page.getByRole('cell', { name: 'Juma Otieno' }).waitFor();
    const marked = page.getByRole('navigation').locator('[aria-current=page]');
    expect(await marked.allTextContents()).toEqual(['People and disputes']);
    await page.getByRole('button', { name: 'Propose a merge' }).click();
    await page.getByLabel('Evidence').fill('Copy of the ID, branch file 17');
    await page.getByLabel('Reason').fill('A slip of the lender');
    await page.getByRole('button', { name: 'Propose', exact: true }).click();
    await page.getByRole('heading', { name: 'Before and after' }).waitFor();
    await page.getByText('another person has to approve it').first().waitFor();

    await other
      .getByRole('link', { name: /^Approvals/ })
      .first()
      .click();
    await other.getByRole('link', { name: 'Look at it' }).click();
    await other.getByRole('columnheader', { name: 'As one person' }).waitFor();
    await other.getByRole('button', { name: 'Decide' }).click();
    await other.getByRole('button', { name: 'Approve' }).click();
    await other.getByText('Approved', { exact: true }).first().waitFor();
    await other.context().close();

    await page.getByRole('link', { name: 'Scorecards' }).click();
    await page.getByRole('link', { name: 'malipo-generic@3' }).click();
    await page.getByRole('img', { name: /ROC curve/ }).waitFor();
    await page.getByRole('img', { name: /People by score/ }).waitFor();

    const approvals = await listAudit(pool, { action: 'proposal.approve', limit: 5 });
    expect(approvals).toMatchObject([{ login: 'risk2', result: 'done' }]);
    // The other file was refused.
    expect(fixture.problems).toEqual([expect.stringContaining('400')]);
  },
  180_000,
);
