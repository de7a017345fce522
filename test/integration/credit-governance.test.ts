import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepareSandbox } from '../../sandbox/data.ts';
import { lastMonthEnd } from '../../sandbox/population/calendar.ts';
import { exampleSubjects } from '../../sandbox/population/examples.ts';
import { loadSubjects } from '../../sandbox/registry.ts';
import { readConfig } from '../../src/config.ts';
import { measureMonths } from '../../src/credit/monitoring/job.ts';
import { readMonths } from '../../src/credit/monitoring/months.ts';
import { storeMonths } from '../../src/credit/monitoring/months-store.ts';
import { readScoredPeople } from '../../src/credit/registry/scored-people-store.ts';
import { createVault } from '../../src/credit/registry/vault.ts';
import { shippedScorecards } from '../../src/credit/scorecards/score.ts';
import { compose } from '../../src/service.ts';
import type { Service } from '../../src/service.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { metricsOf } from '../support/metrics.ts';
import { CITUS_URL } from '../support/citus.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { until } from '../support/dispatch-fixture.ts';
import { encode, signed } from '../support/vendor-client.ts';
import { creditByTwo, inProcess, must } from './cli-support.ts';
import type { Environment } from './cli-support.ts';

// A row says which card answers: two processes follow it at run time.

const masterKeys = { current: randomBytes(32), previous: undefined };
const indexKey = randomBytes(32);
const vault = createVault({
  master: masterKeys,
  index: { current: indexKey, previous: undefined },
});
let database: TestDatabase;
let services: readonly [Service, Service];
let environment: Environment;
let folder: string;
let references = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  const first = await start();
  await prepareSandbox(first.pool, { masterKeys, operatorOrigin: 'http://127.0.0.1:9' });
  await first.directory.reload();
  await loadSubjects(first.pool, vault, exampleSubjects(lastMonthEnd(new Date())));
  services = [first, await start()];
  folder = await mkdtemp(path.join(tmpdir(), 'credit-governance-'));
  environment = {
    DATABASE_URL: database.url,
    DATABASE_OWNER_URL: database.ownerUrl,
    MASTER_KEY: masterKeys.current.toString('base64'),
    CREDIT_INDEX_KEY: indexKey.toString('base64'),
  };
});

afterAll(async () => {
  for (const service of services) await service.stop();
  await database.drop();
  await rm(folder, { recursive: true });
});

async function start(): Promise<Service> {
  return await compose({
    config: readConfig('sandbox', {
      ROLES: 'api',
      MASTER_KEY: masterKeys.current.toString('base64'),
      CREDIT_INDEX_KEY: indexKey.toString('base64'),
    }),
    databaseUrl: database.url,
    masterKeys,
    log: pino({ level: 'silent' }),
  });
}

interface Scored {
  readonly reference: string;
  readonly score: string;
}

async function ask(service: Service, nationalID = '900000001', reason = '2'): Promise<Scored> {
  references += 1;
  const reference = `Gov${references}`;
  const request = encode(
    '/generic-score',
    signed(
      {
        vid: 'demo',
        requestReference: reference,
        reportReason: reason,
        reportSector: '2',
        nationalID,
        name1: 'Amani',
        name2: 'Baraka',
      },
      'demo-security-key',
    ),
    'json',
  );
  const answered = await service.app.inject(request);
  expect(answered.statusCode).toBe(200);
  const text = /"positiveScore":"(\d*)"/.exec(answered.body);
  return { reference, score: text?.[1] ?? '' };
}

async function malipo(...args: string[]): Promise<Record<string, unknown>> {
  const ran = await inProcess(environment, 'credit', ...args, '--json');
  expect(ran.stderr).toBe('');
  return JSON.parse(ran.stdout) as Record<string, unknown>;
}

/** Proposes a card, and approves it as another person. */
async function assign(...args: string[]): Promise<void> {
  expect((await creditByTwo(environment, 'scorecard', ...args)).stderr).toBe('');
}

async function refused(...args: string[]): Promise<string> {
  return (await creditByTwo(environment, 'scorecard', ...args)).stderr;
}

async function fails(...args: string[]): Promise<string> {
  const ran = await inProcess(environment, 'credit', ...args);
  expect(ran.exitCode).not.toBe(0);
  return ran.stderr;
}

/** A card that gives everybody 50 points more than the shipped one. */
async function generousCard(version: number): Promise<string> {
  const { generic } = shippedScorecards();
  const file = path.join(folder, `generous-${version}.json`);
  const basePoints = generic.basePoints + 50;
  await writeFile(file, JSON.stringify({ ...generic, id: 'generous', version, basePoints }));
  return file;
}

async function scoreBecomes(service: Service, expected: number): Promise<void> {
  await until(async () => Number((await ask(service)).score) === expected);
}

test('a card is put in force, and rolled back, in every process without a restart', async () => {
  const [first, second] = services;
  const before = Number((await ask(first)).score);
  expect(before).toBeGreaterThan(500);
  expect(await malipo('scorecard', 'add', await generousCard(1))).toMatchObject({
    card: 'generous@1',
  });
  await assign('use', 'generic', 'generous@1', '--reason', 'trial');
  await scoreBecomes(first, before + 50);
  await scoreBecomes(second, before + 50);
  const { reference } = await ask(first);
  const listed = await malipo('enquiries', '--vid', 'demo', '--reference', reference);
  expect(listed['enquiries']).toMatchObject([{ scorecard: 'generous@1' }]);
  await assign('use', 'generic', 'default', '--reason', 'rolled back');
  await scoreBecomes(first, before);
  await scoreBecomes(second, before);
  const { changes } = await malipo('scorecard', 'changes');
  expect(changes).toMatchObject([
    { champion: null, reason: 'rolled back (proposed by Asha, approved by Baraka)' },
    { champion: 'generous@1', reason: 'trial (proposed by Asha, approved by Baraka)' },
  ]);
});

test('a card that does not fit is refused, and a name never refers to another card', async () => {
  expect(await refused('use', 'mobile', 'generous@1', '--reason', 'x')).toMatch(
    /is a generic card/,
  );
  expect(await refused('use', 'generic', 'nobody@1', '--reason', 'x')).toMatch(/does not exist/);
  const { generic } = shippedScorecards();
  const other = path.join(folder, 'other.json');
  await writeFile(other, JSON.stringify({ ...generic, id: 'generous', version: 1 }));
  expect(await fails('scorecard', 'add', other)).toMatch(/exists with other content/);
  const wrong = path.join(folder, 'wrong.json');
  await writeFile(wrong, JSON.stringify({ ...generic, basePoints: 1.5 }));
  expect(await fails('scorecard', 'add', wrong)).toMatch(/not a valid scorecard/);
  // Past answers name the shipped card: nobody says something else about where it comes from.
  const shadow = path.join(folder, 'shadow.json');
  await writeFile(shadow, JSON.stringify({ ...generic, about: { origin: 'our portfolio' } }));
  expect(await fails('scorecard', 'add', shadow)).toMatch(/exists with other content/);
});

test('a card that is changed in the database while it waits is not put in force', async () => {
  const owner = createPool({ url: database.ownerUrl, max: 1, name: 'owner' });
  const setPoints = async (points: number): Promise<void> =>
    void (await owner.query(
      `update scorecards set body = jsonb_set(body, '{basePoints}', to_jsonb($1::integer))
       where card = 'generous@1'`,
      [points],
    ));
  const grounds = ['--reason', 'x', '--evidence', 'y', '--by', 'Asha'];
  const words = ['scorecard', 'challenge', 'generic', 'generous@1', ...grounds];
  const { proposal, seen } = await malipo(...words);
  await setPoints(900);
  const approve = ['proposal', 'approve', String(proposal), '--by', 'Baraka', '--seen'];
  const refusal = await inProcess(environment, ...approve, String(seen));
  expect(refusal.stderr).toContain('The card has changed since it was proposed');
  await setPoints(shippedScorecards().generic.basePoints + 50);
  await must(environment, 'proposal', 'reject', String(proposal), '--by', 'Baraka', '--note', 'x');
  await owner.end();
});

test('a challenger is scored alongside and recorded, but in no answer', async () => {
  const [first] = services;
  const before = Number((await ask(first)).score);
  await malipo('scorecard', 'add', await generousCard(2));
  await assign('challenge', 'generic', 'generous@2', '--reason', 'next card');
  const shadows = async (reason: number) =>
    (
      await first.pool.query<{ score: number; challenger: string; challenger_score: number }>(
        `select score, challenger, challenger_score from subject_enquiries
         where challenger is not null and report_reason = $1`,
        [reason],
      )
    ).rows;
  await until(async () => {
    expect(Number((await ask(first)).score)).toBe(before);
    return (await shadows(2)).length > 0;
  });
  for (const row of await shadows(2)) {
    expect(row).toEqual({ score: before, challenger: 'generous@2', challenger_score: before + 50 });
  }
  const { cards } = await malipo('scorecard', 'list');
  const roles = (cards as { card: string; role: string | null }[]).filter(
    ({ role }) => role !== null,
  );
  expect(roles.map(({ card, role }) => `${card} ${role}`).toSorted()).toEqual([
    'generous@2 challenger',
    `malipo-generic@${shippedScorecards().generic.version} champion`,
    `malipo-mobile@${shippedScorecards().mobile.version} champion`,
  ]);
});

test('the months show both side by side, without monitoring enquiries and repeats', async () => {
  const [first] = services;
  await ask(first, '900000003');
  await ask(first, '900000005', '3');
  const { months } = await malipo('monitor', '--months', '1');
  const rows = months as { role: string; card: string; people: number; mean_score: number }[];
  const of = (role: string) => rows.find((row) => row.role === role);
  // 900000001, who was asked about many times, and 900000003.
  expect(rows.filter(({ role }) => role === 'champion').map(({ people }) => people)).toContain(2);
  expect(of('challenger')).toMatchObject({ card: 'generous@2' });
});

test('predicted and observed defaults meet once the period of observation has ended', async () => {
  const { pool } = services[0];
  const now = new Date();
  const yearsAgo = (years: number): Date => new Date(now.getTime() - years * 365.25 * 86_400_000);
  // 900000003 has been in default for months; 900000001 never was.
  await pool.query(
    `insert into subject_enquiries (crn, enquired_at, enquiry_id, vendor_id, asked_by, sector,
       operation, report_reason, scorecard, score)
     select distinct on (s.crn) s.crn, $1::timestamptz, gen_random_uuid(), 1, 'A', 'bank', 'generic-score', 2, 'old@1', 600
     from account_states s where s.as_of > $1::timestamptz and s.as_of <= $1::timestamptz + interval '12 months'`,
    [yearsAgo(1.05)],
  );
  const period = { from: yearsAgo(1.5), until: now, now, timeZone: 'Africa/Nairobi' };
  const people = (await readScoredPeople(pool, period)).filter(({ card }) => card === 'old@1');
  expect(people.length).toBeGreaterThan(0);
  expect(people.every(({ isKnown }) => isKnown)).toBe(true);
  const expected = await pool.query<{ bad: boolean; people: number }>(
    `select bad, count(*)::integer as people from (
       select crn, bool_or(days_in_arrears >= 90) as bad from account_states,
         lateral (select ($1::timestamptz at time zone 'Africa/Nairobi')::date as day) e
       where as_of > e.day and as_of <= e.day + interval '12 months' group by crn) c
     group by bad order by bad`,
    [yearsAgo(1.05)],
  );
  const counted = people
    .map(({ isBad, people: count }) => ({ bad: isBad, people: count }))
    .toSorted((a, b) => Number(a.bad) - Number(b.bad));
  expect(counted).toEqual(expected.rows);
});

test.each([
  // At one in the morning of the first, while it is still the month before in UTC.
  ['Africa/Nairobi', '2019-04-30T22:00:00Z', ['2019-05']],
  // In the evening before the first, which is the first in UTC.
  ['America/New_York', '2019-05-01T01:00:00Z', []],
])('months begin where the service is: %s', async (timeZone, enquiredAt, months) => {
  const { pool } = services[0];
  const card = `${timeZone}@1`;
  await pool.query(
    `insert into subject_enquiries (crn, enquired_at, enquiry_id, vendor_id, asked_by, sector,
       operation, report_reason, scorecard, score)
     select max(crn), $1, gen_random_uuid(), 1, 'A', 'bank', 'generic-score', 2, $2, 600 from subjects`,
    [enquiredAt, card],
  );
  const now = new Date('2019-05-20T12:00:00Z');
  const figures = await readMonths(pool, { months: 1, now, timeZone });
  expect(figures.filter((one) => one.card === card).map(({ month }) => month)).toEqual(months);
});

test('a card without a reference is compared with its first large month, however long ago', async () => {
  const { pool } = services[0];
  const timeZone = 'Africa/Nairobi';
  const score200 = async (at: string, score: number): Promise<void> => {
    await pool.query(
      `insert into subject_enquiries (crn, enquired_at, enquiry_id, vendor_id, asked_by, sector,
         operation, report_reason, scorecard, score)
       select crn, $1, gen_random_uuid(), 1, 'A', 'bank', 'generic-score', 2, 'plain@1', $2
       from generate_series(5000001, 5000200) crn`,
      [at, score],
    );
  };
  await score200('2015-03-10T12:00:00Z', 600);
  await measureMonths(pool, { now: new Date('2015-03-20T12:00:00Z'), timeZone });
  await score200('2016-09-10T12:00:00Z', 800);
  const now = new Date('2016-09-20T12:00:00Z');
  for (const months of [1, 14]) {
    const figures = await readMonths(pool, { months, now, timeZone });
    expect(figures).toMatchObject([{ month: '2016-09', comparedWith: '2015-03' }]);
    expect(figures[0]!.stabilityIndex).toBeGreaterThan(0.25);
  }
});

test('what lenders submitted for the day of the enquiry is no outcome, also after midnight', async () => {
  const { pool } = services[0];
  const timeZone = 'Africa/Nairobi';
  await pool.query(
    `insert into subject_enquiries (crn, enquired_at, enquiry_id, vendor_id, asked_by, sector,
       operation, report_reason, scorecard, score)
     select crn, (max(as_of) + time '01:00') at time zone $1, gen_random_uuid(), 1, 'A', 'bank',
       'generic-score', 2, 'night@1', 600
     from account_states group by crn`,
    [timeZone],
  );
  const now = new Date(Date.now() + 730 * 86_400_000);
  const people = await readScoredPeople(pool, { from: new Date(0), until: now, now, timeZone });
  const atNight = people.filter(({ card }) => card === 'night@1');
  expect(atNight.length).toBeGreaterThan(0);
  expect(atNight.filter(({ isKnown }) => isKnown)).toEqual([]);
});

test('the metrics show what was measured last', async () => {
  const { pool } = services[0];
  await measureMonths(pool, { now: new Date(), timeZone: 'Africa/Nairobi' });
  await measureMonths(pool, { now: new Date(), timeZone: 'Africa/Nairobi' });
  const text = await metricsOf(pool).render();
  expect(text).toMatch(
    /malipo_scored_people\{kind="generic",card="generous@2",role="challenger"\} \d/,
  );
  expect(text).toMatch(
    /malipo_score_observed_default_share\{kind="generic",card="old@1",role="champion"\}/,
  );
});

test('the scores of a card that was replaced do not drift any more', async () => {
  const { pool } = services[0];
  const { generic } = shippedScorecards();
  const month = { month: '2016-01', kind: 'generic', role: 'champion', people: 300 } as const;
  const measured = { stabilityIndex: 0.4, predicted: 0.1, observed: 0.2 };
  const unknown = { meanScore: 600, comparedWith: 'training', known: 0, auc: null, badSoFar: 0 };
  const of = (card: string) => ({ ...month, card, ...measured, ...unknown });
  await storeMonths(pool, [of('replaced@1'), of(`${generic.id}@${generic.version}`)], new Date());
  const lines = (await metricsOf(pool).render()).split('\n');
  const cardsOf = (metric: string): string[] =>
    lines.flatMap((line) =>
      line.startsWith(metric) ? (/card="([^"]+)"/.exec(line)?.[1] ?? []) : [],
    );
  expect(cardsOf('malipo_score_stability_index')).not.toContain('replaced@1');
  expect(cardsOf('malipo_scored_people')).not.toContain('replaced@1');
  expect(cardsOf('malipo_scored_people')).toContain(`${generic.id}@${generic.version}`);
  // What became of the people whom it scored is known a year later only.
  expect(cardsOf('malipo_score_observed_default_share')).toContain('replaced@1');
});

test('an override is recorded with the card and the score it goes against', async () => {
  const { reference, score } = await ask(services[0]);
  const add = ['override', 'add', '--vid', 'demo', '--reference', reference];
  const why = ['--reason', 'Steady income seen', '--decided-by', 'N. Kamau'];
  expect(await malipo(...add, '--decision', 'declined', ...why)).toMatchObject({ score });
  expect(
    await fails(
      'override',
      'add',
      '--vid',
      'demo',
      '--reference',
      'Nothing',
      '--decision',
      'approved',
      ...why,
    ),
  ).toMatch(/No answered enquiry/);
  const { overrides } = await malipo('override', 'list', '--vid', 'demo');
  expect(overrides).toMatchObject([
    { decision: 'declined', score, decided_by: 'N. Kamau', reason: 'Steady income seen' },
  ]);
  const { months } = await malipo('monitor', '--months', '1');
  const total = (months as { overrides: number }[]).reduce((sum, one) => sum + one.overrides, 0);
  expect(total).toBe(1);
});

// The role of a cluster to test on is the owner.
test.skipIf(CITUS_URL !== undefined)('the service cannot change an override', async () => {
  await expect(
    services[0].pool.query(`update score_overrides set decision = 'approved'`),
  ).rejects.toThrow(/permission denied/);
});
