import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { findSubjects, readCreditFile } from '../../src/credit/registry/read-subjects.ts';
import type { CreditFile } from '../../src/credit/facts.ts';
import { generatePopulation } from '../../sandbox/population/population.ts';
import type { Subject } from '../../sandbox/population/population.ts';
import { loadSubjects } from '../../sandbox/registry.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { newVault } from '../support/credit-files.ts';

const AS_OF = new Date('2026-10-31T00:00:00Z');
const vault = newVault();
let database: TestDatabase;
let pool: Pool;
let subjects: Subject[];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, max: 4, name: 'test' });
  subjects = [...generatePopulation({ seed: 7, subjects: 60, asOf: AS_OF })];
  await loadSubjects(pool, vault, subjects);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function readFile(crn: bigint): Promise<CreditFile> {
  return await readCreditFile(pool, {
    crn,
    ...{ asOf: AS_OF, timeZone: 'Africa/Nairobi' },
    keptFrom: new Date(0),
    enquiriesUntil: AS_OF,
    ownVendorId: 1,
    ownEnquiriesFrom: AS_OF,
  });
}

/** A file without the names that the registry generates. */
function comparable(file: CreditFile) {
  return {
    asOf: file.asOf,
    enquiries: file.enquiries.toSorted((a, b) => a.at.getTime() - b.at.getTime()),
    accounts: file.accounts
      .map(({ key: _key, ...account }) => account)
      .map((account) => ({ ...account, disputed: account.current.status === 'P' }))
      .toSorted((a, b) => (text(a) < text(b) ? -1 : 1)),
  };
}

function text(value: object): string {
  return JSON.stringify(value, (_name, one: unknown) =>
    typeof one === 'bigint' ? String(one) : one,
  );
}

describe('a loaded population', () => {
  test('each document finds its subject, which is read back as it was made', async () => {
    for (const subject of subjects) {
      for (const document of subject.profile.documents) {
        const found = await findSubjects(pool, vault, [document]);
        expect(found.map(({ profile }) => profile.name)).toEqual([subject.profile.name]);
        expect(found[0]?.by).toEqual([document.type]);
      }
      const [found] = await findSubjects(pool, vault, subject.profile.documents);
      const file = await readFile(found?.crn ?? 0n);
      expect(comparable(file)).toEqual(comparable(subject.file));
    }
  });
});
