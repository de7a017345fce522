import { Command } from 'commander';
import { countOption } from '../scripts/count-option.ts';
import { createMac } from '../src/platform/base/mac.ts';
import { createPool } from '../src/platform/db/pool.ts';
import type { Pool } from '../src/platform/db/pool.ts';
import { extendChain } from '../src/payments/ledger/chain.ts';
import { checkLedger } from '../src/payments/audit/check.ts';
import { cpuSeconds, describeMachine } from './machine.ts';
import { openStage } from './stage.ts';

// The cost of the hash chain and of `ledger check` per payment: CPU of the one PostgreSQL process that works.

await new Command('bench:ledger')
  .description('Cost of the hash chain and of ledger check for each settled payment.')
  .option('--payments <number>', 'settled payments of 1,000 vendors', countOption, 200_000)
  .action(async ({ payments }: { payments: number }) => {
    const stage = await openStage(() => undefined);
    const pool = createPool({
      url: await stage.database('bench_ledger'),
      max: 1,
      name: 'bench',
      statementTimeoutMs: 0,
    });
    try {
      console.log(describeMachine());
      console.log(JSON.stringify(await measure(pool, payments)));
    } finally {
      await pool.end();
      await stage.close();
    }
  })
  .parseAsync();

async function measure(pool: Pool, payments: number): Promise<Record<string, number>> {
  await addSettled(pool, payments);
  const read = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  const cpu = (): number => cpuSeconds(read.rows[0]?.pid ?? 0);
  const perPaymentUs = (before: number): number =>
    Math.round(((cpu() - before) / payments) * 1e7) / 10;
  const mac = createMac(Buffer.alloc(32, 'bench'));

  const beforeChain = cpu();
  let blocks = 0;
  while ((await extendChain(pool, mac)) !== undefined) blocks += 1;
  const chainUs = perPaymentUs(beforeChain);
  const beforeCheck = cpu();
  const { violations } = await checkLedger(pool);
  const checkUs = perPaymentUs(beforeCheck);
  if (violations.length > 0)
    throw new Error(`the ledger is inconsistent: ${violations[0]?.detail}`);
  return { payments, blocks, chain_us: chainUs, check_us: checkUs };
}

/** Payments of the last two hours with a fee: three transfers each, as the settle call leaves them. */
async function addSettled(pool: Pool, payments: number): Promise<void> {
  await pool.query(
    `create temporary table plan as
       select v.vendor_id, gen_random_uuid() as id, n,
         now() - interval '2 hours' + n * interval '0.35 ms' as at
       from generate_series(1, ${payments}) n join (
         select vendor_id, row_number() over (order by vendor_id) - 1 as place,
           count(*) over () as vendors
         from vendors where vid like 'bench-%'
       ) v on v.place = n % v.vendors;
     insert into payments (bucket, vendor_id, payment_id, created_at, settled_at, biller_response_time,
       amount_cents, fee_cents, duplicate_key, outcome, biller_code, account, phone,
       merchant_reference, biller_reference, message, details, sent_at, attempt_number,
       attempt_outcome, settled_by)
     select bucket_of(vendor_id), vendor_id, id, at, at + interval '100 ms', at + interval '40 ms', 10000, 10, n, 'success',
       'kplc_prepaid', '0123456' || n, '254722000000', 'order-' || n, 'OP' || n, 'Paid',
       '{"token": "12345678901234567890", "units": "12.3"}', at + interval '40 ms', 1, 'paid', 'answer'
     from plan order by n;
     insert into transfers (bucket, created_at, amount_cents, source_id, vendor_id, leg, debit_account, credit_account)
     select bucket_of(vendor_id), at + step, amount, id, vendor_id, leg, debit, credit
     from plan cross join (values (1, interval '0', 10010, 'float', 'reserved'),
       (2, interval '100 ms', 10000, 'reserved', 'operator:kplc'),
       (3, interval '100 ms', 10, 'reserved', 'fees')) l (leg, step, amount, debit, credit)
     order by at + step;
     insert into accounts (bucket, vendor_id, account)
     select distinct bucket_of(vendor_id), vendor_id, 'operator:kplc' from plan on conflict do nothing;
     update accounts a set balance_cents = a.balance_cents + l.cents * p.payments
     from (select vendor_id, count(*) as payments from plan group by vendor_id) p
       cross join (values ('float', -10010), ('operator:kplc', 10000), ('fees', 10)) l (account, cents)
     where a.bucket = bucket_of(p.vendor_id) and a.vendor_id = p.vendor_id and a.account = l.account`,
  );
  await pool.query('vacuum analyze');
}
