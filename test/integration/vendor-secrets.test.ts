import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ProposalView } from '../../src/staff/proposal-schema.ts';
import type { NewSecret } from '../../src/staff/vendor-keys.ts';
import type { WebhookSet } from '../../src/staff/webhook-view.ts';
import { rotateKey } from '../../src/parties/administer.ts';
import { openKeys } from '../../src/parties/keys.ts';
import { rotateAsStaff } from '../../src/payments/vendor-secrets/rotate.ts';
import { insertPurpose } from '../../src/platform/db/purpose-store.ts';
import { createProposals } from '../../src/proposal-kinds.ts';
import type { Actor } from '../../src/proposals/kind.ts';
import type { Proposals } from '../../src/proposals/proposals.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { signInAll } from '../support/console-client.ts';
import type { SignedIn } from '../support/console-client.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { approveSeen, named } from '../support/payouts.ts';
import { SEALING } from '../support/production-pair.ts';
import { addStaff } from '../support/staff.ts';

// Whoever knows a vendor's key spends its float: one member of staff alone does not get a new one.

describe('a security key that staff create', () => {
  let books: Books;
  let proposals: Proposals;
  let vendor: { vendorId: number; vid: string };
  beforeEach(async () => {
    books = await openBooks();
    proposals = createProposals(books);
    const vendorId = await books.addVendor();
    vendor = { vendorId, vid: `vendor-${vendorId}` };
    await rotateKey(books.pool, holder(), { ...SEALING, overlapSeconds: 0 });
  });
  afterEach(async () => await books.close());

  const holder = () => ({ holderKind: 'vendor', holder: vendor.vid }) as const;
  const administrator = async (login: string) =>
    await addStaff(books, { login, name: `${login} M.`, role: 'administrator' });
  const rotate = async (by: Actor) => {
    const request = { vendor, of: 'vendor', overlapSeconds: 0, by, note: 'it was lost' } as const;
    return await rotateAsStaff({ pool: books.pool, proposals }, request, SEALING);
  };
  const keysNow = async () =>
    (await openKeys(books.pool, ['vendor'], SEALING.masterKeys)).map(({ secret }) => secret);

  test('the key is shown once, to the person whose proposal another one approved', async () => {
    const [asha, baraka] = [await administrator('asha'), await administrator('baraka')];
    const before = await keysNow();
    const { row, secret } = await rotate(asha);
    expect(secret).toBeUndefined();
    await expect(rotate(asha)).rejects.toThrow('waits for a decision');
    expect(await keysNow()).toEqual(before);
    await approveSeen(books, row.proposalId, baraka);
    expect(await keysNow()).toEqual(before);
    // The approver is not the one who gets it.
    const other = await rotate(baraka);
    expect(other.secret).toBeUndefined();
    await proposals.withdraw({ proposalId: other.row.proposalId, by: baraka, note: 'a mistake' });
    const created = await rotate(asha);
    expect(created.row.proposalId).toBe(row.proposalId);
    expect(await keysNow()).toEqual([created.secret]);
    // Another one needs another approval.
    expect((await rotate(asha)).secret).toBeUndefined();
    expect(await keysNow()).toEqual([created.secret]);
  });

  test('the key is not created after the vendor created one itself, after a day, or without the permission', async () => {
    const [asha, baraka] = [await administrator('asha'), await administrator('baraka')];
    const approved = async () => {
      const { row } = await rotate(asha);
      await approveSeen(books, row.proposalId, baraka);
      return row.proposalId;
    };
    await approved();
    await rotateKey(books.pool, holder(), { ...SEALING, overlapSeconds: 0 });
    expect((await rotate(asha)).secret).toBeUndefined();
    const [waiting] = await proposals.list({ open: true, limit: 1 });
    await approveSeen(books, waiting?.proposalId ?? '', baraka);
    await books.owner.query(
      `update proposal_decisions set decided_at = decided_at - interval '25 hours'`,
    );
    expect((await rotate(asha)).secret).toBeUndefined();
  });

  test('the key is created at once while fewer than two people have signed in', async () => {
    const first = await rotate(named('Asha'));
    expect(first.row).toMatchObject({ decision: 'approved', isAlone: true });
    expect(await keysNow()).toEqual([first.secret]);
    const told = await books.pool.query('select method, route from request_log');
    expect(told.rows).toEqual([{ method: 'STAFF', route: '/v1/keys' }]);
  });
});

describe('in the console', () => {
  let database: TestDatabase;
  let running: InProcessService;
  let as: SignedIn;
  beforeAll(async () => {
    const environment = { CONSOLE_CHANGES_PER_SECOND: '0', CONSOLE_READS_PER_SECOND: '0' };
    database = await createServiceDatabase();
    running = await startInProcess(database.url, { environment });
    as = await signInAll(running.origin, ['admin', 'demo-admin']);
  });
  afterAll(async () => await running.stop());

  const rotation = { overlap: '0', reason: 'it was lost' };

  test('no secret of a vendor is shown to one member of staff, and the vendor’s own people rotate alone', async () => {
    const send = async <Answer>(login: 'admin' | 'demo-admin', way: string, body: object) => {
      const [method = '', path = ''] = way.split(' ');
      const { status, body: answer, text } = await as(login).send(method, path, body);
      if (status !== 200) throw new Error(text);
      return answer as unknown as Answer;
    };
    const mark = { purpose: 'sandbox', markedAt: new Date(), demoEndedAt: null } as const;
    await insertPurpose(running.service.pool, mark);
    const alone = await send<NewSecret>('admin', 'POST /vendors/demo2/keys', rotation);
    expect(alone.secret).not.toBeNull();
    await database.asOwner(`update database_purpose set purpose = 'production'`);
    const url = { url: 'https://shop.example/hook', reason: 'x' };
    // Neither where its events go, nor what protects it from paying twice.
    const staff = await send<WebhookSet>('admin', 'POST /vendors/demo/webhook', url);
    expect(staff).toMatchObject({ proposal: expect.any(String) as string, url: null });
    const without = { duplicate_check: 'off', reason: 'x' };
    const settings = await send<ProposalView>('admin', 'POST /vendors/demo', without);
    expect(settings).toMatchObject({ decision: null });
    const set = await send<WebhookSet>('demo-admin', 'POST /vendors/demo/webhook', url);
    expect(set).toMatchObject({ proposal: null, secrets: [{ valid_until: null }] });
    for (const way of ['POST /vendors/demo/keys', 'POST /vendors/demo/webhook/secrets']) {
      const asked = await send<NewSecret>('admin', way, rotation);
      expect(asked).toMatchObject({ secret: null, proposal: expect.any(String) as string });
      const own = await send<NewSecret>('demo-admin', way, rotation);
      expect(own).toMatchObject({ secret: expect.any(String) as string, proposal: null });
    }
  });
});
