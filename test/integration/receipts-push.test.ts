import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addAccount } from '../../src/payments/receipts/administer.ts';
import type { PromptSent } from '../../src/connectors/source.ts';
import { checkTopUp, pushTopUp } from '../../src/payments/receipts/push.ts';
import { openSource } from '../../src/payments/receipts/sources.ts';
import type { OpenSource } from '../../src/payments/receipts/sources.ts';
import { findSource } from '../../src/payments/receipts/sources-store.ts';
import { openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { addDarajaSource, SOURCE, startProvider } from '../support/money-in.ts';
import type { Provider } from '../support/money-in.ts';

// Prompts on phones: repeated, lost, on another person's phone, above the limits.

let books: Books;
let provider: Provider;
let source: OpenSource;
beforeAll(async () => {
  books = await openBooks();
  provider = await startProvider();
  const masterKeys = { current: Buffer.alloc(32, 'test master key'), previous: undefined };
  const sealing = { masterKeys, certain: true };
  await addDarajaSource(books.pool, { origin: provider.origin, sealing });
  const row = await findSource(books.pool, SOURCE);
  const log = pino({ level: 'silent' });
  const by = { pool: books.pool, masterKeys, callbackBase: 'https://localhost/receipts', log };
  const opened = row && (await openSource(by, row));
  if (opened === undefined) throw new Error('the source cannot be opened');
  source = opened;
});
afterAll(async () => {
  await source.provider.close();
  await provider.close();
  await books.close();
});

let vendors = 0;

/** A vendor with an account number and its own phone number. */
async function newTopUp() {
  const vendorId = await books.addVendor();
  vendors += 1;
  const vid = `vendor-${vendorId}`;
  await addAccount(books, { sourceCode: SOURCE, account: `P${vendors}`, vid, by: 'Asha' });
  // 9909: the prompt is never answered.
  const phone = `2547${String(vendors).padStart(4, '0')}9909`;
  return { vendorId, phone, amountCents: 30_000n };
}

/** The source, with a provider that gives this answer. */
function answering(sent: PromptSent): OpenSource {
  return { ...source, provider: { ...source.provider, sendPush: async () => sent } };
}

async function makeOld(pushId: string): Promise<void> {
  await books.owner.query(
    `update receipt_pushes set created_at = now() - interval '11 minutes' where push_id = $1`,
    [pushId],
  );
}

test('20 simultaneous prompts for a vendor are one', async () => {
  const topUp = await newTopUp();
  const tried = await Promise.allSettled(
    Array.from({ length: 20 }, async () => pushTopUp(books.pool, source, topUp)),
  );
  expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('a phone has one prompt at a time, whichever vendor asks', async () => {
  const [one, other] = [await newTopUp(), await newTopUp()];
  const first = await pushTopUp(books.pool, source, one);
  const second = { ...other, phone: one.phone };
  await expect(pushTopUp(books.pool, source, second)).rejects.toThrow('phone');
  await makeOld(first.pushId);
  expect(await pushTopUp(books.pool, source, second)).toMatchObject({ state: 'sent' });
  expect(await checkTopUp(books.pool, source, first.pushId)).toMatchObject({ state: 'unknown' });
});

test.each([0n, -100n, 50n, 100_50n, 250_000_01n, 250_001_00n])(
  '%s cents are refused before anything is recorded',
  async (amountCents) => {
    const topUp = { ...(await newTopUp()), amountCents };
    await expect(pushTopUp(books.pool, source, topUp)).rejects.toThrow('whole shillings');
    const kept = await books.pool.query('select from receipt_pushes where vendor_id = $1', [
      topUp.vendorId,
    ]);
    expect(kept.rowCount).toBe(0);
  },
);

test('the largest amount is sent', async () => {
  const topUp = { ...(await newTopUp()), amountCents: 250_000_00n };
  expect(await pushTopUp(books.pool, source, topUp)).toMatchObject({ state: 'sent' });
});

test.each(['0722000000', '+254722000000', '25472200000', '254722000000 ', '255722000000', ''])(
  'the phone “%s” is refused',
  async (phone) => {
    const topUp = { ...(await newTopUp()), phone };
    await expect(pushTopUp(books.pool, source, topUp)).rejects.toThrow('12 digits');
  },
);

test('a vendor without an account number at the source gets no prompt', async () => {
  const topUp = { ...(await newTopUp()), vendorId: await books.addVendor() };
  await expect(pushTopUp(books.pool, source, topUp)).rejects.toThrow('no account number');
});

test('a prompt whose answer was lost is unknown, and never sent again automatically', async () => {
  const topUp = await newTopUp();
  const lost = answering({ kind: 'unknown', reason: 'timed out' });
  const push = await pushTopUp(books.pool, lost, topUp);
  expect(push).toMatchObject({ state: 'unknown', reason: 'timed out', checkoutId: null });
  expect(await checkTopUp(books.pool, source, push.pushId)).toEqual(push);
});

test('a refused prompt does not block the next one', async () => {
  const topUp = await newTopUp();
  const refusing = answering({ kind: 'refused', reason: 'Invalid PhoneNumber' });
  expect(await pushTopUp(books.pool, refusing, topUp)).toMatchObject({ state: 'refused' });
  expect(await pushTopUp(books.pool, source, topUp)).toMatchObject({ state: 'sent' });
});

test('a process that ends while it sends leaves a prompt that stays open for ten minutes', async () => {
  const topUp = await newTopUp();
  const dying = {
    ...source,
    provider: {
      ...source.provider,
      sendPush: async () => await Promise.reject(new Error('killed')),
    },
  };
  await expect(pushTopUp(books.pool, dying, topUp)).rejects.toThrow('killed');
  await expect(pushTopUp(books.pool, source, topUp)).rejects.toThrow('already open');
  const left = await books.pool.query<{ push_id: string; state: string }>(
    'select push_id, state from receipt_pushes where vendor_id = $1',
    [topUp.vendorId],
  );
  expect(left.rows).toMatchObject([{ state: 'recorded' }]);
  await makeOld(left.rows[0]?.push_id ?? '');
  expect(await pushTopUp(books.pool, source, topUp)).toMatchObject({ state: 'sent' });
});

test('an answer that comes after the prompt was given up changes nothing', async () => {
  const topUp = await newTopUp();
  let release: (sent: PromptSent) => void = () => undefined;
  const answered = new Promise<PromptSent>((resolve) => {
    release = resolve;
  });
  const asked = Promise.withResolvers<void>();
  const sendPush = async (): Promise<PromptSent> => {
    asked.resolve();
    return await answered;
  };
  const late = { ...source, provider: { ...source.provider, sendPush } };
  const first = pushTopUp(books.pool, late, topUp);
  await asked.promise;
  const open = await books.pool.query<{ push_id: string }>(
    'select push_id from receipt_pushes where vendor_id = $1',
    [topUp.vendorId],
  );
  await makeOld(open.rows[0]?.push_id ?? '');
  const second = await pushTopUp(books.pool, source, topUp);
  release({ kind: 'sent', checkoutId: 'ws_CO_late' });
  expect(await first).toMatchObject({ state: 'unknown' });
  expect(await checkTopUp(books.pool, source, second.pushId)).toMatchObject({ state: 'sent' });
});

test('a prompt that was given up can still be queried, but only at its own source', async () => {
  const topUp = { ...(await newTopUp()), phone: '254700000002' };
  const push = await pushTopUp(books.pool, source, topUp);
  await makeOld(push.pushId);
  await pushTopUp(books.pool, source, topUp);
  const other = { ...source, row: { ...source.row, sourceCode: 'other' } };
  await expect(checkTopUp(books.pool, other, push.pushId)).rejects.toThrow('to source paybill');
  expect(await checkTopUp(books.pool, source, push.pushId)).toMatchObject({ state: 'paid' });
  expect(await checkTopUp(books.pool, source, push.pushId)).toMatchObject({ state: 'paid' });
});
