import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRandom } from '../../sandbox/population/random.ts';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { importFile } from '../../src/credit/importing/import.ts';
import type { ImportResult } from '../../src/credit/importing/import.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { SEED } from '../seed.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { newVault } from '../support/credit-files.ts';
import { AS_OF, MAX_NUMBERS, randomFile } from '../support/registry-files.ts';
import type { RegistryFile } from '../support/registry-files.ts';

// Some of the files of test/property/credit-registry-files.test.ts, through the whole import: in
// batches of a few lines, for lenders that have accounts on file, and some of them twice.

const FILES = 150;
const LENDERS = 10;
/** One in this many files is imported again. */
const AGAIN_EVERY = 10;

const vault = newVault();
let database: TestDatabase;
let pool: Pool;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, max: 4, name: 'test' });
  folder = await mkdtemp(path.join(tmpdir(), 'credit-registry-files-'));
});

afterAll(async () => {
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

async function take(index: number, { text, template }: RegistryFile): Promise<ImportResult> {
  const file = path.join(folder, 'loans.csv');
  await writeFile(file, text);
  return await importFile({
    pool,
    vault,
    clock: { now: () => new Date('2026-11-05T09:00:00Z') },
    wireTime: createWireTime('Africa/Nairobi'),
    file,
    template,
    lender: `L${index % LENDERS}`,
    sector: 'bank',
    asOf: AS_OF,
    corrects: false,
    by: 'Asha',
    batchRecords: (index % 5) + 1,
  });
}

function reported({ findings }: ImportResult): string[] {
  return findings.map(({ line, field, rule }) => `${line} ${field} ${rule}`).toSorted();
}

test('random files: each planted error is a finding on its line, and each valid line is on file', async () => {
  let accounts = 0;
  for (let index = 0; index < FILES; index += 1) {
    const made = randomFile(createRandom(SEED, index), 1 + index * MAX_NUMBERS);
    const which = `file ${index} of seed ${SEED}\n${made.text}`;
    const result = await take(index, made);
    expect(reported(result), which).toEqual(made.errors.toSorted());
    const { accountsAdded, statesAdded, unchanged } = result.counts;
    expect([accountsAdded, statesAdded, unchanged], which).toEqual([
      made.accounts,
      made.accounts,
      made.repeats,
    ]);
    if (index % AGAIN_EVERY === 0) {
      const again = await take(index, made);
      expect(again.counts, which).toMatchObject({
        statesAdded: 0,
        corrected: 0,
        unchanged: made.accounts + made.repeats,
      });
    }
    accounts += made.accounts;
  }
  const states = await pool.query<{ count: bigint }>('select count(*) from account_states');
  expect(Number(states.rows[0]?.count)).toBe(accounts);
});
