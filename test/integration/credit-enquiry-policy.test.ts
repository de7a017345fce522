import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isoDay } from '../../src/platform/base/days.ts';
import { startOfDay } from '../../src/credit/registry/day.ts';
import { isMiss, missDelayMs, refusalCodeOf } from '../../src/credit/enquiries/disclosure.ts';
import { ENQUIRY_OUTCOMES } from '../../src/credit/enquiries/record.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { changeVendor } from '../../src/parties/administer.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { fresh } from '../support/demo-vendors.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { moved } from '../support/moved.ts';
import { SelfServiceClient } from '../support/self-service-client.ts';
import { encode, send, signed } from '../support/vendor-client.ts';
import type { Answer, Params, VendorClient } from '../support/vendor-client.ts';

const MISSES_PER_HOUR = 5;
const OPERATIONS = ['id-decision', 'generic-score', 'mobile-loan-score'] as const;
type Operation = (typeof OPERATIONS)[number];

let database: TestDatabase;
let running: InProcessService;
/** Another process on the same database. */
let second: InProcessService;

beforeAll(async () => {
  database = await createServiceDatabase();
  const environment = { CREDIT_MISSES_PER_HOUR: String(MISSES_PER_HOUR) };
  running = await startInProcess(database.url, { environment });
  second = await startInProcess(database.url, { environment });
});

afterAll(async () => {
  await second.stop();
  await running.stop();
  await database.drop();
});

const NAMES = { name1: 'Amani', name2: 'Baraka' };
const CONSENT = { consentReference: 'C1', consentDate: '2020-11-01' };
const UNKNOWN = { nationalID: '999999999', ...NAMES };
const MISMATCH = { nationalID: '900000001', name1: 'Juma', name2: 'Otieno' };
/** A document of somebody else, and a number that contradicts the one on file. */
const CONFLICTS = [
  { nationalID: '900000001', passportNo: 'SYNA0000003', ...NAMES },
  { nationalID: '900000001', taxID: 'Z900000003A', ...NAMES },
] as const;

async function ask(
  vendor: VendorClient,
  operation: Operation,
  params: Params,
  origin = running.origin,
): Promise<Answer> {
  const { vid, key } = vendor;
  const all = {
    vid,
    requestReference: fresh('R').replaceAll('-', ''),
    reportReason: '2',
    ...(operation === 'id-decision' ? {} : { reportSector: '2' }),
    ...params,
  };
  return await send(origin, encode(`/${operation}`, signed(all, key), 'json'));
}

/** Everything in an answer except the parts that differ in every answer. */
function comparable({ status, headers, text, body }: Answer): object {
  const { date: _date, 'x-request-id': _id, ...others } = headers;
  return { status, headers: others, text: text.replace(String(body.request_id), '') };
}

async function strictVendor(): Promise<VendorClient> {
  const vendor = await running.addVendor({ enquiryPolicy: 'strict' });
  await second.service.directory.reload();
  return vendor;
}

describe('a vendor with strict enquiries', () => {
  test.each(OPERATIONS)('gets no %s without names and consent', async (operation) => {
    const vendor = await strictVendor();
    const whole = { nationalID: '900000001', ...NAMES, ...CONSENT };
    for (const [left, field] of [
      [['name1', 'name2'], 'name1'],
      [['name2'], 'name2'],
      [['consentReference'], 'consentReference'],
      [['consentDate'], 'consentDate'],
    ] as const) {
      const params = Object.fromEntries(
        Object.entries(whole).filter(([name]) => !left.some((one) => one === name)),
      );
      const { status, body } = await ask(vendor, operation, params);
      expect({ left, status, error: body.error }).toMatchObject({
        status: 400,
        error: [{ code: 'missing_field', field }],
      });
    }
    expect((await ask(vendor, operation, whole)).status).toBe(200);
  });

  test.each(OPERATIONS)(
    'cannot find out from a %s whether a document is on file',
    async (operation) => {
      const vendor = await strictVendor();
      const answers = [];
      // Four misses, one less than the limit.
      for (const params of [UNKNOWN, MISMATCH, ...CONFLICTS]) {
        answers.push(comparable(await ask(vendor, operation, { ...params, ...CONSENT })));
      }
      expect(answers[0]).toMatchObject({ status: 404, text: expect.stringContaining('"202"') });
      for (const answer of answers) expect(answer).toEqual(answers[0]);
    },
  );

  test('cannot find it out from its list of enquiries either, or from what the list finds', async () => {
    const vendor = await strictVendor();
    const [conflict] = CONFLICTS;
    for (const params of [UNKNOWN, MISMATCH, conflict, { nationalID: '900000001', ...NAMES }]) {
      await ask(vendor, 'generic-score', { ...params, ...CONSENT });
    }
    const program = new SelfServiceClient(running.origin, vendor);
    const outcomes = async (query: { readonly outcome?: string }): Promise<unknown[]> =>
      (await program.all('listEnquiries', query)).map(({ outcome }) => outcome);
    const misses = ['not_found', 'not_found', 'not_found'];
    expect(await outcomes({})).toEqual(['answered', ...misses]);
    expect(await outcomes({ outcome: 'not_found' })).toEqual(misses);
    expect(await outcomes({ outcome: 'mismatch' })).toEqual([]);
    expect(await outcomes({ outcome: 'conflict' })).toEqual([]);
    expect(await outcomes({ outcome: 'answered' })).toEqual(['answered']);

    await changeVendor(running.service.pool, vendor.vid, { enquiryPolicy: 'open' });
    await running.service.directory.reload();
    expect(await outcomes({})).toEqual(['answered', 'conflict', 'mismatch', 'not_found']);
    expect(await outcomes({ outcome: 'mismatch' })).toEqual(['mismatch']);
  });

  test('needs two names that agree, also for an identity decision', async () => {
    const vendor = await strictVendor();
    const one = { nationalID: '900000001', name1: 'Amani', name2: 'Amani', ...CONSENT };
    expect((await ask(vendor, 'id-decision', one)).body.error?.[0]?.code).toBe('subject_not_found');
    const open = await running.addVendor();
    expect((await ask(open, 'id-decision', one)).status).toBe(200);
  });

  test('learns nothing from frequent names, or by guessing a second document', async () => {
    const vendor = await strictVendor();
    const dragnet = {
      nationalID: '900000001',
      name1: 'Mary John Peter Amani Joseph Grace',
      name2: 'Baraka Kamau Mwangi Otieno Wanjiru Njoroge',
      ...CONSENT,
    };
    const known = { nationalID: '900000001', ...NAMES, name3: 'Wanjiru', ...CONSENT };
    const nobodys = await ask(vendor, 'id-decision', { ...known, passportNo: 'SYNA9999999' });
    const somebodys = await ask(vendor, 'id-decision', { ...known, passportNo: 'SYNA0000004' });
    expect((await ask(vendor, 'id-decision', dragnet)).body.error?.[0]?.code).toBe(
      'subject_not_found',
    );
    expect(nobodys.body.error?.[0]?.code).toBe('subject_not_found');
    expect(comparable(nobodys)).toEqual(comparable(somebodys));
    expect((await ask(vendor, 'id-decision', known)).status).toBe(200);
    const blank = await ask(vendor, 'id-decision', { ...known, consentReference: ' ' });
    expect(blank.body.error?.[0]).toMatchObject({
      code: 'missing_field',
      field: 'consentReference',
    });
    const ancient = await ask(vendor, 'id-decision', { ...known, consentDate: '0001-01-01' });
    expect(ancient.body.error?.[0]).toMatchObject({ code: 'invalid_field', field: 'consentDate' });
  });

  test('gets the same refusal for a repeat, and the true outcome is recorded', async () => {
    const vendor = await strictVendor();
    const params = { ...MISMATCH, ...CONSENT, requestReference: fresh('M').replaceAll('-', '') };
    const first = comparable(await ask(vendor, 'generic-score', params));
    expect(comparable(await ask(vendor, 'generic-score', params))).toEqual(first);
    const kept = await running.service.pool.query<{ outcome: string }>(
      'select outcome from enquiries where request_reference = $1',
      [params.requestReference],
    );
    expect(kept.rows).toEqual([{ outcome: 'mismatch' }]);
  });

  test('has a limited number of misses an hour across all processes, then only repeats', async () => {
    const vendor = await strictVendor();
    const hit = { nationalID: '900000001', ...NAMES, ...CONSENT };
    const miss = { ...UNKNOWN, ...CONSENT, requestReference: fresh('L').replaceAll('-', '') };
    const first = comparable(await ask(vendor, 'generic-score', miss));
    for (let misses = 1; misses < MISSES_PER_HOUR; misses += 1) {
      const origin = misses % 2 === 0 ? running.origin : second.origin;
      const params = { ...(misses % 2 === 0 ? UNKNOWN : MISMATCH), ...CONSENT };
      // Hits cost nothing.
      expect((await ask(vendor, 'generic-score', hit, origin)).status).toBe(200);
      expect((await ask(vendor, 'generic-score', params, origin)).status).toBe(404);
    }
    for (const { origin } of [running, second]) {
      const refused = await ask(vendor, 'id-decision', hit, origin);
      expect(refused).toMatchObject({
        status: 429,
        body: { error: [{ code: 'too_many_requests' }] },
      });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000);
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(3_600);
    }
    expect(comparable(await ask(vendor, 'generic-score', miss))).toEqual(first);
    expect((await ask(await strictVendor(), 'generic-score', hit)).status).toBe(200);

    // An hour later. Only the owner may change records.
    const owner = createPool({ url: database.ownerUrl, max: 1, name: 'owner' });
    await owner.query(
      `update enquiries set enquired_at = ${moved('enquired_at', '-61 minutes')}
       where vendor_id = (select vendor_id from vendors where vid = $1)`,
      [vendor.vid],
    );
    await owner.end();
    expect((await ask(vendor, 'id-decision', hit)).status).toBe(200);
  });

  test('cannot get past the limit by asking everything at once', async () => {
    const vendor = await strictVendor();
    const answers = await Promise.all(
      Array.from({ length: 6 * MISSES_PER_HOUR }, async () => {
        return await ask(vendor, 'id-decision', { ...UNKNOWN, ...CONSENT });
      }),
    );
    const misses = answers.filter(({ status }) => status === 404).length;
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(answers.length - misses);
    expect(misses).toBeGreaterThanOrEqual(MISSES_PER_HOUR);
    expect(misses).toBeLessThanOrEqual(2 * MISSES_PER_HOUR);
  });

  test('a person switches a vendor from strict to open enquiries, and it gets other answers from then on', async () => {
    const vendor = await strictVendor();
    await changeVendor(running.service.pool, vendor.vid, { enquiryPolicy: 'open' });
    await running.service.directory.reload();
    const { body } = await ask(vendor, 'generic-score', MISMATCH);
    expect(body.error?.[0]?.code).toBe('subject_mismatch');
  });
});

describe('a vendor with open enquiries', () => {
  test('needs neither names nor consent, learns of mismatches, and has no limit of misses', async () => {
    const demo = running.demo();
    expect((await ask(demo, 'id-decision', { nationalID: '900000001' })).status).toBe(200);
    expect((await ask(demo, 'generic-score', { nationalID: '900000001', ...NAMES })).status).toBe(
      200,
    );
    for (let misses = 0; misses < 2 * MISSES_PER_HOUR; misses += 1) {
      const { body } = await ask(demo, 'generic-score', MISMATCH);
      expect(body.error?.[0]?.code).toBe('subject_mismatch');
    }
    const { body } = await ask(demo, 'generic-score', UNKNOWN);
    expect(body.error?.[0]?.code).toBe('subject_not_found');
  });
});

test('a consent may have the service’s own date, but no later one', async () => {
  const [eastmost, westmost] = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'];
  // At any time its date is at least one day ahead of the other's.
  const consentDate = isoDay(startOfDay(new Date(), eastmost));
  for (const [TIME_ZONE, status] of [
    [eastmost, 200],
    [westmost, 400],
  ] as const) {
    const service = await startInProcess(database.url, { environment: { TIME_ZONE } });
    try {
      const params = { nationalID: '900000001', consentDate };
      const answer = await ask(service.demo(), 'id-decision', params, service.origin);
      expect(answer.status, answer.text).toBe(status);
      if (status === 400) expect(answer.body.error?.[0]?.field).toBe('consentDate');
    } finally {
      await service.stop();
    }
  }
});

describe('what is disclosed of an outcome', () => {
  test('a strict vendor gets one refusal for every miss; an open one, one for each', () => {
    const refused = ENQUIRY_OUTCOMES.filter((outcome) => outcome !== 'answered');
    const misses = refused.filter(isMiss);
    expect(misses).toEqual(['not_found', 'mismatch', 'conflict']);
    expect(new Set(misses.map((outcome) => refusalCodeOf(outcome, 'strict'))).size).toBe(1);
    expect(new Set(refused.map((outcome) => refusalCodeOf(outcome, 'open'))).size).toBe(4);
  });

  test('does not show in the time: misses are answered at fixed steps', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 10_000, noNaN: true }), (elapsedMs) => {
        const delayMs = missDelayMs(elapsedMs);
        expect(delayMs).toBeGreaterThanOrEqual(0);
        expect(delayMs).toBeLessThan(50);
        const leavesMs = elapsedMs + delayMs;
        expect(Math.abs(leavesMs - Math.round(leavesMs / 50) * 50)).toBeLessThan(1e-6);
      }),
    );
  });
});
