import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CaseList } from '../../src/staff/cases.ts';
import type { ProposalView } from '../../src/staff/proposal-schema.ts';
import type { ProposalList } from '../../src/staff/proposals.ts';
import { createWireTime, periodOfDay } from '../../src/platform/base/clock.ts';
import { DAY_MS } from '../../src/platform/base/days.ts';
import { decodeReference } from '../../src/parties/reference.ts';
import { HAS_BROWSER } from '../support/browser.ts';
import { signedIn } from '../support/console-client.ts';
import { startConsole } from '../support/console-fixture.ts';
import type { ConsoleFixture } from '../support/console-fixture.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { statementText } from '../support/reconciliation-fixture.ts';
import type { Line } from '../support/reconciliation-fixture.ts';
import { until } from '../support/until.ts';
import { approveCase } from '../support/approve-proposal.ts';

// A person reconciles a day in a browser: a statement with five planted differences.

let fixture: ConsoleFixture;
let running: InProcessService;
let file = '';
let yesterday = '';

beforeAll(async () => {
  fixture = await startConsole();
  ({ running } = fixture);
  const wireTime = createWireTime(fixture.timeZone);
  yesterday = wireTime.format(new Date(Date.now() - DAY_MS)).slice(0, 10);
  const period = periodOfDay(yesterday, wireTime) ?? { from: new Date(0), to: new Date(0) };
  const noon = new Date(period.from.getTime() + DAY_MS / 2);
  file = path.join(fixture.folder, 'statement.csv');
  await writeFile(file, statementText(await plantedLines(noon), period));
});
afterAll(async () => {
  await fixture.stop();
});

async function pay(account: string): Promise<NonNullable<Line['of']>> {
  const vendor = running.demo();
  const reference = await vendor.accepted({
    biller_name: 'kplc_prepaid',
    amount: '100.00',
    account,
    merchant_reference: account,
  });
  await until('a final result arrives', async () => {
    const { transaction_status: status } = await vendor.payment(reference);
    return status === 'SUCCESS' || status === 'FAILED';
  });
  const key = decodeReference(reference);
  if (key === undefined) throw new Error(`no reference: ${reference}`);
  return { ...key, amountCents: 10_000n, account };
}

async function plantedLines(at: Date): Promise<Line[]> {
  const agreed = await pay('14200019901');
  const other = await pay('14200029901');
  const twice = await pay('14200039901');
  const declined = await pay('14200049902');
  const lines: Line[] = [
    { of: agreed },
    { of: other, amountCents: 15_000n },
    { of: twice },
    { of: twice },
    { of: declined },
    { operatorReference: 'UNKNOWN-1', amountCents: 7_000n },
    { operatorReference: 'UNKNOWN-2', amountCents: 8_000n },
  ];
  return lines.map((line) => ({ ...line, at }));
}

/** One person proposes that our books are right, another one approves. */
async function decideAll(): Promise<number> {
  const [finance, operations] = [
    await signedIn(running.origin, 'finance'),
    await signedIn(running.origin, 'operations'),
  ];
  const { cases } = await finance.read<CaseList>('/cases');
  for (const { case: caseId } of cases) {
    const proposed = { resolution: 'keep_books', reason: 'the operator corrects its list' };
    await finance.send('POST', `/cases/${caseId}/propose`, proposed);
    expect((await approveCase(operations, caseId)).status).toBe(200);
  }
  return cases.length;
}

/** Another person than the one who has uploaded it. */
async function approveStatement(): Promise<void> {
  const admin = await signedIn(running.origin, 'admin');
  const { proposals } = await admin.read<ProposalList>('/proposals');
  const id = proposals[0]?.proposal ?? '';
  const { seen } = await admin.read<ProposalView>(`/proposals/${id}`);
  const approval = { seen };
  expect((await admin.send('POST', `/proposals/${id}/approve`, approval)).status).toBe(200);
}

test.skipIf(!HAS_BROWSER)(
  'a statement with five planted differences is reconciled, and the day closed',
  async () => {
    const page = await fixture.open('finance', `/reconciliation?day=${yesterday}`);
    await page.getByText('No statement yet').waitFor();
    await page.getByRole('button', { name: 'Import a statement' }).click();
    await page.getByLabel('Operator').selectOption('kplc');
    const broken = path.join(fixture.folder, 'broken.csv');
    await writeFile(broken, 'type,when\r\n');
    await page.getByLabel('File').setInputFiles(broken);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Nothing was imported. Problems: 1.').waitFor();

    await page.getByLabel('File').setInputFiles(file);
    await page.getByRole('button', { name: 'Preview' }).click();
    const preview = page.getByRole('region', { name: 'Preview' }).last();
    await preview.getByText('a case is opened: our books do not have it').first().waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await preview.getByText('a case is opened: the amounts differ').waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByLabel('File').setInputFiles(broken);
    await preview.waitFor({ state: 'detached' });

    const upload = async (): Promise<void> => {
      await page.getByLabel('Operator', { exact: true }).selectOption('kplc');
      await page.getByLabel('File').setInputFiles(file);
      await page.getByRole('button', { name: 'Import', exact: true }).click();
    };
    await upload();
    await page.getByText('The statement waits for another person.').waitFor();
    await page.getByText('Statement of an operator').first().waitFor();
    await approveStatement();
    await page.goto(`${running.origin}/console/reconciliation?day=${yesterday}`);
    await page.getByRole('button', { name: 'Import a statement' }).click();
    await upload();
    await page.getByText('It was imported before.').waitFor();
    await page.getByRole('heading', { name: 'Statement of kplc' }).waitFor();
    await page.getByText('5 to decide').waitFor();
    const rows = await page.locator('tbody tr').allInnerTexts();
    expect(rows).toHaveLength(5);
    expect(rows.find((row) => row.includes('Another amount'))).toMatch(/100\.00[^]*150\.00/);

    await page.getByRole('link', { name: 'Reconciliation' }).first().click();
    await page.getByText('1 agree').or(page.getByText('2 agree')).first().waitFor();
    await page.getByRole('button', { name: 'Close the day' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('too early');
    await dialog.getByRole('button', { name: 'Close the day' }).click();
    await dialog.getByText('cannot be closed: open cases').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    expect(await decideAll()).toBe(5);
    await page.reload();
    await page.getByText('No open case').waitFor();
    await page.getByRole('button', { name: 'Close the day' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('all decided');
    await page.getByRole('dialog').getByRole('button', { name: 'Close the day' }).click();
    await page.getByText('Its totals are final.').waitFor();
    expect(fixture.problems.filter((text) => !text.includes('400'))).toEqual([]);
  },
);
