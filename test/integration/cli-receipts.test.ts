import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { importByTwo, inProcess, must, newMasterKey, shownIn } from './cli-support.ts';

// Incoming money on the command line, as the guide for accountants describes it.

const GUIDES = path.resolve(import.meta.dirname, '../../docs/guide');
const page = readFileSync(path.join(GUIDES, 'bank-statements.md'), 'utf8');

let database: TestDatabase;
let environment: Record<string, string>;
beforeAll(async () => {
  database = await createTestDatabase();
  environment = { DATABASE_URL: database.url, MASTER_KEY: newMasterKey() };
  await must(environment, 'vendor', 'add', 'acme', '--name', 'Acme', '--sector', 'retail');
});
afterAll(async () => await database.drop());

/** The words of each command of the page, with the files of the CSV sample. */
function commandsOfPage(): string[][] {
  const blocks = [...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].map(([, text = '']) => text);
  return blocks
    .flatMap((block) => block.replaceAll('\\\n', ' ').trim().split('\n'))
    .map((line) =>
      [...line.matchAll(/'([^']*)'|(\S+)/g)]
        .map(([, quoted, plain]) => quoted ?? plain ?? '')
        .map((word) => word.replace(/^bank\.json$/, sample('bank-csv.json')))
        .map((word) => word.replace(/^statement\.csv$/, sample('bank-statement.csv'))),
    );
}

function sample(name: string): string {
  return path.join(GUIDES, 'samples', name);
}

test('the commands of the guide import the sample, with the preview that it shows', async () => {
  const commands = commandsOfPage();
  expect(commands).toHaveLength(4);
  for (const [npm, run, silent, name, dashes, ...words] of commands) {
    expect([npm, run, silent, name, dashes]).toEqual(['npm', 'run', '-s', 'malipo', '--']);
    if (words[1] !== 'import') await must(environment, ...words);
  }
  const words = (commands.at(-1) ?? []).slice(5, -2);
  const tried = await must(environment, ...words, '--dry-run', '--by', 'Asha', '--json');
  const { lines } = tried.json<{
    lines: { line: number; outcome: string; vid: string | null }[];
  }>();
  expect(lines.map(({ outcome, vid }) => [outcome, vid])).toEqual([
    ['credited', 'acme'],
    ['credited', 'acme'],
    ['debit', null],
    ['waiting', null],
    ['credit_returned', null],
  ]);
  const waiting = await must(environment, 'proposal', 'list', '--json');
  expect(waiting.json()).toMatchObject({ proposals: [] });
  const said = await must(environment, ...words, '--by', 'Asha');
  expect(said.stdout).toContain('Nothing was changed yet: another person approves it');
  const { proposals } = (await must(environment, 'proposal', 'list', '--json')).json<{
    proposals: { proposal: string; shown: object }[];
  }>();
  const [{ proposal, shown } = { proposal: '', shown: {} }] = proposals;
  const rows = [...page.matchAll(/^\| (.+?) +\| (\d+) +\| ([\d,.]+) +\|$/gm)];
  expect(shown).toEqual(
    rows.map(([, label, count, amount]) => ({
      ...{ label, text: `${count} lines`, amount: amount?.replace(',', '') },
    })),
  );
  const own = await inProcess(
    environment,
    'proposal',
    'approve',
    proposal,
    '--by',
    'asha',
    '--seen',
    'x',
  );
  expect(own.stderr).toContain('another person');
  await must(environment, 'proposal', 'reject', proposal, '--by', 'Baraka', '--note', 'again');
  const imported = await importByTwo(environment, words);
  expect(shownIn(imported, 'Credited to acme')).toBe('2 lines');
  // The command that reports income knows what a source has reported, as the operation does.
  const collect = [
    'income',
    'collect',
    '--collector',
    'bank-in',
    '--vid',
    'acme',
    '--amount',
    '500',
  ];
  const again = await inProcess(environment, ...collect, '--reference', 'ua51000001');
  expect(again.stderr).toContain('A receipt with this number and amount is known');
});

test('the settings that the page shows are those of the samples', () => {
  const shown = [...page.matchAll(/^ *```json\n([\s\S]*?)^ *```/gm)].map(
    ([, text = '']) => JSON.parse(text) as unknown,
  );
  const files = ['bank-camt053.json', 'bank-csv.json'].map(
    (name) => JSON.parse(readFileSync(sample(name), 'utf8')) as unknown,
  );
  expect(shown).toEqual(files);
});

test('the real program imports camt.053, and refuses a file that was cut off', async () => {
  const source = ['--kind', 'statement', '--collector', 'bank-in'];
  const settings = ['--settings-file', sample('bank-camt053.json')];
  await must(environment, 'receipts', 'source', 'set', 'camt', '--name', 'X', source, settings);
  const file = sample('bank-statement.xml');
  const imported = await importByTwo(environment, 'receipts', 'import', 'camt', file);
  // The CSV file of another source has the same numbers, of M-PESA and of the bank, and the same return.
  const labels = ['Credited to acme', 'Known already', 'Waits for people', 'Not booked'];
  expect(labels.map((label) => shownIn(imported, label))).toEqual([
    ...[undefined, '3 lines', '1 lines', '1 lines'],
  ]);
  const words = ['receipts', 'import', 'camt', sample('bank-csv.json'), '--by', 'Asha'];
  const wrong = await inProcess(environment, ...words);
  expect(wrong).toMatchObject({ exitCode: 1, stdout: '' });
  expect(wrong.stderr).toContain('line 1: the XML is not valid');
});

describe('a receipt that no vendor has', () => {
  const name = ['FT26006002', '--issuer', 'bank'];
  const run = async (...words: string[]) => await inProcess(environment, 'receipts', ...words);

  test('a receipt that no vendor has is listed, proposed, and approved by another person', async () => {
    expect((await run('list')).stdout).toContain('FT26006002');
    const by = ['--by', 'Asha', '--note', 'the depositor called'];
    expect((await run('propose', ...name, ...by)).stderr).toContain('one of --vid, --close');
    const proposed = await must(
      environment,
      'receipts',
      'propose',
      name,
      '--vid',
      'acme',
      by,
      '--json',
    );
    const { proposal } = proposed.json<{ proposal: string }>();
    const shown = await must(environment, 'proposal', 'show', proposal, '--json');
    const { seen } = shown.json<{ seen: string }>();
    const approve = async (code: string, who: string) =>
      await inProcess(environment, 'proposal', 'approve', proposal, '--seen', code, '--by', who);
    expect((await approve('another', 'Baraka')).stderr).toContain('has changed');
    expect((await approve(seen, 'asha')).stderr).toContain('another person');
    expect(await approve(seen, 'Baraka')).toMatchObject({ exitCode: 0 });
    const { stdout } = await must(environment, 'receipts', 'show', name);
    for (const word of ['credited', 'approved by Baraka', 'proposed by Asha']) {
      expect(stdout).toContain(word);
    }
  });

  test('receipt numbers of two issuers need --issuer', async () => {
    const ambiguous = await run('show', 'FT26006002');
    expect(ambiguous).toMatchObject({ exitCode: 1 });
    expect(ambiguous.stderr).toContain('bank, camt');
  });
});

test('the ledger is consistent afterwards', async () => {
  expect((await must(environment, 'ledger', 'check')).exitCode).toBe(0);
});
