import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isoDay } from '../../src/platform/base/days.ts';
import { createCalendar, lastMonthEnd } from '../../sandbox/population/calendar.ts';
import { MOBILE_OFFERS, OTHER_OFFERS } from '../../sandbox/population/lenders.ts';
import { MOBILE_HEADER, mobileLines } from '../../sandbox/population/mobile-template.ts';
import { generateSubjects } from '../../sandbox/population/population.ts';
import type { Subject } from '../../sandbox/population/population.ts';
import { createWireTime, systemClock } from '../../src/platform/base/clock.ts';
import { compose } from '../../src/service.ts';
import type { Service } from '../../src/service.ts';
import { readConfig } from '../../src/config.ts';
import { importFile } from '../../src/credit/importing/import.ts';
import { createVault } from '../../src/credit/registry/vault.ts';
import type { DocumentType } from '../../src/credit/registry/documents.ts';
import { addVendor } from '../../src/payments/ledger/add-vendor.ts';
import type { Sector } from '../../src/parties/vendor.ts';
import { SEED } from '../seed.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { accountsByPerson, countPerson } from '../support/independent-count.ts';
import type { Counted, SubmittedFile } from '../support/independent-count.ts';
import { signed } from '../support/vendor-client.ts';
import type { Params } from '../support/vendor-client.ts';

// New random files, imported as a lender imports them: the answers over HTTP equal an independent count
// over the text of the files.

const SUBJECTS = 130;
/** Ages of the files in months; the gap shows that a history need not be complete. */
const MONTHS_AGO = [9, 5, 2, 1, 0];
const MY_SECTOR = 'bank';
const DOCUMENTS: Readonly<Record<string, DocumentType>> = { '001': 'nationalID', '003': 'alienID' };

const masterKey = randomBytes(32);
const indexKey = randomBytes(32);
const masterKeys = { current: masterKey, previous: undefined };
const calendar = createCalendar(lastMonthEnd(new Date()));
let database: TestDatabase;
let service: Service;
let folder: string;
let key: string;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(path.join(tmpdir(), 'credit-count-'));
  service = await compose({
    config: readConfig('sandbox', {
      ROLES: 'api',
      MASTER_KEY: masterKey.toString('base64'),
      CREDIT_INDEX_KEY: indexKey.toString('base64'),
    }),
    databaseUrl: database.url,
    masterKeys,
    log: pino({ level: 'silent' }),
  });
  const vendor = await addVendor(
    service.pool,
    { vid: 'counted', name: 'Counted', sector: MY_SECTOR, enquiryPolicy: 'open' },
    { masterKeys, certain: true },
  );
  key = vendor.securityKey;
  await service.directory.reload();
});

afterAll(async () => {
  await service.stop();
  await database.drop();
  await rm(folder, { recursive: true });
});

function filesOf(subjects: readonly Subject[]): SubmittedFile[] {
  const offers = [...MOBILE_OFFERS, ...OTHER_OFFERS];
  const sectors = new Map(offers.map(({ lender, sector }) => [lender, sector]));
  return [...sectors].flatMap(([lender, sector]) =>
    MONTHS_AGO.map((monthsAgo) => {
      const asOf = calendar.monthEnd(monthsAgo);
      const lines = [MOBILE_HEADER, ...mobileLines(subjects, { lender, asOf })];
      return { lender, sector, asOf: isoDay(asOf), text: `${lines.join('\n')}\n` };
    }),
  );
}

async function submit({ lender, sector, asOf, text }: SubmittedFile): Promise<void> {
  const file = path.join(folder, `${lender}-${asOf}.csv`);
  await writeFile(file, text);
  const { findings } = await importFile({
    pool: service.pool,
    vault: createVault({ master: masterKeys, index: { current: indexKey, previous: undefined } }),
    clock: systemClock,
    wireTime: createWireTime('Africa/Nairobi'),
    file,
    template: 'mobile',
    lender,
    sector: sector as Sector,
    asOf,
    corrects: false,
    by: 'Asha',
  });
  expect(findings).toEqual([]);
}

interface Answered {
  readonly summary: Readonly<Record<string, never>>;
  readonly account_list: readonly { accountStatus: string; arrearAmount?: string }[];
}

async function ask(operation: string, params: Params): Promise<Answered> {
  const all = { vid: 'counted', reportReason: '2', ...params };
  const answer = await service.app.inject({
    method: 'POST',
    url: `/${operation}`,
    payload: signed(all, key),
  });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<Answered>();
}

function pairsOf(counted: Counted, names: readonly string[], ownOnly: boolean): object {
  return Object.fromEntries(
    names.map((name) => {
      const [mySector = '', others = ''] = counted.pairs[name] ?? [];
      return [name, { mySector, otherSectors: ownOnly ? '0' : others }];
    }),
  );
}

/** Compares every field of the three answers about one person. */
async function compare(person: string, named: Params, counted: Counted): Promise<void> {
  const reference = person.replace(' ', 'x');
  const decided = await ask('id-decision', { ...named, requestReference: `D${reference}` });
  expect(decided.summary).toEqual({ creditActive: counted.creditActive });

  const all = { ...named, reportSector: '2' };
  const generic = await ask('generic-score', { ...all, requestReference: `G${reference}` });
  expect(generic.summary).toEqual(pairsOf(counted, Object.keys(generic.summary), false));
  expect(Object.keys(generic.summary)).toHaveLength(25);
  const listed = generic.account_list.map((one) => `${one.accountStatus} ${one.arrearAmount}`);
  expect(listed.toSorted()).toEqual(counted.list);

  const mobile = await ask('mobile-loan-score', { ...all, requestReference: `M${reference}` });
  const {
    lastMobileLoanListingDate: listing,
    lastMobiLoanPrincipalAmount: last,
    ...pairs
  } = mobile.summary;
  expect(pairs).toEqual(pairsOf(counted, Object.keys(pairs), false));
  expect(Object.keys(pairs)).toHaveLength(37);
  const { mySector, otherSectors } = last as unknown as Record<'mySector' | 'otherSectors', string>;
  expect(counted.lastPrincipals[0]).toContain(mySector);
  expect(counted.lastPrincipals[1]).toContain(otherSectors);
  const day = counted.lastListing;
  expect(listing).toEqual({ otherSectors: day === null ? null : `${day}T00:00:00+03:00` });

  const own = await ask('generic-score', {
    ...all,
    reportSector: '1',
    requestReference: `O${reference}`,
  });
  expect(own.summary).toEqual(pairsOf(counted, Object.keys(own.summary), true));
}

test(`summaries agree with an independent count over the files (seed ${SEED})`, async () => {
  const subjects = [...generateSubjects({ seed: SEED, subjects: SUBJECTS, asOf: calendar.asOf })];
  const files = filesOf(subjects);
  for (const file of files) await submit(file);
  const today = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 10);
  const people = accountsByPerson(files);
  expect(people.size).toBeGreaterThan(SUBJECTS / 2);
  const names = new Map(
    subjects.flatMap(({ profile }) =>
      profile.documents.map(({ type, number }) => [`${type} ${number}`, profile.name] as const),
    ),
  );
  let withDefaults = 0;
  for (const [person, accounts] of people) {
    const [code = '', number = ''] = person.split(' ');
    const document = DOCUMENTS[code] ?? 'nationalID';
    const name = names.get(`${document} ${number}`);
    const named = {
      [document]: number,
      name1: name?.surname ?? '',
      name2: name?.forenames[0] ?? '',
    };
    const counted = countPerson(accounts, MY_SECTOR, today);
    if (counted.list.some((one) => one.startsWith('DEFAULT'))) withDefaults += 1;
    await compare(person, named, counted);
  }
  expect(withDefaults).toBeGreaterThan(3);
});
