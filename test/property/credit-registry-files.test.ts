import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createRandom } from '../../sandbox/population/random.ts';
import { readCsv } from '../../src/platform/csv-file.ts';
import { planBatch } from '../../src/credit/importing/plan.ts';
import type { Plan } from '../../src/credit/importing/planned.ts';
import type { Finding, IndexedAccount } from '../../src/credit/importing/record.ts';
import { SeenAccounts } from '../../src/credit/importing/seen-accounts.ts';
import { createValidator } from '../../src/credit/importing/validate.ts';
import { indexAccount } from '../../src/credit/importing/write.ts';
import { SEED } from '../seed.ts';
import { newVault, placesOf } from '../support/credit-files.ts';
import { AS_OF, ERROR_KINDS, MAX_NUMBERS, randomFile } from '../support/registry-files.ts';
import type { RegistryFile } from '../support/registry-files.ts';

// Random files of lenders with planted errors: each error is a finding on its own line, and every valid
// line is accepted. This tests the whole import except its SQL, which
// test/integration/credit-registry-files.test.ts tests with some of the files.

const FILES = 2_000;
const LARGEST = 2n ** 63n - 1n;

const vault = newVault();

interface Read {
  readonly findings: readonly Finding[];
  readonly plan: Plan;
}

/** One file into an empty registry, as one batch. */
async function readFile(file: string, { template }: RegistryFile): Promise<Read> {
  const validator = createValidator(placesOf(template), AS_OF);
  const seen = new SeenAccounts();
  const findings: Finding[] = [];
  const batch: IndexedAccount[] = [];
  let hasHeader = false;
  for await (const { line, values, problem } of readCsv(file)) {
    if (!hasHeader) {
      hasHeader = true;
    } else if (problem === undefined) {
      const validated = validator.validate(line, values);
      if (validated.findings !== undefined) findings.push(...validated.findings);
      else batch.push(indexAccount(validated.account, { vault, lender: 'L' }, seen));
    } else findings.push({ line, field: '', rule: 'csv', text: problem });
  }
  const nothing = {
    owners: new Map(),
    accounts: new Map(),
    profiles: new Map(),
    survivors: new Map(),
    merged: new Map(),
    nextCrn: 1n,
    nextAccountId: 1n,
  };
  const plan = planBatch(batch, nothing, { corrects: false });
  return { findings: [...findings, ...plan.findings], plan };
}

function amountsOf({ newAccounts, states }: Plan): bigint[] {
  return [
    ...newAccounts.flatMap(({ terms }) => [terms.originalCents, terms.instalmentCents ?? 0n]),
    ...states.flatMap(({ state }) => [
      state.balanceCents,
      state.overdueCents,
      state.lastPaymentCents ?? 0n,
    ]),
  ];
}

test(`2,000 random files: each of ${ERROR_KINDS.length} kinds of errors is a finding on its line, each right line is taken`, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'registry-files-'));
  const planted = new Set<string>();
  try {
    for (let index = 0; index < FILES; index += 1) {
      const made = randomFile(createRandom(SEED, index), 1 + index * MAX_NUMBERS);
      const which = `file ${index} of seed ${SEED}\n${made.text}`;
      const file = path.join(folder, 'loans.csv');
      await writeFile(file, made.text);
      const { findings, plan } = await readFile(file, made);
      const reported = findings.map(({ line, field, rule }) => `${line} ${field} ${rule}`);
      expect(reported.toSorted(), which).toEqual(made.errors.toSorted());
      expect([plan.newAccounts.length, plan.states.length, plan.unchanged], which).toEqual([
        made.accounts,
        made.accounts,
        made.repeats,
      ]);
      expect(
        amountsOf(plan).every((cents) => cents >= 0n && cents <= LARGEST),
        which,
      ).toBe(true);
      for (const kind of made.kinds) planted.add(kind);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  expect([...planted].toSorted()).toEqual([...ERROR_KINDS].toSorted());
  expect(planted.size).toBeGreaterThanOrEqual(30);
});
