import { afterEach, beforeEach, expect, test } from 'vitest';
import { retireKey, rotateKey } from '../../src/parties/administer.ts';
import { addPerson, changePerson } from '../../src/parties/people/administer.ts';
import { createLink } from '../../src/parties/people/links.ts';
import { listKeysOf } from '../../src/parties/read-keys.ts';
import {
  changeEventTypes,
  enableWebhook,
  removeWebhook,
  setEventTypes,
  setWebhook,
  stopWebhook,
} from '../../src/payments/events/administer.ts';
import { tellOfStaff, tellVendor } from '../../src/payments/events/tell-vendor.ts';
import { findWebhook } from '../../src/payments/events/read-webhooks.ts';
import { proposeSetting } from '../../src/payments/settings/propose.ts';
import { WEBHOOK } from '../../src/payments/settings/vendors.ts';
import { rotateAsStaff } from '../../src/payments/vendor-secrets/rotate.ts';
import { createProposals } from '../../src/proposal-kinds.ts';
import type { Actor } from '../../src/proposals/kind.ts';
import { sharedBooks } from '../support/shared-books.ts';
import type { Books } from '../support/money-fixture.ts';
import { approveSeen } from '../support/payouts.ts';
import { SEALING } from '../support/production-pair.ts';
import { addStaff } from '../support/staff.ts';

// A vendor learns what staff do with what spends its float, or with where it is told.

const freshBooks = sharedBooks();
let books: Books;
let vendor: { vendorId: number; vid: string };
let asha: Actor;
let baraka: Actor;

beforeEach(async () => {
  books = await freshBooks();
  const vendorId = await books.addVendor();
  vendor = { vendorId, vid: `vendor-${vendorId}` };
  await rotateKey(
    books.pool,
    { holderKind: 'vendor', holder: vendor.vid },
    { ...SEALING, overlapSeconds: 0 },
  );
  const sealing = async () => SEALING;
  const url = 'http://127.0.0.1:9/first';
  await setWebhook(books.pool, vendor, { url, allowsPrivate: true, sealing });
  asha = await addStaff(books, { login: 'asha', name: 'Asha M.', role: 'administrator' });
  baraka = await addStaff(books, { login: 'baraka', name: 'Baraka M.', role: 'administrator' });
});
afterEach(async () => await books.close());

/** What the vendor's webhook gets, oldest first. */
async function events(): Promise<unknown[]> {
  const read = await books.pool.query<{ details: unknown }>(
    `select details from events where type = 'account.changed' order by occurred_at, event_id`,
  );
  return read.rows.map(({ details }) => details);
}

async function log(): Promise<string[]> {
  const read = await books.pool.query<{ route: string }>(
    `select route from request_log where vendor_id = $1 and method = 'STAFF' order by at, request_id`,
    [vendor.vendorId],
  );
  return read.rows.map(({ route }) => route);
}

test('vendors are told of a new secret and of a new webhook address, once another person has approved them', async () => {
  const { pool } = books;
  const proposals = createProposals(books);
  const about = { by: asha, note: 'it was asked' };
  const rotation = { vendor, of: 'vendor', overlapSeconds: 0 } as const;
  const { row } = await rotateAsStaff({ pool, proposals }, { ...rotation, ...about }, SEALING);
  const change = { url: 'http://127.0.0.1:9/second', allowsPrivate: true };
  const asked = { setting: WEBHOOK, key: vendor, change, ...about };
  const moved = await proposeSetting({ ...books, proposals }, asked);
  expect(await events()).toEqual([]);
  expect(await log()).toEqual([]);
  await approveSeen(books, row.proposalId, baraka);
  await approveSeen(books, moved.row.proposalId, baraka);
  expect(await events()).toEqual([
    { change: 'security_key', login: null },
    { change: 'webhook', login: null },
  ]);
  expect(await log()).toEqual(['/v1/keys', '/v1/webhook']);
});

test('vendors are told of a person whom staff invite, change or give a new link', async () => {
  const deps = { ...books, tell: tellVendor };
  const at = new Date();
  const made = { madeBy: asha.personId, now: at };
  const person = { login: 'till', name: 'T', role: 'vendor_cashier', vid: vendor.vid } as const;
  await addPerson(deps, person, at);
  await createLink(deps, 'till', made);
  await changePerson(deps, 'till', { status: 'disabled' });
  await addPerson(deps, { login: 'staff', name: 'S', role: 'support' }, at);
  expect(await events()).toEqual([
    { change: 'person_invited', login: 'till' },
    { change: 'person_changed', login: 'till' },
  ]);
});

test('vendors are told when staff end a former key before its overlap is over, and not when they end it themselves', async () => {
  const { pool } = books;
  const holder = { holderKind: 'vendor', holder: vendor.vid } as const;
  for (const viewer of [{}, { vendor }]) {
    await rotateKey(pool, holder, { ...SEALING, overlapSeconds: 600 });
    const [, former] = await listKeysOf(pool, holder);
    const tell = tellOfStaff(viewer, vendor.vendorId, 'security_key_ended');
    await retireKey(pool, holder, former?.keyId ?? '', tell);
  }
  expect(await events()).toEqual([{ change: 'security_key_ended', login: null }]);
});

test('always: nobody switches these events off, and the log tells of a webhook that is silenced', async () => {
  const { pool } = books;
  const off = changeEventTypes(
    pool,
    vendor,
    { on: [], off: ['account.changed'] },
    { isStaff: true },
  );
  await expect(off).rejects.toThrow('account.changed is always sent');
  await setEventTypes(pool, vendor, ['transaction.failed'], { isStaff: false });
  const { offTypes } = (await findWebhook(pool, vendor.vendorId)) ?? {};
  expect(offTypes).not.toContain('account.changed');
  await stopWebhook(pool, vendor, { isStaff: true });
  await removeWebhook(pool, vendor, { isStaff: true });
  expect(await log()).toEqual(['/v1/webhook', '/v1/webhook']);
});

test('vendors are told of a webhook that staff call again or choose the types of, and not of what changes nothing', async () => {
  const { pool } = books;
  for (const isStaff of [false, true]) {
    await stopWebhook(pool, vendor, { isStaff: false });
    await enableWebhook(pool, vendor, { isStaff });
    await enableWebhook(pool, vendor, { isStaff });
    await setEventTypes(pool, vendor, ['transaction.failed'], { isStaff });
    await changeEventTypes(pool, vendor, { on: ['float.low'], off: [] }, { isStaff });
    await changeEventTypes(pool, vendor, { on: ['float.low'], off: [] }, { isStaff });
  }
  const told = { change: 'webhook', login: null };
  expect(await events()).toEqual([told, told, told]);
});
