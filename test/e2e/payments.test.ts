import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBalances } from '../support/read-balances.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { addFundedVendor, collect, demoVendor, fresh } from '../support/demo-vendors.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';
import type { VendorClient } from '../support/vendor-client.ts';

const run = promisify(execFile);
const GUIDE = path.resolve(import.meta.dirname, '../../docs/guide/integrate-in-an-afternoon.md');

const fixture = new SandboxFixture();
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await fixture.start();
});
afterAll(async () => await fixture.cleanUp());

/** A vendor's accounts in cents; the operators' are summed up under `paid`. */
async function booksOf(vendor: VendorClient): Promise<Record<string, bigint>> {
  const pool = await sandbox.pool();
  const found = await pool.query<{ vendor_id: number }>(
    'select vendor_id from vendors where vid = $1',
    [vendor.vid],
  );
  const books: Record<string, bigint> = { paid: 0n };
  for (const row of await readBalances(pool, found.rows[0]?.vendor_id ?? 0)) {
    const name = row.account.startsWith('operator:') ? 'paid' : row.account;
    books[name] = (books[name] ?? 0n) + row.balanceCents;
  }
  return books;
}

async function violations(): Promise<unknown> {
  return (await checkLedger(await sandbox.pool())).violations;
}

describe('how each test account ends', () => {
  /** By the account's last four digits. */
  const ENDS = [
    ['9901', 'SUCCESS'],
    ['9902', 'FAILED'],
    ['9903', 'SUCCESS'],
    ['9904', 'FAILED'],
    ['9905', 'SUCCESS'],
    ['9906', 'SUCCESS'],
    ['9907', 'SUCCESS'],
    ['9908', 'SUCCESS'],
    ['9909', 'PENDING'],
    ['9910', 'SUCCESS'],
    ['0000', 'SUCCESS'],
  ] as const;
  const BILLERS = ['kplc_prepaid', 'safaricom', 'nairobi_water'] as const;

  test('as documented, paid once or not at all, and the ledger is consistent', async () => {
    const vendor = await addFundedVendor(sandbox, { floatAmount: '10000.00' });
    const wanted = ENDS.flatMap(([suffix, end]) =>
      BILLERS.map((biller) => ({ suffix, end, biller })),
    );
    const created = await Promise.all(
      wanted.map(async ({ suffix, end, biller }, index) => {
        const params = {
          biller_name: biller,
          amount: `${50 + index}.25`,
          // A number that airtime can be bought for, and that every other biller accepts.
          account: `25475${String(index).padStart(3, '0')}${suffix}`,
          phone: '254712345678',
          merchant_reference: fresh('suffix'),
        };
        return { ...params, suffix, end, reference: await vendor.accepted(params) };
      }),
    );
    const ended = await Promise.all(
      created.map(async (payment) => ({
        ...payment,
        settled: await until(
          `${payment.account} of ${payment.biller_name} is ${payment.end}`,
          async () => {
            const settled = await vendor.payment(payment.reference);
            return settled.transaction_status === payment.end && settled;
          },
          120_000,
        ),
      })),
    );

    const truth = await sandbox.truth();
    let paidCents = 0n;
    let waitingCents = 0n;
    for (const { reference, suffix, end, amount, account, biller_name: biller, settled } of ended) {
      const entries = truth.filter((entry) => entry.reference === reference);
      const cents = BigInt(amount.replace('.', ''));
      if (end === 'SUCCESS') {
        expect(entries, suffix).toHaveLength(1);
        expect(entries[0]).toMatchObject({ biller, account, amount });
        expect(settled.biller_reference).toMatch(/\S/);
        paidCents += cents;
      } else {
        expect(entries, suffix).toEqual([]);
        expect(settled.biller_reference).toBeNull();
        if (end === 'PENDING') waitingCents += cents;
      }
      const hasToken = biller === 'kplc_prepaid' && end === 'SUCCESS';
      expect(settled.details, `${biller} ${suffix}`).toEqual(
        hasToken
          ? {
              token: expect.stringMatching(/^\d{20}$/) as string,
              units: expect.stringMatching(/^\d+\.\d{2}$/) as string,
            }
          : null,
      );
    }
    // Only this vendor's: three are waiting, and every amount that was not paid has returned.
    const books = await booksOf(vendor);
    expect(books).toMatchObject({
      paid: paidCents,
      reserved: waitingCents,
      float: 1_000_000n - paidCents - waitingCents,
      collected: 0n,
    });
    expect(await vendor.balance()).toBe(Number(books['float']) / 100);
    expect(await violations()).toEqual([]);
  }, 240_000);
});

describe('many at once', () => {
  test('no more than the float covers is accepted', async () => {
    const vendor = await addFundedVendor(sandbox, { floatAmount: '1000.00' });
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, index) =>
        vendor.create({
          account: `2547000${String(index).padStart(5, '0')}`,
          merchant_reference: fresh('rush'),
        }),
      ),
    );
    const accepted = answers.filter((answer) => answer.status === 200);
    expect(accepted).toHaveLength(16);
    for (const answer of answers.filter((one) => one.status !== 200)) {
      expect(answer.body).toMatchObject({
        header_status: 402,
        error: [{ code: 'insufficient_float', field: 'amount' }],
      });
    }
    expect(await vendor.balance()).toBe(40);
    const references = accepted.map((answer) => String(answer.body.msg['ipay_reference']));
    expect(new Set(references).size).toBe(16);
    const paid = await until('all are paid', async () => {
      const entries = (await sandbox.truth()).filter((one) => references.includes(one.reference));
      return entries.length >= 16 && entries;
    });
    expect(paid).toHaveLength(16);
    await until('all are settled', async () => {
      const { reserved, paid: paidCents } = await booksOf(vendor);
      return reserved === 0n && paidCents === 96_000n;
    });
    expect(await violations()).toEqual([]);
  });

  test('the same request fifty times is one payment and one answer', async () => {
    const vendor = await addFundedVendor(sandbox, { floatAmount: '1000.00' });
    const params = { account: '254700000001', merchant_reference: fresh('again') };
    const answers = await Promise.all(Array.from({ length: 50 }, () => vendor.create(params)));
    expect(new Set(answers.map((answer) => `${answer.status} ${answer.text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(await vendor.balance()).toBe(940);
    const reference = String(answers[0]?.body.msg['ipay_reference']);
    await until('it is paid', async () => {
      return (await vendor.payment(reference)).transaction_status === 'SUCCESS';
    });
    const truth = await sandbox.truth();
    expect(truth.filter((entry) => entry.reference === reference)).toHaveLength(1);
    expect((await booksOf(vendor))['paid']).toBe(6000n);
  });

  test('fifty equal requests without a reference: one payment, and the other answers name it', async () => {
    const vendor = await addFundedVendor(sandbox, { floatAmount: '5000.00' });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => vendor.create({ account: '254700000002' })),
    );
    const accepted = answers.filter((answer) => answer.status === 200);
    expect(accepted).toHaveLength(1);
    const reference = String(accepted[0]?.body.msg['ipay_reference']);
    for (const answer of answers.filter((one) => one.status !== 200)) {
      expect(answer.body).toMatchObject({ error: [{ code: 'likely_duplicate' }] });
      expect(answer.body.error?.[0]?.text).toContain(reference);
    }
    expect(await vendor.balance()).toBe(4940);
  });

  test('many calls of fund move the income once', async () => {
    const vendor = await addFundedVendor(sandbox, { floatAmount: '700.00' });
    await collect(sandbox.origin, { vid: vendor.vid, amount: '300.00' });
    const time = Date.now() - 60_000;
    const moved = await Promise.all(
      Array.from({ length: 20 }, async (_, index) =>
        vendor.call('fund', { currency: 'KES', time: String(time + (index % 5)) }),
      ),
    );
    const movements = new Map(
      moved.map(({ body }) => [String(body.msg['reference']), Number(body.msg['amount'])]),
    );
    movements.delete('');
    expect([...movements.values()]).toEqual([300]);
    expect(await vendor.balance()).toBe(1000);
    expect(await violations()).toEqual([]);
  });
});

const hasTools = ['bash', 'curl', 'openssl'].every(
  (tool) => spawnSync(tool, [tool === 'openssl' ? 'version' : '--version']).status === 0,
);

describe.skipIf(!hasTools)('the guide (skipped where bash, curl or openssl is not found)', () => {
  test('leads from income to a token', async () => {
    const guide = await readFile(GUIDE, 'utf8');
    const walk = [...guide.matchAll(/^```bash\n([\s\S]*?)^```$/gm)]
      .map(([, code]) => code)
      .join('\n');
    expect(walk).toContain('http://127.0.0.1:${PORT:-8080}');
    const script = walk.replaceAll('http://127.0.0.1:${PORT:-8080}', sandbox.origin);
    const { stdout } = await run('bash', ['-c', `set -euo pipefail\n${script}`], {
      timeout: 100_000,
    });
    const answers = stdout.split(/(?<=\})\s*(?=\{)|\n/).filter((text) => text.startsWith('{'));
    const [funded, listed, created, status, balance] = answers.map((text) => JSON.parse(text));
    expect(funded).toMatchObject({ msg: { status: 1, amount: 100_000 } });
    expect(listed.data.map((biller: { biller_code: string }) => biller.biller_code)).toContain(
      'kplc_prepaid',
    );
    expect(status).toMatchObject({
      msg: {
        ipay_reference: created.msg.ipay_reference,
        text: {
          transaction_status: 'SUCCESS',
          details: { token: expect.stringMatching(/^\d{20}$/) as string },
        },
      },
    });
    expect(balance).toEqual({ header_status: 200, balance: 99_900 });
    const truth = await sandbox.truth();
    expect(truth.filter((entry) => entry.reference === created.msg.ipay_reference)).toHaveLength(1);
    expect(await demoVendor(sandbox).balance()).toBe(99_900);
  });
});
