import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { compose } from '../../src/service.ts';
import type { Service } from '../../src/service.ts';
import { readConfig } from '../../src/config.ts';
import { lastMonthEnd } from '../../sandbox/population/calendar.ts';
import { exampleSubjects } from '../../sandbox/population/examples.ts';
import { loadSubjects } from '../../sandbox/registry.ts';
import { prepareSandbox } from '../../sandbox/data.ts';
import { listEnquiries } from '../../src/credit/enquiries/read-enquiries.ts';
import { nameDiffers } from '../../src/credit/matching/match.ts';
import { verifyChains } from '../../src/credit/enquiries/read-chains.ts';
import { listSubjectEnquiries } from '../../src/credit/registry/subject-enquiries-store.ts';
import { listCases } from '../../src/credit/registry/read-cases.ts';
import { closeDispute, openDispute } from '../../src/credit/registry/disputes-store.ts';
import { addLifeRecord } from '../../src/credit/registry/life-store.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { contentLocation, rowAnswerOf } from '../../src/credit/batches/batch.ts';
import { insertBatch } from '../../src/batches/store.ts';
import { rotateKeys } from '../../src/credit/rotation/rotate.ts';
import { findSubjects } from '../../src/credit/registry/read-subjects.ts';
import { createVault } from '../../src/credit/registry/vault.ts';
import type { Vault } from '../../src/credit/registry/vault.ts';
import { createPool, databaseTransaction } from '../../src/platform/db/pool.ts';
import { addKey } from '../../src/parties/keys.ts';
import { insertVendor, updateVendor } from '../../src/parties/store.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { BODY_FORMS, encode, signed } from '../support/vendor-client.ts';
import type { BodyForm, Params } from '../support/vendor-client.ts';

const masterKeys = { current: randomBytes(32), previous: undefined };
const indexKey = randomBytes(32);
const index = { current: indexKey, previous: undefined };
const vault: Vault = createVault({ master: masterKeys, index });
let database: TestDatabase;
let service: Service;
let references = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await start({ CREDIT_INDEX_KEY: indexKey.toString('base64') });
  await prepareSandbox(service.pool, { masterKeys, operatorOrigin: 'http://127.0.0.1:9' });
  await service.directory.reload();
  await loadSubjects(service.pool, vault, exampleSubjects(lastMonthEnd(new Date())));
});

afterAll(async () => {
  await service.stop();
  await database.drop();
});

async function start(environment: Record<string, string>): Promise<Service> {
  return await compose({
    config: readConfig('sandbox', {
      ROLES: 'api',
      MASTER_KEY: masterKeys.current.toString('base64'),
      ...environment,
    }),
    databaseUrl: database.url,
    masterKeys,
    log: pino({ level: 'silent' }),
  });
}

type Path = 'id-decision' | 'generic-score' | 'mobile-loan-score';

function reference(): string {
  references += 1;
  return `Ref${references}`;
}

interface Asked {
  readonly status: number;
  readonly text: string;
  // The answers' shapes are asserted below.
  readonly body: Record<string, never> & { readonly [name: string]: never };
}

async function ask(
  path: Path,
  params: Params = {},
  options: { form?: BodyForm; vid?: string; service?: Service } = {},
): Promise<Asked> {
  const vid = options.vid ?? 'demo';
  const all: Params = {
    vid,
    requestReference: reference(),
    reportReason: '2',
    nationalID: '900000001',
    ...(path === 'id-decision' ? {} : { reportSector: '2', name1: 'Amani', name2: 'Baraka' }),
    ...params,
  };
  const request = encode(`/${path}`, signed(all, `${vid}-security-key`), options.form ?? 'json');
  const answer = await (options.service ?? service).app.inject({
    method: 'POST',
    url: request.path,
    ...(request.headers === undefined ? {} : { headers: request.headers }),
    ...(request.body === undefined ? {} : { payload: request.body }),
  });
  return { status: answer.statusCode, text: answer.body, body: answer.json() };
}

const PAIR = {
  mySector: expect.stringMatching(/^\d+$/),
  otherSectors: expect.stringMatching(/^\d+$/),
};
const AMOUNT_PAIR = {
  mySector: expect.stringMatching(/^\d+\.\d\d$/),
  otherSectors: expect.stringMatching(/^\d+\.\d\d$/),
};
const ISO = /^\d{4}-\d\d-\d\dT00:00:00\+03:00$/;
const PROFILE = {
  crn: '1000001',
  dateOfBirth: expect.stringMatching(ISO),
  fullName: 'Amani Baraka Wanjiru',
  nationalID: '900000001',
  otherNames: 'Amani Baraka',
  salutation: 'Ms',
  surname: 'Wanjiru',
  deceased: 'false',
  nameDiffers: 'false',
  alsoKnownAs: [],
};
const FLAGS = {
  disputed: 'false',
  deceased: 'false',
  asOf: expect.stringMatching(ISO),
  accountType: expect.stringMatching(/^[A-Z_]+$/),
  openedDate: expect.stringMatching(ISO),
  accountAge: expect.stringMatching(/^\d+$/),
  originalAmount: expect.stringMatching(/^\d+\.\d\d$/),
  currentBalance: expect.stringMatching(/^\d+\.\d\d$/),
  arrearDays: expect.stringMatching(/^\d+$/),
  stale: 'false',
  jointHolders: '',
};
const TAIL = { remarks: [], source: 'registry', computed_here: [] };

function pairs(names: string, pair: object): object {
  return Object.fromEntries(names.split(' ').map((name) => [name, pair]));
}

const DETAILS = {
  ...pairs(
    'arrearsNone arrears30Days arrears60Days arrears90Days arrearsGT90Days currentAccountsInArrears maxArrearDays staleAccounts enquiries30Days enquiries90Days enquiries365Days guaranteedAccounts',
    PAIR,
  ),
  ...pairs('maxArrears totalArrears totalBalance guaranteedBalance', AMOUNT_PAIR),
};

function score(name: string): object {
  return {
    grade: expect.stringMatching(/^([A-J])\1$/),
    [name]: expect.stringMatching(/^\d{1,4}$/),
    probability: expect.stringMatching(/^\d{1,2}\.\d\d$/),
    ...pairs(
      'reasonCodeAARC1 reasonCodeAARC2 reasonCodeAARC3 reasonCodeAARC4',
      expect.stringMatching(/^[A-Z].+/),
    ),
  };
}

describe('an answer has every field of the specification, and its type', () => {
  test('an identity decision has every field of the specification, of its type', async () => {
    const { status, body } = await ask('id-decision', { requestReference: 'Echo1' });
    expect(status).toBe(200);
    expect(body).toEqual({
      header_status: 200,
      text: 'Product request processed successfully',
      requestReference: 'Echo1',
      profile: { ...PROFILE, gender: 'F', nationality: 'KE' },
      summary: { creditActive: 'true' },
      ...TAIL,
    });
  });

  test('a generic score has every field of the specification, of its type', async () => {
    const { body } = await ask('generic-score');
    expect(body).toEqual({
      header_status: 200,
      text: expect.any(String),
      requestReference: expect.any(String),
      profile: PROFILE,
      summary: {
        ...pairs(
          'creditHistory npaAccounts paAccounts paAccountsWithDh paClosedAccounts paClosedAccountsWithDh paOpenAccounts paOpenAccountsWithDh disputedAccounts',
          PAIR,
        ),
        ...DETAILS,
      },
      account_list: expect.arrayContaining([
        { accountStatus: 'ACTIVE', arrearAmount: '0.00', ...FLAGS },
        { accountStatus: 'CLOSED', arrearAmount: '0.00', ...FLAGS },
      ]),
      phone_list: expect.arrayContaining([
        { phoneNo: '254197000001', phoneType: 'MOBILE' },
        { phoneNo: '254187000001', phoneType: 'HOME' },
      ]),
      score: score('positiveScore'),
      notice: expect.stringContaining('sole reason'),
      ...TAIL,
    });
  });

  test('a mobile-loan score has every field of the specification, of its type', async () => {
    const { body } = await ask('mobile-loan-score');
    expect(body).toEqual({
      header_status: 200,
      text: expect.any(String),
      requestReference: expect.any(String),
      profile: PROFILE,
      summary: {
        ...pairs(
          'avgMobiLoanPrincipalAmount lastMobiLoanPrincipalAmount maxMobiLoanPrincipalAmount minMobiLoanPrincipalAmount',
          AMOUNT_PAIR,
        ),
        ...pairs(
          'creditHistory mobiLoanAccounts npaAccounts npaClosedAccounts npaClosedMobiLoanAccounts npaOpenAccounts npaOpenMobiLoanAccounts paAccounts paAccountsWithDh paClosedAccounts paClosedAccountsWithDh paClosedMobiLoanAccounts paClosedMobiLoanAccountsWithDh paOpenAccounts paOpenAccountsWithDh paOpenMobiLoanAccounts paOpenMobiLoanAccountsWithDh disputedAccounts',
          PAIR,
        ),
        lastMobileLoanListingDate: { otherSectors: expect.stringMatching(ISO) },
        ...DETAILS,
      },
      account_list: expect.arrayContaining([{ accountStatus: 'ACTIVE', ...FLAGS }]),
      phone_list: expect.arrayContaining([
        {
          createDate: expect.stringMatching(ISO),
          phoneNo: '254197000001',
          phoneType: 'MOBILE',
        },
      ]),
      score: score('mobiLoansScore'),
      notice: expect.any(String),
      ...TAIL,
    });
  });

  test('probability and score agree with the formula, for every example with history', async () => {
    for (const id of ['1', '3', '4', '5']) {
      for (const [path, name] of [
        ['generic-score', 'positiveScore'],
        ['mobile-loan-score', 'mobiLoansScore'],
      ] as const) {
        const { body } = await ask(path, { nationalID: `90000000${id}` });
        const answered = body.score as unknown as Record<string, string>;
        const bad = Number(answered.probability) / 100;
        const expected = 500 + 50 * Math.log2((1 - bad) / bad);
        expect(Math.abs(Number(answered[name]) - expected)).toBeLessThan(8);
      }
    }
  });

  test('all examples agree with their documentation', async () => {
    const [good, thin, bad, mobile, history] = await Promise.all(
      ['1', '2', '3', '4', '5'].map(
        async (id) => (await ask('mobile-loan-score', { nationalID: `90000000${id}` })).body,
      ),
    );
    const sum = (body: unknown, name: string): number => {
      const pair = (body as { summary: Record<string, Record<string, string>> }).summary[name];
      return Number(pair?.mySector) + Number(pair?.otherSectors);
    };
    expect(sum(good, 'npaAccounts') + sum(good, 'paAccountsWithDh')).toBe(0);
    expect(sum(good, 'mobiLoanAccounts')).toBeGreaterThan(2);
    expect(thin).toMatchObject({
      account_list: [],
      phone_list: [],
      score: { grade: '', mobiLoansScore: '', probability: '' },
      summary: { lastMobileLoanListingDate: { otherSectors: null } },
    });
    expect(
      (thin as unknown as { score: { reasonCodeAARC1: string } }).score.reasonCodeAARC1,
    ).toMatch(/no credit history/);
    expect(sum(bad, 'npaOpenAccounts')).toBeGreaterThan(0);
    expect(sum(mobile, 'mobiLoanAccounts')).toBe(sum(mobile, 'paAccounts'));
    expect(sum(history, 'npaAccounts')).toBe(0);
    expect(sum(history, 'paAccountsWithDh')).toBeGreaterThan(0);
  });

  test('a request for its own sector shows nothing of others, but the same score', async () => {
    const [all, own] = await Promise.all([
      ask('mobile-loan-score', { reportSector: '2' }),
      ask('mobile-loan-score', { reportSector: '1' }),
    ]);
    expect(own.body.score).toEqual(all.body.score);
    expect(own.body.summary).toMatchObject({
      paAccounts: { otherSectors: '0' },
      maxMobiLoanPrincipalAmount: { otherSectors: '0' },
      lastMobileLoanListingDate: { otherSectors: null },
    });
    const own_ = own.body as unknown as {
      account_list: [];
      summary: { paAccounts: { mySector: string } };
    };
    expect(own_.account_list).toHaveLength(Number(own_.summary.paAccounts.mySector));
  });
});

describe('an enquiry', () => {
  test('an enquiry is the same in every wire form, byte for byte', async () => {
    const params = { requestReference: 'SameInAll' };
    const answers = new Set<string>();
    for (const form of BODY_FORMS) answers.add((await ask('generic-score', params, { form })).text);
    expect(answers.size).toBe(1);
    const other = await ask('generic-score', { requestReference: 'SameAsThat' });
    expect([other.text.replace('SameAsThat', 'SameInAll')]).toEqual([...answers]);
  });

  test('repeated at once is one enquiry', async () => {
    const before = await countEnquiries();
    const params = { requestReference: 'AtOnce' };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => ask('mobile-loan-score', params)),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await countEnquiries()) - before).toBe(1);
  });

  test('the same reference with other content is refused, unless it is of another operation', async () => {
    await ask('generic-score', { requestReference: 'Once' });
    const other = await ask('generic-score', { requestReference: 'Once', reportReason: '3' });
    expect(other).toMatchObject({
      status: 409,
      body: {
        header_status: 409,
        status: 0,
        error: [{ code: 'reference_reused', field: 'requestReference' }],
      },
    });
    const mobile = { requestReference: 'Once', reportReason: '3' };
    const operation = await ask('mobile-loan-score', mobile);
    expect(operation).toMatchObject({ status: 200, body: { requestReference: 'Once' } });
    expect((await ask('mobile-loan-score', mobile)).text).toBe(operation.text);
    expect((await ask('id-decision', { requestReference: 'Once' })).status).toBe(200);
    const kept = await service.pool.query<{ operation: string }>(
      `select operation from enquiries where request_reference = 'Once' order by sequence`,
    );
    expect(kept.rows.map((row) => row.operation)).toEqual([
      'generic-score',
      'mobile-loan-score',
      'id-decision',
    ]);
    expect((await verifyChains(service.pool, vault)).violations).toEqual([]);
    const vendor = await ask('generic-score', { requestReference: 'Once' }, { vid: 'demo2' });
    expect(vendor.status).toBe(200);
  });

  test.each([
    [{ nationalID: '999999999' }, 404, 'subject_not_found', '202'],
    [{ name1: 'Juma', name2: 'Otieno' }, 422, 'subject_mismatch', '408'],
    [{ passportNo: 'SYNA0000003' }, 422, 'subject_ambiguous', '203'],
    [{ taxID: 'Z900000003A' }, 422, 'subject_ambiguous', '203'],
    [{ nationalID: '' }, 400, 'missing_field', '402'],
    [{ name2: '' }, 400, 'missing_field', '402'],
    [{ nationalID: 'ABC' }, 400, 'invalid_field', '402'],
    [{ reportReason: '13' }, 400, 'invalid_field', '204'],
    [{ reportReason: '' }, 400, 'missing_field', '402'],
    [{ reportSector: '3' }, 400, 'invalid_field', '209'],
    [{ reportSector: '' }, 400, 'missing_field', '402'],
    [{ requestReference: 'no spaces' }, 400, 'invalid_field', '402'],
    [{ dateOfBirth: '1990' }, 400, 'invalid_field', '402'],
    [{ dateOfBirth: '1984-02-30' }, 400, 'invalid_field', '402'],
    [{ dateOfBirth: '1984-03-13' }, 422, 'subject_mismatch', '408'],
    [{ name1: 'Juma', name2: 'Baraka', name3: 'Wanjiru' }, 422, 'subject_mismatch', '408'],
    [{ birthDate: '1984-03-12' }, 400, 'unknown_field', '403'],
    [{ consentDate: '2026-13-01' }, 400, 'invalid_field', '402'],
    [{ consentDate: '2026-02-30' }, 400, 'invalid_field', '402'],
    [{ consentDate: '2099-01-01' }, 400, 'invalid_field', '402'],
  ] as const)('%o is refused', async (change, status, code, bureauCode) => {
    const answer = await ask('generic-score', change);
    expect(answer).toMatchObject({
      status,
      body: {
        header_status: status,
        status: 0,
        text: expect.any(String),
        msg: { status: 0 },
        error: [{ code }],
        bureau_code: bureauCode,
      },
    });
    expect(answer.body).not.toHaveProperty('profile');
    expect(answer.text).not.toContain('Wanjiru');
  });

  test('may give the birth date in the form of answers or as a day', async () => {
    for (const dateOfBirth of ['1984-03-12', '1984-03-12T00:00:00+03:00']) {
      const { status, body } = await ask('id-decision', { dateOfBirth });
      expect(status).toBe(200);
      expect(body).toMatchObject({ profile: { nationalID: '900000001' } });
    }
  });

  test('may be made for every reason, and is stored with the reason and the given consent', async () => {
    for (let reason = 1; reason <= 12; reason += 1) {
      const { status } = await ask('mobile-loan-score', {
        requestReference: `Reason${reason}`,
        reportReason: String(reason),
        consentReference: `consent/${reason}`,
        consentDate: '2020-11-02',
      });
      expect(status).toBe(200);
    }
    const read = await service.pool.query<Record<string, unknown>>(
      `select report_reason, report_sector, consent_reference, consent_date, outcome, crn,
         match_rule, match_score, source, key_id ~ '^[0-9a-f]{16}$' as key, data_as_of,
         documents ~ '^[0-9a-f]{40}$' as document, scorecard, length(score) > 0 as scored
       from enquiries where request_reference ~ '^Reason' order by report_reason`,
    );
    expect(read.rows).toHaveLength(12);
    for (const [at, row] of read.rows.entries()) {
      expect(row).toEqual({
        report_reason: at + 1,
        report_sector: 2,
        consent_reference: `consent/${at + 1}`,
        consent_date: '2020-11-02',
        outcome: 'answered',
        crn: '1000001',
        match_rule: 'document+names-6',
        match_score: '1.0000',
        source: 'registry',
        key: true,
        data_as_of: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        document: true,
        scorecard: 'malipo-mobile@3',
        scored: true,
      });
    }
  });

  test('documents that disagree open a case', async () => {
    await ask('id-decision', { passportNo: 'SYNA0000003' });
    const cases = await listCases(service.pool, { open: true, limit: 1_000 });
    expect(cases.filter(({ crns }) => crns.join() === '1000001,1000003')).toMatchObject([
      { kind: 'documents_conflict' },
    ]);
  });

  test('a repeated enquiry is refused again', async () => {
    const params = { requestReference: 'NobodyTwice', nationalID: '999999999' };
    const before = await countEnquiries();
    expect((await ask('generic-score', params)).status).toBe(404);
    expect((await ask('generic-score', params)).status).toBe(404);
    expect((await countEnquiries()) - before).toBe(1);
  });

  test('a person is found by any document, with names in any order and optional ones', async () => {
    const { body } = await ask('id-decision', { nationalID: null, passportNo: 'syna-0000001' });
    expect(body.profile).toMatchObject({ crn: '1000001' });
    const named = await ask('id-decision', { name1: 'Wanjiru' });
    expect(named.status).toBe(200);
    expect((await ask('id-decision', { name1: 'Juma' })).status).toBe(422);
    expect((await ask('generic-score', { name1: 'Wanjiro', name2: 'Amani' })).status).toBe(200);
  });

  test('an enquiry is recorded with the subject, with who enquired and why', async () => {
    await ask('generic-score', { nationalID: '900000004', reportReason: '9' }, { vid: 'demo2' });
    const [last] = await listSubjectEnquiries(service.pool, 1_000_004n);
    expect(last).toMatchObject({
      askedBy: 'Second Demo Vendor',
      operation: 'generic-score',
      reportReason: 9,
    });
  });

  test('keeps names and documents sealed', async () => {
    await ask('generic-score');
    const read = await service.pool.query<{ row: string }>(
      'select e::text as row from enquiries e',
    );
    const text = read.rows.map(({ row }) => row).join('\n');
    for (const secret of ['Wanjiru', 'Baraka', '900000001', '254197000001']) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(secret).toString('hex'));
    }
  });

  async function countEnquiries(): Promise<number> {
    const read = await service.pool.query<{ count: bigint }>('select count(*) from enquiries');
    return Number(read.rows[0]?.count ?? 0n);
  }
});

test('a service with another index key than the registry’s does not start', async () => {
  await expect(start({ CREDIT_INDEX_KEY: randomBytes(32).toString('base64') })).rejects.toThrow(
    'written under another CREDIT_INDEX_KEY',
  );
});

test('services without an index key offer no scoring', async () => {
  const without = await start({});
  try {
    const answer = await ask('generic-score', {}, { service: without });
    expect(answer).toMatchObject({
      status: 503,
      body: { error: [{ code: 'scoring_unavailable' }] },
    });
  } finally {
    await without.stop();
  }
});

test('a dispute keeps a default from being counted, visibly, until it is closed', async () => {
  const look = async () => {
    const { body } = await ask('generic-score', { nationalID: '900000003' });
    const sum = (name: string): number => {
      const pair = (body.summary as unknown as Record<string, Record<string, string>>)[name];
      return Number(pair?.mySector) + Number(pair?.otherSectors);
    };
    const listed = body.account_list as unknown as readonly Record<string, string>[];
    const flagged = listed.filter(({ disputed }) => disputed === 'true');
    const { reasonCodeAARC1: first, reasonCodeAARC4: last } = body.score as unknown as Record<
      string,
      string
    >;
    const counts = [sum('npaAccounts'), sum('disputedAccounts'), flagged.length, listed.length];
    return { counts, flagged, remarks: body.remarks as unknown as string[], first, last };
  };
  const [npa = 0, disputed = 0, flags = 0, all = 0] = (await look()).counts;
  expect([disputed, flags]).toEqual([0, 0]);
  const read = await service.pool.query<{ account_id: bigint }>(
    `select distinct account_id from account_states where crn = 1000003 and status = 'C'`,
  );
  const accountId = read.rows[0]?.account_id ?? 0n;
  const dispute = { crn: 1_000_003n, accountId, statement: 'I paid it.', at: new Date() };
  const opened = await openDispute(service.pool, vault, dispute);
  const during = await look();
  expect(during.counts).toEqual([npa - 1, 1, 1, all]);
  expect(during.flagged).toMatchObject([{ arrearAmount: '0.00', disputed: 'true' }]);
  expect(during.remarks).toEqual([expect.stringMatching(/^1 account is under dispute/)]);
  expect(during.last).toBe('Accounts under dispute are left out of this score');
  expect(await closeDispute(service.pool, opened ?? '', 'rejected', new Date())).toBe(true);
  const after = await look();
  expect(after).toMatchObject({ counts: [npa, 0, 0, all], remarks: [] });
  expect(after.first).toBe('One or more accounts are in default');
  expect(await openDispute(service.pool, vault, { ...dispute, crn: 1_000_001n })).toBeUndefined();
});

describe('a deceased customer', () => {
  const about = { nationalID: '900000005' };
  const crn = 1_000_005n;
  const look = async () => {
    const asked = await Promise.all([
      ask('generic-score', about),
      ask('mobile-loan-score', about),
      ask('id-decision', about),
    ]);
    return asked.map(({ body }) => {
      const { deceased } = body.profile as unknown as { deceased: string };
      const {
        grade,
        probability,
        reasonCodeAARC1: first,
      } = (body.score ?? {}) as unknown as Record<string, string>;
      return { deceased, grade, probability, first, remarks: body.remarks as unknown as string[] };
    });
  };
  const NO_SCORE = { grade: '', probability: '', first: expect.stringMatching(/deceased/) };
  const ALIVE = { deceased: 'false', remarks: [] };
  const DEAD = { deceased: 'true', remarks: [expect.stringMatching(/deceased/)] };
  const record = async (status: 'deceased' | 'living'): Promise<void> => {
    const evidence = 'Certificate 12/2026';
    const added = { status, recordedAt: new Date(), diedOn: null, evidence };
    expect(await addLifeRecord(service.pool, crn, added)).toBe(true);
  };

  test('gets no score once a person has recorded it, until it is refuted', async () => {
    expect(await look()).toMatchObject(Array.from({ length: 3 }, () => ALIVE));
    await record('deceased');
    const dead = await look();
    expect(dead).toMatchObject([{ ...DEAD, ...NO_SCORE }, { ...DEAD, ...NO_SCORE }, DEAD]);
    await record('living');
    const living = await look();
    expect(living).toMatchObject(Array.from({ length: 3 }, () => ALIVE));
    expect(living[0]?.grade).not.toBe('');
  });

  test('a lender’s report makes a customer deceased, unless a person refuted that', async () => {
    const pool = createPool({ url: database.ownerUrl, max: 1, name: 'owner' });
    await pool.query('delete from subject_life_records');
    const newest = `account_states s set status = $1, status_on = s.as_of
      where crn = ${crn} and status in ('F', 'L') and as_of = (
        select max(as_of) from account_states o where (o.crn, o.account_id) = (s.crn, s.account_id))`;
    expect((await pool.query(`update ${newest}`, ['L'])).rowCount).toBeGreaterThan(0);
    const dead = await look();
    expect(dead).toMatchObject([{ ...DEAD, ...NO_SCORE }, { ...DEAD, ...NO_SCORE }, DEAD]);
    const { body } = await ask('generic-score', about);
    const listed = body.account_list as unknown as readonly Record<string, string>[];
    expect(new Set(listed.map(({ deceased }) => deceased))).toEqual(new Set(['true', 'false']));
    await record('living');
    expect(await look()).toMatchObject(Array.from({ length: 3 }, () => ALIVE));
    await pool.query(`update ${newest}`, ['F']);
    await pool.query('delete from subject_life_records');
    await pool.end();
  });
});

describe('applications for credit', () => {
  const nationalID = '900000005';
  const scoreFor = async (vid: string): Promise<number> => {
    const { body } = await ask('generic-score', { nationalID }, { vid });
    return Number((body.score as unknown as { positiveScore: string }).positiveScore);
  };

  test('applications for one purpose count once on the same day, whoever asks, and not for the lender itself', async () => {
    await databaseTransaction(service.pool, async (client) => {
      for (const vid of ['third', 'fourth']) {
        await insertVendor(client, { vid, name: vid, sector: 'sacco', createdAt: new Date() });
        await updateVendor(client, vid, { enquiryPolicy: 'open' });
        const holder = { holderKind: 'vendor', holder: vid } as const;
        await addKey(client, holder, {
          secret: `${vid}-security-key`,
          overlapSeconds: 0,
          masterKeys,
        });
      }
    });
    await service.directory.reload();
    const before = await scoreFor('demo2');
    // A lender’s own enquiries belong to the current application.
    expect(await scoreFor('demo2')).toBe(before);
    for (const reportReason of ['1', '3', '4']) {
      await ask('generic-score', { nationalID, reportReason }, { vid: 'fourth' });
    }
    expect(await scoreFor('demo2')).toBe(before);
    await ask('generic-score', { nationalID, reportReason: '10' }, { vid: 'third' });
    const after = await scoreFor('demo2');
    expect(after).toBeLessThan(before);
    for (const path of ['mobile-loan-score', 'id-decision', 'generic-score'] as const) {
      await ask(path, { nationalID, reportReason: '10' }, { vid: 'third' });
    }
    expect(await scoreFor('demo2')).toBe(after);
    await ask('id-decision', { nationalID, reportReason: '10' }, { vid: 'fourth' });
    expect(await scoreFor('demo2')).toBe(after);
    await ask('id-decision', { nationalID, reportReason: '6' }, { vid: 'fourth' });
    expect(await scoreFor('demo2')).toBeLessThan(after);
  });
});

describe('the chain of enquiries', () => {
  test('holds, and shows what was altered, removed or cut off', async () => {
    const { pool } = service;
    await ask('generic-score');
    await ask('generic-score');
    const honest = await verifyChains(pool, vault);
    expect(honest.violations).toEqual([]);
    expect(honest.enquiries).toBeGreaterThan(10);
    const demo = honest.heads.find(({ vendorId }) => vendorId === 1);
    const last = demo?.sequence ?? 0n;

    await expectViolation(
      `update enquiries set report_reason = 12 where vendor_id = 1 and sequence = 2`,
      `update enquiries set report_reason = 2 where vendor_id = 1 and sequence = 2`,
      { sequence: 2n, what: 'the enquiry was altered, or is not the one that followed' },
    );
    await database.asOwner(
      'create table removed as select * from enquiries where vendor_id = 1 and sequence = 3',
    );
    await expectViolation(
      'delete from enquiries where vendor_id = 1 and sequence = 3',
      'insert into enquiries select * from removed',
      { sequence: 3n, what: 'an enquiry is missing' },
    );
    await database.asOwner(
      `drop table removed; create table removed as select * from enquiries where vendor_id = 1 and sequence = ${last}`,
    );
    await expectViolation(
      `delete from enquiries where vendor_id = 1 and sequence = ${last}`,
      'insert into enquiries select * from removed',
      { sequence: last, what: 'the end of the chain is missing' },
    );
    await database.asOwner('drop table removed');
    await database.asOwner(
      'create table removed as select * from enquiry_chains where vendor_id = 1',
    );
    await expectViolation(
      'delete from enquiry_chains where vendor_id = 1',
      'insert into enquiry_chains select * from removed',
      { sequence: last, what: 'the head of the chain is missing' },
    );
    await expectViolation(
      `update enquiry_chains c set sequence = 2, hash = e.hash from enquiries e
       where c.bucket = bucket_of(1) and c.vendor_id = 1
         and e.bucket = c.bucket and e.vendor_id = c.vendor_id and e.sequence = 2`,
      'delete from enquiry_chains where vendor_id = 1; insert into enquiry_chains select * from removed',
      { sequence: 2n, what: 'the end of the chain is missing' },
    );
    await database.asOwner('drop table removed');
    expect((await verifyChains(pool, vault)).violations).toEqual([]);
  });

  test('recognises a stored head while it grows, and reports it missing when the chain was removed', async () => {
    const { pool } = service;
    await ask('generic-score');
    const kept = (await verifyChains(pool, vault)).heads.find(({ vendorId }) => vendorId === 1);
    if (kept === undefined) throw new Error('no head');
    await ask('generic-score');
    const heads = [kept.hash];
    const grown = await verifyChains(pool, vault, { heads });
    expect(grown).toMatchObject({ violations: [], keptHeads: [kept], missingHeads: [] });
    const [notes, chain, head] = ['subject_enquiries', 'enquiries', 'enquiry_chains'].map(
      (table) => `${table} where vendor_id = 1`,
    );
    await database.asOwner(
      `create table n as select * from ${notes}; create table c as select * from ${chain};
       create table h as select * from ${head};
       delete from ${notes}; delete from ${chain}; delete from ${head}`,
    );
    expect(await verifyChains(pool, vault, { heads })).toMatchObject({
      violations: [],
      missingHeads: heads,
    });
    await database.asOwner(
      `insert into subject_enquiries select * from n; insert into enquiries select * from c;
       insert into enquiry_chains select * from h; drop table n, c, h`,
    );
    expect((await verifyChains(pool, vault, { heads })).missingHeads).toEqual([]);
  });

  test('agrees with the records of subjects: nothing is missing, altered or invented', async () => {
    await ask('generic-score', { requestReference: 'Noted' });
    const { rows } = await service.pool.query<{ sequence: bigint; enquiry_id: string }>(
      `select sequence, enquiry_id from enquiries where request_reference = 'Noted'`,
    );
    const [{ sequence, enquiry_id: id } = { sequence: 0n, enquiry_id: '' }] = rows;
    const what = 'its record with the subject is missing or different';
    const noted = `subject_enquiries where enquiry_id = '${id}'`;
    await expectViolation(
      `create table removed as select * from ${noted}; delete from ${noted}`,
      'insert into subject_enquiries select * from removed; drop table removed',
      { sequence, what },
    );
    await expectViolation(
      `update subject_enquiries set report_reason = 4 where enquiry_id = '${id}'`,
      `update subject_enquiries set report_reason = 2 where enquiry_id = '${id}'`,
      { sequence, what },
    );
    await expectViolation(
      `update subject_enquiries set name_differs = true where enquiry_id = '${id}'`,
      `update subject_enquiries set name_differs = false where enquiry_id = '${id}'`,
      { sequence, what },
    );
    const made = '00000000-0000-7000-8000-000000000000';
    await expectViolation(
      `insert into subject_enquiries select crn, enquired_at, '${made}', vendor_id, asked_by, sector,
         operation, report_reason from ${noted}`,
      `delete from subject_enquiries where enquiry_id = '${made}'`,
      { sequence: 0n, what: 'with subject 1000001 an enquiry is recorded that was not made' },
    );
    expect((await verifyChains(service.pool, vault)).violations).toEqual([]);
  });

  async function expectViolation(harm: string, repair: string, expected: object): Promise<void> {
    await database.asOwner(harm);
    const { violations } = await verifyChains(service.pool, vault);
    expect(violations).toContainEqual({ vendorId: 1, ...expected });
    await database.asOwner(repair);
  }
});

test('a person who is found under another name is marked in the answer, in the list and beside the person', async () => {
  const { body: known } = await ask('id-decision');
  const { dateOfBirth } = (known as unknown as { profile: { dateOfBirth: string } }).profile;
  const married = { name1: 'Amani', name2: 'Njeri', dateOfBirth: dateOfBirth.slice(0, 10) };
  const requestReference = reference();
  const { status, body } = await ask('generic-score', { ...married, requestReference });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    profile: { crn: '1000001', nameDiffers: 'true' },
    remarks: [expect.stringMatching(/^The customer has another name on file/)],
  });
  expect(known).toMatchObject({ profile: { nameDiffers: 'false' }, remarks: [] });
  const listed = await listEnquiries(service.pool, 1, { limit: 2 });
  expect(listed.map(({ matchRule }) => nameDiffers(matchRule))).toEqual([true, false]);
  const beside = await listSubjectEnquiries(service.pool, 1_000_001n);
  expect(beside.slice(0, 2).map((one) => one.nameDiffers)).toEqual([true, false]);
  expect(rowAnswerOf(JSON.stringify(body), undefined)).toMatchObject({ nameDiffers: 'true' });
  expect((await verifyChains(service.pool, vault)).violations).toEqual([]);
});

test('keys are rotated: afterwards the former ones are not needed', async () => {
  const { pool } = service;
  const owner = createPool({ url: database.ownerUrl, max: 1, name: 'test' });
  onTestFinished(async () => await owner.end());
  const { text } = await ask('generic-score', { requestReference: 'BeforeRotation' });
  const keys = {
    master: { current: randomBytes(32), previous: masterKeys.current },
    index: { current: randomBytes(32), previous: indexKey },
  };
  const both = createVault(keys);
  const after = createVault({
    master: { ...keys.master, previous: undefined },
    index: { ...keys.index, previous: undefined },
  });
  const document = [{ type: 'nationalID', number: '900000001' }] as const;
  expect(await findSubjects(pool, both, document)).toHaveLength(1);
  expect(await findSubjects(pool, after, document)).toHaveLength(0);
  const key = { kind: 'enquiries', vendorId: 1, batchReference: 'BeforeRotation' } as const;
  const batch = { ...key, batchId: newId() };
  const location = contentLocation(batch.batchId);
  await insertBatch(pool, {
    ...batch,
    product: 'generic-score',
    fileSha256: Buffer.alloc(32),
    content: null,
    rowCount: 1,
    sealedContent: createVault({
      master: { current: masterKeys.current, previous: undefined },
      index: { current: indexKey, previous: undefined },
    }).seal('[]', location),
    // No answer comes during the test.
    leaseMs: 600_000,
    maxOpen: 1,
  });
  const done = await rotateKeys(owner, both);
  expect(done).toMatchObject({ subjects: 5, batches: 1 });
  const waiting = await pool.query<{ sealed: Buffer }>(
    'select sealed_content as sealed from batches where batch_id = $1',
    [batch.batchId],
  );
  expect(after.unseal(waiting.rows[0]?.sealed ?? Buffer.alloc(0), location)).toBe('[]');
  expect(await findSubjects(pool, after, document)).toMatchObject([
    { crn: 1_000_001n, profile: { name: { surname: 'Wanjiru' } } },
  ]);
  expect((await verifyChains(pool, after)).violations).toEqual([]);
  expect(await rotateKeys(owner, both)).toEqual({
    subjects: 0,
    accounts: 0,
    disputes: 0,
    enquiries: 0,
    answers: 0,
    batches: 0,
  });
  // Back to the former keys, with which the service runs.
  await rotateKeys(
    owner,
    createVault({
      master: { current: masterKeys.current, previous: keys.master.current },
      index: { current: indexKey, previous: keys.index.current },
    }),
  );
  expect((await ask('generic-score', { requestReference: 'BeforeRotation' })).text).toBe(text);
});
