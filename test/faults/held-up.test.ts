import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CrashPoint } from '../../src/platform/base/crash-points.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import type { VendorClient } from '../support/vendor-client.ts';
import { fundedVendor, operatorsProgram, serviceProgram, addTestParties } from './fleet.ts';
import type { OperatorsProgram, Program } from './fleet.ts';

// The event loops of dispatching processes are blocked for longer than their lease, each at a different
// moment of a payment, while another process takes over their work.

let database: TestDatabase;
let folder: string;
let pool: Pool;
let operators: OperatorsProgram;
let api: Program;
let vendor: VendorClient;
const programs: Program[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTemporaryFolder();
  pool = createPool({ url: database.url, max: 2, name: 'test' });
  operators = await operatorsProgram(path.join(folder, 'operators'));
  await operators.start();
  const parties = await addTestParties(pool, { operatorOrigin: operators.origin, vendorCount: 1 });
  api = await program('api');
  await api.start();
  await until('it is ready', () => api.ready, 60_000);
  vendor = await fundedVendor(api, parties, '10000.00');
});

afterAll(async () => {
  operators.signal('SIGCONT');
  for (const each of [...programs, operators]) {
    each.signal('SIGKILL');
    await each.untilEnded();
  }
  await pool.end();
  await database.drop();
  await removeFolder(folder);
});

async function program(roles: string): Promise<Program> {
  const made = await serviceProgram({
    name: `${roles} ${programs.length}`,
    roles,
    folder,
    env: { DATABASE_URL: database.url, FUND_WINDOW_SECONDS: '0' },
  });
  programs.push(made);
  return made;
}

interface Held {
  readonly reference: string;
  readonly account: string;
  /** Unblocks the process, and waits until it has finished its work. */
  readonly release: () => Promise<void>;
}

let accounts = 0;

/** A payment by a separate dispatcher, which is blocked at this point. */
async function heldPayment(point: CrashPoint): Promise<Held> {
  accounts += 1;
  const account = `25470000${accounts}001`;
  const file = path.join(folder, `held-${accounts}`);
  const dispatcher = await program('dispatcher');
  await dispatcher.start({ HOLD_AT: point, HOLD_FILE: file });
  await until('it is ready', () => dispatcher.ready, 60_000);
  const reference = await vendor.accepted({ account, biller_name: 'tokens' });
  await until(`it is blocked at ${point}`, () => existsSync(file));
  await moveLeases('1 hour', account);
  return {
    reference,
    account,
    release: async () => {
      // It handles the signal when it continues, so it claims no more work.
      dispatcher.signal('SIGTERM');
      await rm(file);
      const { ending, lastOutput } = await dispatcher.untilEnded();
      expect(ending, lastOutput).toEqual({ code: 0, signal: null });
    },
  };
}

/** Puts the ends of leases off, so that none is over before the next process has started. */
async function moveLeases(by: string, account: string): Promise<void> {
  await pool.query(
    `update dispatch_queue q set due_at = q.due_at + $1::interval from payments p
     where p.bucket = q.bucket and p.vendor_id = q.vendor_id and p.payment_id = q.payment_id
       and p.account = $2`,
    [by, account],
  );
}

interface Attempt {
  readonly attempt_number: number;
  readonly outcome: string | null;
  readonly note: string | null;
}

async function attemptsOf({ account }: Held): Promise<Attempt[]> {
  const read = await pool.query<Attempt>(
    `select a.attempt_number, a.outcome, a.note
     from attempts a join payments using (vendor_id, payment_id)
     where account = $1 order by attempt_number`,
    [account],
  );
  return read.rows;
}

async function countQueued(condition: string): Promise<number> {
  const read = await pool.query<{ count: number }>(
    `select count(*)::integer as count from dispatch_queue where ${condition}`,
  );
  return read.rows[0]?.count ?? 0;
}

const statusOf = async (held: Held): Promise<string> =>
  (await vendor.payment(held.reference)).transaction_status;

test('a process suspended past its lease: its success is recorded, its progress is not, and everything is paid once', async () => {
  const unsent = await heldPayment('dispatch:after-claim');
  const sent = await heldPayment('dispatch:after-send');
  const answered = await heldPayment('dispatch:before-result-commit');
  for (const { reference } of [sent, answered]) {
    await until('it is paid', async () => (await operators.journal()).includes(reference));
  }
  // From now on only the blocked process knows that the payment is paid.
  // It answered these instructions before this request.
  await operators.truth();
  operators.signal('SIGSTOP');
  for (const { account } of [unsent, sent, answered]) await moveLeases('-1 hour', account);
  const other = await program('dispatcher');
  await other.start();
  await until(
    'their leases are over, and another process has taken all of them over',
    async () => (await countQueued('claim_number > 1')) === 3,
    60_000,
  );
  expect(await Promise.all([unsent, sent, answered].map(statusOf))).toEqual(
    Array.from({ length: 3 }, () => 'PENDING'),
  );

  // The answer to the second one arrived while its process was blocked.
  for (const held of [answered, sent]) {
    await held.release();
    expect(await statusOf(held)).toBe('SUCCESS');
    expect(await attemptsOf(held)).toMatchObject([{ attempt_number: 1, outcome: 'paid' }]);
  }

  // It knows that it has not sent the instruction, and would let it be sent again.
  await unsent.release();
  expect(await attemptsOf(unsent)).toMatchObject([{ attempt_number: 1, outcome: null }]);
  expect(await countQueued("stage = 'send'")).toBe(0);

  operators.signal('SIGCONT');
  await until(
    'the other one has brought the rest to its end',
    async () => {
      return (await countQueued('true')) === 0;
    },
    60_000,
  );
  expect(await statusOf(unsent)).toBe('SUCCESS');
  expect(await attemptsOf(unsent)).toMatchObject([
    { outcome: 'not_sent', note: 'the operator does not know the instruction' },
    { outcome: 'paid' },
  ]);

  const paid = (await operators.truth()).map((entry) => entry.reference);
  const once = [unsent, sent, answered].map(({ reference }) => reference);
  expect(paid.toSorted()).toEqual(once.toSorted());
  expect(await operators.repeated()).toEqual([]);
  expect((await pool.query('select 1 from cases')).rowCount).toBe(0);
  expect((await checkLedger(pool)).violations).toEqual([]);
}, 120_000);
