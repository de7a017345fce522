import { beforeAll, describe, expect, test } from 'vitest';
import type { AccountStatement } from '../../src/staff/account-statements.ts';
import type { BatchDetail, FileChecked } from '../../src/staff/bulk-schema.ts';
import type { Paid } from '../../src/staff/pay.ts';
import { setFeePrice } from '../../src/payments/billers/administer-prices.ts';
import { LIMITS } from '../../src/platform/base/limits.ts';
import { createPool, databaseTransaction } from '../../src/platform/db/pool.ts';
import { signedIn } from '../support/console-client.ts';
import type { ConsoleAnswer, ConsoleClient } from '../support/console-client.ts';
import { flatFormula } from '../support/fee-prices.ts';
import { useService } from '../support/use-service.ts';
import { until } from '../support/until.ts';
import { countWaitingFor } from '../support/waiting.ts';

const running = useService();
let cashier: ConsoleClient;
let other: ConsoleClient;

beforeAll(async () => {
  for (const vid of ['demo', 'demo2'] as const) {
    await running.demo(vid).call('fund', { time: String(Date.now()), currency: 'KES' });
  }
  cashier = await signedIn(running.origin, 'demo-cashier');
  other = await signedIn(running.origin, 'demo2-admin');
});

const FORM = { biller_name: 'kplc_prepaid', account: '14234569901', amount: '150' };
const check = async (form: object): Promise<ConsoleAnswer> =>
  await cashier.send('POST', '/pay/check', { ...FORM, ...form });

describe('a form', () => {
  test.each([
    [{ account: '12' }, 'account'],
    [{ amount: '1' }, 'amount'],
    [{ amount: '1.234' }, 'amount'],
    [{ amount: 'x' }, 'amount'],
    [{ biller_name: 'nobody' }, 'biller_name'],
    [{ biller_name: 'nairobi_water' }, 'phone'],
    [{ biller_name: 'nairobi_water', phone: '12' }, 'phone'],
    [{ biller_name: 'safaricom', account: '0' }, 'account'],
  ])('%j has a wrong %s, as in the API', async (form, field) => {
    const { body } = await check(form);
    expect(body).toMatchObject({ wrong: { field }, right: null });
    const api = await running
      .demo()
      .call('create', { ...FORM, ...form, merchant_reference: 'same' });
    expect(body['wrong']).toMatchObject({ text: api.body.error?.[0]?.text });
  });

  test('shows what it costs before anything is paid', async () => {
    expect((await check({})).body).toEqual({
      wrong: null,
      right: {
        account: FORM.account,
        phone: null,
        amount: '150.00',
        fee: '0.00',
        total: '150.00',
        float: '100000.00',
        is_enough: true,
      },
    });
    const much = await check({ amount: '100000.01' });
    expect(much.body).toMatchObject({ right: { is_enough: false } });
  });

  test('one form is paid once, however often it is sent', async () => {
    const body = { ...FORM, merchant_reference: 'form-1', fee: '0.00' };
    const [one, two] = await Promise.all([
      cashier.send('POST', '/pay', body),
      cashier.send('POST', '/pay', body),
    ]);
    const paid = [one, two].map((answer) => answer.body as unknown as Paid);
    expect(paid[0]?.reference).toBe(paid[1]?.reference);
    expect(new Set(paid.map(({ replayed }) => replayed))).toEqual(new Set([false, true]));
    const reused = await cashier.send('POST', '/pay', { ...body, amount: '151' });
    expect(reused.code).toBe('reference_reused');
    expect((await check({})).body).toMatchObject({ right: { float: '99850.00' } });
    const { body: log } = await (
      await signedIn(running.origin, 'admin')
    ).get('/audit?action=payment.create');
    expect(log['entries']).toMatchObject([
      { result: 'refused', login: 'demo-cashier' },
      { target: paid[0]?.reference, after: { amount: '150.00', biller: 'kplc_prepaid' } },
      { target: paid[0]?.reference },
    ]);
    expect(JSON.stringify(log)).not.toContain(FORM.account);
  });

  test('nobody pays for a suspended vendor, and staff pay for no vendor', async () => {
    const admin = await signedIn(running.origin, 'admin');
    await admin.send('POST', '/vendors/demo2/suspend', { reason: 'x' });
    await running.service.directory.reload();
    const body = { ...FORM, merchant_reference: 'suspended', fee: '0.00' };
    // Its people are signed out while it is suspended.
    expect((await other.send('POST', '/pay', body)).code).toBe('not_signed_in');
    await admin.send('POST', '/vendors/demo2/resume', { reason: 'x' });
    await running.service.directory.reload();
    expect((await admin.send('POST', '/pay', body)).code).toBe('not_permitted');
    const viewer = await signedIn(running.origin, 'demo-viewer');
    expect((await viewer.send('POST', '/pay', body)).code).toBe('not_permitted');
  });

  test('an account cannot be looked up while its operator does not answer', async () => {
    const lookUp = (biller_name: string, account: string) =>
      cashier.send('POST', '/pay/account', { biller_name, account });
    expect((await lookUp('kplc_prepaid', FORM.account)).code).toBe('operator_unavailable');
    const none = await lookUp('zuku', '123456');
    expect(none.code).toBe('validation_unavailable');
  });

  test('nobody tries accounts one after the other', async () => {
    await running.service.pool.query(
      `with looked as (
         insert into audit_log (audit_id, at, person_id, login, action, address, request_id, channel)
         select gen_random_uuid(), now(), person_id, login, 'pay.look-up', '', '', 'console'
         from people, generate_series(1, 60) where login = 'demo-cashier' returning audit_id)
       insert into audit_results (audit_id, ended_at, result) select audit_id, now(), 'done' from looked`,
    );
    const { amount: _, ...asked } = FORM;
    const late = await cashier.send('POST', '/pay/account', asked);
    expect(late).toMatchObject({ status: 429, code: 'too_many_requests' });
  });
});

function fileOf(rows: number, wrong: Readonly<Record<number, string>>): string {
  const lines = Array.from(
    { length: rows },
    (_, index) => wrong[index + 1] ?? `kplc_prepaid,1423456${index + 1000},50,f-${index + 1}`,
  );
  return ['biller_name,account,amount,merchant_reference', ...lines].join('\n');
}

const checkFile = async (client: ConsoleClient, content: string): Promise<ConsoleAnswer> =>
  await client.send('POST', '/bulk/check', Buffer.from(content));
const submitFile = async (reference: string, content: string, total: string) => {
  const query = new URLSearchParams({ reference, total, file: 'payments.csv' });
  return await cashier.send('POST', `/bulk?${query.toString()}`, Buffer.from(content));
};

describe('a file', () => {
  const content = fileOf(500, {
    3: 'kplc_prepaid,14234569901,1,f-3',
    250: 'nobody,14234569901,100,f-250',
    499: 'kplc_prepaid,abc,100,"f-499"',
  });

  test('every row of a file is checked, and nothing is paid', async () => {
    const { body } = await checkFile(cashier, content);
    const checked = body as unknown as FileChecked;
    expect(checked).toMatchObject({
      rows: 500,
      right: 497,
      wrong: 3,
      repeated: 0,
      amount: '24850.00',
      is_enough: true,
    });
    expect(checked.shown.slice(0, 4)).toMatchObject([
      { row: 3, problem: { code: 'amount_below_minimum', field: 'amount' } },
      { row: 250, problem: { code: 'unknown_biller' } },
      { row: 499, problem: { field: 'account' } },
      { row: 1, problem: null, amount: '50.00' },
    ]);
    expect((await check({})).body).toMatchObject({ right: { float: '99850.00' } });
    const bytes = '€'.repeat(LIMITS.bulkFileBytes / 2);
    const tooLarge = await checkFile(cashier, bytes);
    expect(tooLarge.code).toBe('payload_too_large');
    const noFile = await checkFile(cashier, 'a,b\n1,2');
    expect(noFile).toMatchObject({ status: 400, code: 'invalid_file' });
  });

  test('one file is submitted once, and its refused rows can be downloaded', async () => {
    const submit = () => submitFile('run/1', content, '24850.00');
    expect((await submit()).status).toBe(200);
    expect((await submit()).status).toBe(200);
    const path = `/bulk/${encodeURIComponent('run/1')}`;
    const read = async () => await cashier.read<BatchDetail>(path);
    await until('every row is decided', async () => (await read()).ended_at !== null);
    const done = await read();
    expect(done).toMatchObject({ rows: 500, accepted: 497, refused: 3 });
    expect(done.refusals.map(({ row }) => row)).toEqual([3, 250, 499]);
    const file = await cashier.get(`${path}/results.csv?only=refused`);
    // By which spreadsheets recognise UTF-8.
    expect(file.bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
    const lines = file.text.trimEnd().split('\r\n');
    expect(lines.map((line) => line.split(',').slice(0, 3).join(','))).toEqual([
      'row,merchant_reference,result',
      '3,f-3,REFUSED',
      '250,f-250,REFUSED',
      '499,f-499,REFUSED',
    ]);
    expect((await cashier.get(`${path}/results.csv`)).text.trimEnd().split('\r\n')).toHaveLength(
      501,
    );
    expect((await cashier.get('/bulk')).body['batches']).toMatchObject([{ reference: 'run/1' }]);
    expect((await check({})).body).toMatchObject({ right: { float: '75000.00' } });
    const reused = await submitFile('run/1', `${content}\n`, '24850.00');
    expect(reused.code).toBe('reference_reused');
    const { body } = await checkFile(cashier, content);
    expect(body).toMatchObject({ right: 0, wrong: 3, repeated: 497, total: '0.00' });
    // For another vendor it does not exist.
    expect((await other.get(path)).code).toBe('unknown_batch');
    expect((await other.get(`${path}/results.csv`)).code).toBe('unknown_batch');
    expect((await other.get('/bulk')).body['batches']).toEqual([]);
  });
});

test('a check says which references were used, in the file and before', async () => {
  const row = 'kplc_prepaid,14234569901,60,used-1';
  const paid = await cashier.send('POST', '/pay', {
    ...FORM,
    amount: '60',
    merchant_reference: 'used-1',
    fee: '0.00',
  });
  const lines = [
    'biller_name,account,amount,merchant_reference',
    row,
    'kplc_prepaid,14234569901,61,used-1',
    'kplc_prepaid,14234569901,62,new-1',
    'kplc_prepaid,14234569901,62,new-1',
    'kplc_prepaid,14234569901,63,new-1',
  ];
  const { body } = await checkFile(cashier, lines.join('\n'));
  expect(body).toMatchObject({ right: 1, wrong: 2, repeated: 2, total: '62.00' });
  expect(body['shown']).toMatchObject([
    { row: 2, problem: { code: 'reference_reused', field: 'merchant_reference' } },
    { row: 5, problem: { code: 'reference_reused' } },
    { row: 1, problem: null, repeats: { reference: paid.body['reference'], row: null } },
    { row: 4, problem: null, repeats: { reference: null, row: 3 } },
    { row: 3, problem: null, repeats: null },
  ]);
  // Another vendor’s references are its own.
  const others = await checkFile(other, lines.slice(0, 2).join('\n'));
  expect(others.body).toMatchObject({ right: 1, repeated: 0 });
});

describe('a statement', () => {
  test('leads from the opening to the closing float, on screen and as a file', async () => {
    const { body } = await cashier.get('/vendors/demo/account-statement');
    const { opening, closing, count, ...first } = body as unknown as AccountStatement;
    const { lines: shown, next: second } = first;
    expect([opening, closing]).toMatchObject([{ float: '0.00' }, { float: '74940.00' }]);
    expect(shown).toHaveLength(200);
    const all = [...shown];
    for (let next = second; next !== null;) {
      const page = await cashier.get(`/vendors/demo/account-statement?cursor=${next}`);
      const { lines: later, ...rest } = page.body as unknown as AccountStatement;
      expect(rest.head).toBeNull();
      all.push(...later);
      next = rest.next;
    }
    expect(all).toHaveLength(count ?? 0);
    expect(all.at(-1)).toMatchObject({ movement: 'reserved', float: '74940.00' });
    const file = await cashier.get('/vendors/demo/account-statement.csv');
    const lines = file.text.trimEnd().split('\r\n');
    expect(lines).toHaveLength((count ?? 0) + 3);
    expect(lines[1]).toMatch(/,opening,.*,0\.00$/);
    expect(lines.at(-1)).toMatch(/,closing,.*,74940\.00$/);
    const { code } = await cashier.get('/vendors/demo/account-statement?from=2020-01-01');
    expect(code).toBe('invalid_field');
    const none = await cashier.get('/vendors/demo/account-statement?from=2020-01-01&to=2020-01-02');
    expect(none.body).toMatchObject({
      opening: { balance: '0.00' },
      closing: { balance: '0.00' },
      count: 0,
    });
  });

  test('statements that take long leave connections for other requests, however often they are requested', async () => {
    const owner = createPool({ url: running.database.ownerUrl, max: 1, name: 'test' });
    const { asked } = await databaseTransaction(owner, async (client) => {
      await client.query('lock table transfers in access exclusive mode');
      const started = Array.from({ length: 6 }, () =>
        cashier.get('/vendors/demo/account-statement'),
      );
      await until(
        'one to wait for the lock',
        async () => (await countWaitingFor(client, 'transfers')) > 0,
      );
      const others = await Promise.all(Array.from({ length: 3 }, () => other.get('/bulk')));
      expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
      return { asked: started };
    });
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    await owner.end();
  });
});

test('a person pays what was shown, or nothing: a price may change before it is confirmed', async () => {
  const { pool, catalogue } = running.service;
  const form = { biller_name: 'gotv', account: '4100129901', amount: '100', phone: '254722000001' };
  const content = 'biller_name,account,amount,phone\ngotv,4100129902,100,254722000001\n';
  const shown = (await check(form)).body['right'] as { readonly fee: string };
  const { body: file } = await checkFile(cashier, content);
  expect([shown.fee, file['total']]).toEqual(['0.00', '100.00']);
  const payment = { ...form, merchant_reference: 'shown', fee: shown.fee };
  const setPrice = async (flatCents: bigint): Promise<void> => {
    const setting = { validFrom: null, setBy: 'test' };
    await setFeePrice(
      pool,
      { billerCode: 'gotv', vendorId: null },
      flatFormula(flatCents),
      setting,
    );
    await catalogue.reload();
  };
  await setPrice(2_500n);
  const refused = await cashier.send('POST', '/pay', payment);
  expect(refused).toMatchObject({ status: 409, code: 'changed_meanwhile' });
  expect(refused.problem).toContain('The fee was 0.00, and is 25.00 now');
  const refusedFile = await submitFile('shown', content, String(file['total']));
  expect(refusedFile.code).toBe('changed_meanwhile');
  expect(refusedFile.problem).toContain('The total was 100.00, and is 125.00 now');
  const confirmed = await cashier.send('POST', '/pay', { ...payment, fee: '25.00' });
  expect(confirmed).toMatchObject({ status: 200, body: { fee: '25.00' } });
  expect((await submitFile('shown', content, '125.00')).status).toBe(200);
  // Repeats are answered as before, whatever the price is now.
  await setPrice(3_000n);
  const again = await cashier.send('POST', '/pay', { ...payment, fee: '25.00' });
  expect(again.body).toEqual({ ...confirmed.body, replayed: true });
  expect((await submitFile('shown', content, '125.00')).status).toBe(200);
});

test('in quarantine, a file that is not known may be one that was lost', async () => {
  await running.database.asOwner(
    `insert into quarantines (entered_at, lost_from, lost_until, quarantine_id, reason)
     values (now(), now() - interval '1 hour', now(), gen_random_uuid(), 'restored')`,
  );
  for (const path of ['/bulk/lost', '/bulk/lost/results.csv']) {
    expect((await cashier.get(path)).code).toBe('quarantine');
  }
  const search = async (text: string) =>
    await cashier.send('POST', '/payments/search', { search: text });
  expect((await search('order-that-was-lost')).code).toBe('quarantine');
});
