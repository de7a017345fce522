import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import type { AccountStatement } from '../../src/staff/account-statements.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import {
  addBillers,
  inProcess,
  malipo,
  malipoCutShort,
  must,
  newMasterKey,
} from './cli-support.ts';
import { until } from './embedded-support.ts';

let database: TestDatabase;
let pool: Pool;
let environment: Record<string, string>;

async function pay(account: string, merchantReference: string): Promise<void> {
  const payment = ['--vid', 'shop', '--biller', 'water', '--account', account, '--amount', '100'];
  await must(environment, 'pay', payment, '--merchant-reference', merchantReference);
}

/** A vendor with 1000.00 collected and funded; 100.00 of it are reserved twice. */
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ url: database.url, max: 2, name: 'test' });
  environment = { DATABASE_URL: database.url, MASTER_KEY: newMasterKey() };
  await addBillers(environment, 'https://pay.example.com');
  await must(environment, 'collector', 'add', 'till', '--name', 'Till', '--all-vendors');
  await must(environment, 'vendor', 'add', 'shop', '--name', 'Shop', '--sector', 'retail');
  await must(environment, 'vendor', 'add', 'idle', '--name', 'Idle', '--sector', 'bank');
  await must(environment, 'income', 'collect', '--collector', 'till', '--vid', 'shop', [
    '--reference',
    'day-1',
    '--amount',
    '1000',
  ]);
  await must(environment, 'income', 'fund', 'shop');
  await pay('12345', '=1+1');
  await pay('67890', 'a "b", c');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

interface CheckJson {
  readonly violations: number;
  readonly found: readonly {
    readonly invariant: string;
    readonly vendor_id: number;
    readonly vid: string | null;
    readonly detail: string;
  }[];
  readonly invariants: readonly { readonly invariant: string; readonly violations: number }[];
  readonly counted: Record<string, number>;
}

/** Transfers of collected income at these times, 1.00 each, with their balances. Returns what undoes it. */
async function collected(vendorId: number, times: string): Promise<() => Promise<void>> {
  const inserted = await database.asOwner(
    `insert into transfers (bucket, vendor_id, source_id, leg, debit_account, credit_account, amount_cents, created_at)
     select bucket_of(${vendorId}), ${vendorId}, gen_random_uuid(), 1, 'collector:till', 'collected', 100, at from ${times} as x (at)`,
  );
  const change = async (cents: number): Promise<void> => {
    await database.asOwner(
      `update accounts set balance_cents = balance_cents
         + case account when 'collected' then ${cents} else ${-cents} end
       where vendor_id = ${vendorId} and account in ('collected', 'collector:till')`,
    );
  };
  const cents = (inserted.rowCount ?? 0) * 100;
  await change(cents);
  return async () => {
    await database.asOwner(
      `delete from transfers where vendor_id = ${vendorId} and created_at < '2025-07-01'`,
    );
    await change(-cents);
  };
}

/** Runs `work` after the statement `spoil`, then undoes that statement. */
async function tampered(spoil: string, undo: string, work: () => Promise<void>): Promise<void> {
  expect((await database.asOwner(spoil)).rowCount).toBe(1);
  try {
    await work();
  } finally {
    await database.asOwner(undo);
  }
}

describe('malipo ledger check', () => {
  it('finds nothing in correct books', async () => {
    const checked = await malipo(environment, 'ledger', 'check', '--json');
    expect(checked).toMatchObject({ exitCode: 0, stderr: '' });
    const report = checked.json<CheckJson>();
    expect(report).toMatchObject({
      violations: 0,
      found: [],
      counted: { vendors: 2, transfers: 4, payments: 2, open: 2 },
    });
    expect(report.invariants).toContainEqual(
      expect.objectContaining({ invariant: 'balances_equal_transfers', violations: 0 }),
    );
    const table = await malipo(environment, 'ledger', 'check');
    expect(table.exitCode).toBe(0);
    expect(table.stdout).toMatch(/^the ledger +is consistent: no violations$/m);
    for (const { invariant } of report.invariants) expect(table.stdout).toContain(invariant);
  });

  it('finds an altered balance, says where, and fails', async () => {
    await tampered(
      `update accounts set balance_cents = balance_cents + 1
       where vendor_id = 1 and account = 'float'`,
      `update accounts set balance_cents = balance_cents - 1
       where vendor_id = 1 and account = 'float'`,
      async () => {
        const checked = await malipo(environment, 'ledger', 'check', '--json');
        expect(checked.exitCode).toBe(1);
        const { violations, found } = checked.json<CheckJson>();
        expect(violations).toBe(2);
        expect(found).toEqual([
          {
            invariant: 'balances_equal_transfers',
            vendor_id: 1,
            vid: 'shop',
            detail: 'float: balance 80001, transfers make 80000',
          },
          expect.objectContaining({ invariant: 'balances_sum_to_zero' }),
        ]);
        const table = await malipo(environment, 'ledger', 'check');
        expect(table.exitCode).toBe(1);
        expect(table.stdout).toMatch(/^balances_equal_transfers +1 /m);
        expect(table.stdout).toMatch(/^shop +balances_equal_transfers +float: balance 80001/m);
        expect(table.stdout).toMatch(/^the ledger +IS INCONSISTENT: 2 violations$/m);
      },
    );
    expect(
      (await must(environment, 'ledger', 'check', '--json')).json<CheckJson>().violations,
    ).toBe(0);
  });

  it('finds a transaction that is in no queue', async () => {
    const [row] = (
      await pool.query<{ due: string; id: string }>(
        'select due_at::text as due, payment_id as id from dispatch_queue limit 1',
      )
    ).rows;
    await tampered(
      `delete from dispatch_queue where payment_id = '${row?.id}'`,
      `insert into dispatch_queue (bucket, vendor_id, biller_code, payment_id, due_at)
       select bucket_of(vendor_id), vendor_id, biller_code, payment_id, '${row?.due}'
       from payments where payment_id = '${row?.id}'`,
      async () => {
        const { found } = JSON.parse(
          (await inProcess(environment, 'ledger', 'check', '--json')).stdout,
        ) as CheckJson;
        expect(found.map(({ invariant }) => invariant)).toEqual(['open_equals_queued']);
      },
    );
  });
});

describe('malipo ledger chain', () => {
  it('extends the chains now; a transfer altered afterwards is found', async () => {
    const extended = await malipo(environment, 'ledger', 'chain', '--json');
    expect(extended.exitCode).toBe(0);
    let { blocks } = extended.json<{ blocks: number }>();
    // Database transactions of other programs may delay the end; then the rest follows.
    await until(async () => {
      const more = await must(environment, 'ledger', 'chain', '--json');
      blocks += more.json<{ blocks: number }>().blocks;
      return blocks > 0;
    });
    const again = await must(environment, 'ledger', 'chain');
    expect(again.stdout).toMatch(/^the chain reaches to +\d{4}-\d\d-\d\d /m);
    await tampered(
      `update transfers set amount_cents = amount_cents + 5
       where debit_account = 'collector:till' and vendor_id = 1`,
      `update transfers set amount_cents = amount_cents - 5
       where debit_account = 'collector:till' and vendor_id = 1`,
      async () => {
        const checked = await inProcess(environment, 'ledger', 'check', '--json');
        expect(checked.exitCode).toBe(1);
        const { found } = JSON.parse(checked.stdout) as CheckJson;
        expect(found.map(({ invariant }) => invariant)).toContain('chain_intact');
      },
    );
  });

  it('prints the head, and compares it with a stored one', async () => {
    const { head } = (await must(environment, 'ledger', 'check', '--json')).json<{
      head: { hash: string; block: number };
    }>();
    await must(environment, 'income', 'fund', 'shop');
    const shown = await must(environment, 'ledger', 'check', '--head', head.hash.toUpperCase());
    const [kept] = shown.stdout.split('Heads that were stored').slice(1);
    expect(kept).toMatch(new RegExp(`${head.hash} +${head.block} +\\d{4}-`));
    expect(shown.stdout).toMatch(new RegExp(`store its hash elsewhere\\nhash +${head.hash}\\n`));
    const asJson = await malipo(
      environment,
      'ledger',
      'check',
      '--json',
      ...['--head', head.hash, '--head', '0'.repeat(64)],
    );
    expect(asJson.exitCode).toBe(1);
    expect(asJson.json()).toMatchObject({
      violations: 1,
      found: [{ invariant: 'chain_has_kept_heads', vid: null }],
      kept_heads: [{ block: head.block }, { block: null }],
      authenticated: true,
    });
    const wrong = await inProcess(environment, 'ledger', 'check', '--head', 'abc');
    expect(wrong).toMatchObject({ exitCode: 2 });
    expect(wrong.stderr).toContain('64 hexadecimal digits');
    // Without the key it says what it did not check.
    const { MASTER_KEY: _, ...keyless } = environment;
    const less = await must(keyless, 'ledger', 'check');
    expect(less.stdout).toMatch(/^authentication codes +not checked: set MASTER_KEY/m);
  });
});

const ofShop = ['account-statement', 'vendor', 'shop'];

async function statement(...options: string[]): Promise<AccountStatement> {
  const made = await must(environment, ...ofShop, '--json', options);
  return made.json<AccountStatement>();
}

/** The balances of an account before and after the period. */
function accountIn({ head }: AccountStatement, name: string) {
  return head?.accounts.find(({ account }) => account === name);
}

describe('malipo account-statement', () => {
  it('leads from the opening to the closing balances through the transfers of this month', async () => {
    const made = await malipo(environment, ...ofShop, '--json');
    const { head, opening, lines, closing } = made.json<AccountStatement>();
    expect(head?.from).toMatch(/T21:00:00\.000Z$/);
    expect(opening).toMatchObject({ balance: '0.00', float: '0.00' });
    expect(lines).toMatchObject([
      { movement: 'collected', amount: '1000.00', float: '0.00', merchant_reference: null },
      { movement: 'funded', debit_account: 'collected', credit_account: 'float' },
      { movement: 'reserved', amount: '100.00', float: '900.00', merchant_reference: '=1+1' },
      { movement: 'reserved', amount: '100.00', float: '800.00' },
    ]);
    expect(closing).toMatchObject({ balance: '1000.00', float: '800.00' });
    const zero = { opening: '0.00' };
    expect(head?.accounts).toEqual([
      { account: 'collected', ...zero, closing: '0.00' },
      { account: 'collector:till', ...zero, closing: '-1000.00' },
      { account: 'fees', ...zero, closing: '0.00' },
      { account: 'float', ...zero, closing: '800.00' },
      { account: 'reserved', ...zero, closing: '200.00' },
    ]);

    const { reference } = lines[2] ?? {};
    const paid = await must(environment, 'payment', 'show', reference ?? '', '--json');
    expect(paid.json()).toMatchObject({ reference, merchant_reference: '=1+1' });
    const table = await malipo(environment, ...ofShop);
    expect(table.stdout).toMatch(
      / funded +[0-9A-Z]{32} +- +collected +float +1000\.00 +1000\.00 +1000\.00$/m,
    );
    expect(table.stdout).toMatch(/^float +0\.00 +800\.00$/m);
  });

  it('covers a day as --to, and takes moments to the second', async () => {
    const undo = await collected(
      1,
      `unnest(array['2025-03-01 23:59:59.9+03', '2025-03-02 00:00:00+03',
         '2025-03-02 23:59:59.9+03', '2025-03-03 00:00:00+03']::timestamptz[])`,
    );
    try {
      const day = await statement('--from', '2025-03-02', '--to', '2025-03-02');
      expect([...day.lines].map(({ at }) => at)).toEqual([
        '2025-03-01T21:00:00.000Z',
        '2025-03-02T20:59:59.900Z',
      ]);
      expect(accountIn(day, 'collected')).toMatchObject({ opening: '1.00', closing: '3.00' });
      const moments = await statement(
        '--from',
        '2025-03-02 00:00:01',
        '--to',
        '2025-03-03T00:00:00+03:00',
      );
      expect(moments.lines).toHaveLength(1);
      expect(moments.head?.to).toBe('2025-03-02T21:00:00.000Z');
    } finally {
      await undo();
    }
  });

  it('writes CSV that a spreadsheet cannot take for formulas', async () => {
    const csv = await malipo(environment, ...ofShop, '--csv');
    expect(csv).toMatchObject({ exitCode: 0, stderr: '' });
    const lines = csv.stdout.split('\r\n');
    expect(lines.pop()).toBe('');
    expect(lines[0]).toBe(
      'Time,Movement,Reference,Merchant reference,Collector,Collector reference,Operator,Operator reference,Bank reference,Case,From,To,Amount,Change,Balance after,Float after',
    );
    expect(lines).toHaveLength(1 + 1 + 4 + 1);
    expect(lines[1]).toMatch(/,opening,(,){12}0\.00,0\.00$/);
    expect(lines[2]).toMatch(
      /,till,day-1,,,,,collector:till,collected,1000\.00,1000\.00,1000\.00,0\.00$/,
    );
    expect(lines[4]).toMatch(
      /,reserved,[0-9A-Z]{32},'=1\+1,,,,,,,float,reserved,100\.00,0\.00,1000\.00,900\.00$/,
    );
    // Values with commas or quotes are quoted.
    expect(lines[5]).toMatch(/,[0-9A-Z]{32},"a ""b"", c",,.*,1000\.00,800\.00$/);
    expect(lines[6]).toMatch(/,closing,(,){12}1000\.00,800\.00$/);
  });

  it('is complete as CSV, and says if it is not complete in a table', async () => {
    // Many of them at the same time: a page may end between two of them.
    const undo = await collected(
      2,
      `(select '2025-05-05'::timestamptz + n % 5 * interval '1 hour' as at
        from generate_series(1, 20001) n)`,
    );
    try {
      const period = ['--from', '2025-05-01', '--to', '2025-05-31'];
      const words = ['account-statement', 'vendor', 'idle', ...period];
      const csv = await must(environment, ...words, '--csv');
      const lines = csv.stdout.split('\r\n');
      expect(lines).toHaveLength(1 + 1 + 20_001 + 1 + 1);
      expect(new Set(lines).size).toBe(lines.length);
      expect(lines.at(-2)).toMatch(/,closing,.*,20001\.00,0\.00$/);
      const cut = await malipoCutShort(environment, ...words, '--csv');
      expect(cut).toMatchObject({ exitCode: 0, stderr: '' });
      const shown = await must(environment, ...words);
      expect(shown.stdout).toContain('there are more: --cursor');
      expect(shown.stdout).not.toMatch(/^\S+ \S+ +closing /m);
    } finally {
      await undo();
    }
  });

  it.each([
    [['--from', '2025-02-30'], 1, '--from is not a valid day or time'],
    [['--to', 'tomorrow'], 1, '--to is not a valid day or time'],
    [['--from', '2025-03-02', '--to', '2025-03-01'], 1, '--to must not be before from'],
    [['--from', '2025-03-02', '--to', '2026-03-31'], 1, 'at most one year'],
    [['--out', 'x.pdf'], 2, 'It must end in .csv or .xlsx.'],
  ])('refuses %j with %i', async (options, exitCode, words) => {
    const wrong = await inProcess(environment, ...ofShop, ...options);
    expect(wrong).toMatchObject({ exitCode, stdout: '' });
    expect(wrong.stderr).toContain(words);
  });

  it('says that the vendor does not exist', async () => {
    const refused = await inProcess(environment, 'account-statement', 'vendor', 'nobody');
    expect(refused).toMatchObject({
      exitCode: 1,
      stderr: 'error: Vendor nobody does not exist.\n',
    });
  });
});
