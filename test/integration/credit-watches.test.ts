import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { proposeMerge, proposeUnmerge } from '../../src/credit/decisions/propose.ts';
import { watchAll } from '../../src/credit/watches/job.ts';
import { listSubjectWatches, listVendorWatches } from '../../src/credit/watches/read-watches.ts';
import { shippedScorecards } from '../../src/credit/scorecards/score.ts';
import { findVendor } from '../../src/parties/read-vendors.ts';
import { setWebhook } from '../../src/payments/events/administer.ts';
import { systemClock } from '../../src/platform/base/clock.ts';
import { createMac } from '../../src/platform/base/mac.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { approveProposal, decisionDeps, groundsOf } from '../support/credit-decisions.ts';
import { fresh } from '../support/demo-vendors.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { encode, send, signed } from '../support/vendor-client.ts';
import type { Answer, Params, VendorClient } from '../support/vendor-client.ts';

const HOUR_MS = 3_600_000;

let database: TestDatabase;
let running: InProcessService;
let nowMs = Date.now();

beforeAll(async () => {
  database = await createServiceDatabase();
  running = await startInProcess(database.url);
});

afterAll(async () => {
  await running.stop();
  await database.drop();
});

async function ask(vendor: VendorClient, path: string, params: Params): Promise<Answer> {
  const all = signed({ vid: vendor.vid, ...params }, vendor.key);
  return await send(running.origin, encode(path, all, 'json'));
}

/** Makes an enquiry about the customer; returns its reference. */
async function enquire(vendor: VendorClient, reportReason = '2'): Promise<string> {
  const requestReference = fresh('R').replaceAll('-', '');
  const answer = await ask(vendor, '/generic-score', {
    requestReference,
    reportReason,
    reportSector: '2',
    nationalID: '900000001',
    name1: 'Amani',
    name2: 'Baraka',
  });
  expect(answer.status).toBe(200);
  return requestReference;
}

async function vendorWithWebhook(): Promise<{ vendor: VendorClient; vendorId: number }> {
  const vendor = await running.addVendor({ sector: 'bank' });
  const row = await findVendor(running.service.pool, vendor.vid);
  if (row === undefined) throw new Error('The vendor is missing');
  await setWebhook(running.service.pool, row, {
    url: 'http://127.0.0.1:9/hook',
    allowsPrivate: true,
    sealing: () => Promise.resolve(running.sealing),
  });
  return { vendor, vendorId: row.vendorId };
}

/** Checks every customer, an hour after the last check. */
async function look(): Promise<void> {
  nowMs += HOUR_MS;
  await watchAll({
    pool: running.service.pool,
    clock: { now: () => new Date(nowMs) },
    timeZone: 'Africa/Nairobi',
    retentionDays: 1826,
    cards: shippedScorecards,
    everyMs: HOUR_MS,
  });
}

interface Event {
  readonly type: string;
  readonly details: Readonly<Record<string, unknown>>;
}

async function eventsOf(vendorId: number): Promise<Event[]> {
  const read = await running.service.pool.query<Event>(
    'select type, details from events where vendor_id = $1 order by event_id',
    [vendorId],
  );
  return read.rows;
}

test('a vendor gets one event for a default, an enquiry elsewhere and a lower score', async () => {
  const { vendor, vendorId } = await vendorWithWebhook();
  const began = new Date();
  const requestReference = await enquire(vendor);
  const watched = await ask(vendor, '/watch', { requestReference, scoreDrop: '20' });
  expect(watched).toMatchObject({ status: 200, body: { msg: { status: 1, requestReference } } });
  await look();
  await look();
  expect(await eventsOf(vendorId)).toEqual([]);

  const other = await running.addVendor({ sector: 'sacco' });
  await enquire(other, '12');
  // Monitoring by others, and the vendor's own enquiries, are not reported.
  await enquire(other, '3');
  await enquire(vendor);
  await look();
  const [enquired, ...others] = await eventsOf(vendorId);
  expect(enquired).toEqual({
    type: 'credit.enquiry',
    details: { requestReference, crn: '1000001', enquiries: 1, sectors: ['sacco'] },
  });
  expect(others.filter(({ type }) => type !== 'credit.score_drop')).toEqual([]);

  await running.service.pool.query(
    `update account_states s set overdue_cents = 5000000, balance_cents = 9000000,
       days_in_arrears = 200, instalments_in_arrears = 4, risk_class = 'D'
     where (crn, account_id, as_of) = (select crn, account_id, as_of from account_states
       where crn = 1000001 and status = 'F' order by as_of desc limit 1)`,
  );
  await look();
  await look();
  const later = (await eventsOf(vendorId)).slice(1 + others.length);
  expect(later.map(({ type }) => type).toSorted()).toEqual(['credit.default', 'credit.score_drop']);
  expect(later.find(({ type }) => type === 'credit.default')?.details).toEqual({
    requestReference,
    crn: '1000001',
    accounts: 1,
  });

  // Followers skip an event that is older than its database transaction, whatever our clock says.
  const times = await running.service.pool.query<{ at: boolean }>(
    'select distinct occurred_at between $2 and now() as at from events where vendor_id = $1',
    [vendorId, began],
  );
  expect(times.rows).toEqual([{ at: true }]);

  const { vid } = vendor;
  const watches = async (): Promise<unknown> =>
    await listVendorWatches(running.service.pool, { vendorId, after: '', limit: 10 });
  expect(await watches()).toMatchObject([
    { requestReference, crn: 1_000_001n, scoreDrop: 20, endedAt: null },
  ]);
  const seen = async (): Promise<number[]> =>
    (await listSubjectWatches(running.service.pool, [1_000_001n])).map((one) => one.vendorId);
  expect(await seen()).toEqual([vendorId]);
  // In the name of another vendor, with a key of this one.
  for (const [path, more] of [
    ['/watch', { scoreDrop: '30' }],
    ['/unwatch', {}],
  ] as const) {
    const forged = signed({ vid, requestReference, ...more }, other.key);
    expect(await send(running.origin, encode(path, forged, 'json'))).toMatchObject({
      status: 401,
      body: { error: [{ code: 'signature_invalid' }] },
    });
  }
  expect(await watches()).toMatchObject([{ scoreDrop: 20, endedAt: null }]);

  expect((await ask(vendor, '/unwatch', { requestReference })).status).toBe(200);
  expect(await seen()).toEqual([]);
  expect((await ask(vendor, '/unwatch', { requestReference })).status).toBe(200);
  await enquire(await running.addVendor());
  const before = await eventsOf(vendorId);
  await look();
  expect(await eventsOf(vendorId)).toEqual(before);
});

test('only the customer of an answered enquiry can be watched', async () => {
  const { vendor } = await vendorWithWebhook();
  const requestReference = await enquire(vendor);
  const other = await running.addVendor();
  const missed = fresh('M').replaceAll('-', '');
  await ask(other, '/generic-score', {
    requestReference: missed,
    reportReason: '2',
    reportSector: '2',
    nationalID: '900000001',
    name1: 'Juma',
    name2: 'Otieno',
  });
  for (const reference of [requestReference, missed, 'Unknown1']) {
    for (const [path, more] of [
      ['/watch', { scoreDrop: '30' }],
      ['/unwatch', {}],
    ] as const) {
      const params = { requestReference: reference, ...more };
      expect(await ask(other, path, params)).toMatchObject({
        status: 404,
        body: { error: [{ code: 'unknown_reference', field: 'requestReference' }] },
      });
    }
  }
});

test('a watch that starts again is of the customer whom the reference found last', async () => {
  const { vendor, vendorId } = await vendorWithWebhook();
  const watched = async (): Promise<bigint | undefined> => {
    const of = { vendorId, after: '', limit: 10 };
    return (await listVendorWatches(running.service.pool, of))[0]?.crn;
  };
  const requestReference = await enquire(vendor);
  const watch = { requestReference, scoreDrop: '20' };
  expect((await ask(vendor, '/watch', watch)).status).toBe(200);
  await look();
  // A reference is unique for each operation only, so another one may be about somebody else.
  const about = { requestReference, reportReason: '2', nationalID: '900000003' };
  expect((await ask(vendor, '/id-decision', about)).status).toBe(200);
  expect((await ask(vendor, '/watch', watch)).status).toBe(200);
  expect(await watched()).toBe(1_000_001n);
  expect((await ask(vendor, '/unwatch', { requestReference })).status).toBe(200);
  expect((await ask(vendor, '/watch', watch)).status).toBe(200);
  expect(await watched()).toBe(1_000_003n);
  await look();
  expect(await eventsOf(vendorId)).toEqual([]);
});

test('a watch that was set while two people were one goes on about the right one, or ends', async () => {
  const { pool } = running.service;
  const { vendor, vendorId } = await vendorWithWebhook();
  const deps = decisionDeps({ pool, clock: systemClock, ledgerMac: createMac(randomBytes(32)) });
  const decide = async (proposed: Promise<{ readonly proposalId: string }>) =>
    await approveProposal(deps, { proposalId: (await proposed).proposalId, by: 'Baraka' });
  const grounds = groundsOf('One name', 'Letter 9');
  const watch = async (documents: Params): Promise<string> => {
    const requestReference = fresh('W').replaceAll('-', '');
    const asked = await ask(vendor, '/id-decision', {
      requestReference,
      reportReason: '2',
      ...documents,
    });
    expect(asked.status).toBe(200);
    expect((await ask(vendor, '/watch', { requestReference, scoreDrop: '20' })).status).toBe(200);
    return requestReference;
  };
  const [from, into] = [1_000_003n, 1_000_001n];
  const before = await watch({ nationalID: '900000001' });
  await decide(proposeMerge(deps, { from, into }, grounds));
  const hers = await watch({ nationalID: '900000001' });
  const his = await watch({ nationalID: '900000003' });
  const both = await watch({ nationalID: '900000003', taxID: 'Z900000001A' });
  await decide(proposeUnmerge(deps, from, grounds));
  const watches = await listVendorWatches(pool, { vendorId, after: '', limit: 10 });
  const of = (reference: string) =>
    watches.find(({ requestReference }) => requestReference === reference);
  expect(of(before)).toMatchObject({ crn: into, endedAt: null });
  expect(of(hers)).toMatchObject({ crn: into, endedAt: null });
  expect(of(his)).toMatchObject({ crn: from, endedAt: null });
  expect(of(both)?.endedAt).not.toBeNull();
  const again = { requestReference: both, scoreDrop: '20' };
  expect((await ask(vendor, '/watch', again)).status).toBe(404);
});
