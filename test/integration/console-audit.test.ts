import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listAudit } from '../../src/parties/people/read-audit.ts';
import type { AuditRow } from '../../src/parties/people/read-audit.ts';
import { decodeReference } from '../../src/parties/reference.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { signInAll } from '../support/console-client.ts';
import type { SignedIn } from '../support/console-client.ts';
import { useService } from '../support/use-service.ts';
import { until } from '../support/until.ts';

const running = useService();
let owner: Pool;
let as: SignedIn;
const references: string[] = [];

beforeAll(async () => {
  owner = createPool({ url: running.database.ownerUrl, max: 1, name: 'test' });
  as = await signInAll(running.origin, ['admin', 'support', 'operations', 'demo-viewer']);
  await running.demo().call('fund', { time: String(Date.now()), currency: 'KES' });
  for (let number = 0; number < 3; number += 1) {
    const reference = await running.demo().accepted({
      biller_name: 'dstv',
      amount: '100',
      account: `1400000${number}`,
      phone: '0722000001',
      merchant_reference: `audit-${number}`,
    });
    references.push(reference);
    // It was sent to the operator, which has not answered.
    await owner.query(
      `update dispatch_queue set stage = 'verify', sent_at = now(), attempt_number = 1,
         operator_code = 'multichoice', due_at = now() + interval '1 hour' where payment_id = $1`,
      [decodeReference(reference)?.paymentId],
    );
  }
});
afterAll(async () => {
  await owner.end();
});

const lastOf = async (action: string): Promise<AuditRow | undefined> =>
  (await listAudit(running.service.pool, { action, limit: 1 }))[0];

const exportBy = async (asked: object, columns = '') =>
  await as('support').send('POST', `/payments/search.csv?columns=${columns}`, asked);

describe('an export', () => {
  test('an export is recorded with its filter and the number of its rows', async () => {
    const file = await exportBy({ vid: 'demo' }, 'reference');
    expect(file.text.trimEnd().split('\r\n')).toHaveLength(4);
    expect(await lastOf('payment.export')).toMatchObject({
      login: 'support',
      filter: { vid: 'demo', columns: 'reference', format: 'csv' },
      result: 'done',
      after: { rows: 3 },
    });
    const log = await as('admin').get('/audit.csv?action=payment.export');
    // By which spreadsheets recognise UTF-8.
    expect(log.bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
    expect(await lastOf('audit.export')).toMatchObject({
      filter: { action: 'payment.export', format: 'csv' },
      after: { rows: 1 },
    });
  });

  test('leaves no phone number or account in the log', async () => {
    for (const [search, kept] of [
      ['0722 000 001', [{ kind: 'phone', value: '…001' }]],
      ['14000001', [{ kind: 'text', value: '…001' }]],
      ['A-17', [{ kind: 'text', value: '…' }]],
      ['Duka \u{1F600}17', [{ kind: 'text', value: '…\u{1F600}17' }]],
      [references[0], [{ kind: 'reference', value: references[0] }]],
    ] as const) {
      expect((await exportBy({ search })).status).toBe(200);
      const { filter, target } = (await lastOf('payment.export')) ?? {};
      expect(filter).toEqual({ format: 'csv', search: kept });
      expect(target).toBeNull();
    }
  });

  test('an export that the browser does not wait for is recorded as incomplete', async () => {
    await owner.query(
      `insert into audit_log (channel, at, audit_id, login, action, address, request_id, reason)
       select 'console', date_trunc('milliseconds', now()), gen_random_uuid(), 'x', 'filler', '', '', repeat('x', 1000)
       from generate_series(1, 20000)`,
    );
    const aborted = new AbortController();
    const answer = await fetch(`${running.origin}/console/api/audit.csv?action=filler`, {
      headers: { cookie: as('admin').cookie },
      signal: aborted.signal,
    });
    await answer.body?.getReader().read();
    aborted.abort();
    await until('an entry with the result is written', async () => {
      const entry = await lastOf('audit.export');
      return JSON.stringify(entry?.filter).includes('filler') && entry?.result !== null;
    });
    expect(await lastOf('audit.export')).toMatchObject({ result: 'failed' });
  });
});

test('what an entry keeps is shown as it was kept', async () => {
  const kept = { amountCents: '5000', byName: { KplcPrepaid: 1 } };
  await owner.query(
    `with entry as (insert into audit_log
         (channel, at, audit_id, login, action, address, request_id, filter)
       values ('console', now(), gen_random_uuid(), 'x', 'kept', '', '', $1) returning audit_id)
     insert into audit_results (audit_id, ended_at, result, before, after)
     select audit_id, now(), 'done', $1, $1 from entry`,
    [JSON.stringify(kept)],
  );
  const { body } = await as('admin').get('/audit?action=kept');
  expect(body['entries']).toMatchObject([{ before: kept, after: kept, filter: kept }]);
});

test.each(['x', `2026-01-05T00:00:00.000Z ${'-'.repeat(36)}`])(
  'the cursor %j is refused',
  async (cursor) => {
    const path = `/audit?cursor=${encodeURIComponent(cursor)}`;
    expect(await as('admin').get(path)).toMatchObject({ status: 400, field: 'cursor' });
  },
);

describe('asking the operator now', () => {
  const ask = async (login: string, reference = '') =>
    await as(login).send('POST', `/payments/${reference}/verify`, { reason: 'the customer calls' });

  test('the operator is asked once in half a minute about a payment, for all people together', async () => {
    const [reference] = references;
    expect((await ask('support', reference)).status).toBe(200);
    const again = await ask('operations', reference);
    expect(again).toMatchObject({ status: 429, code: 'too_many_requests' });
    expect(again.problem).toMatch(
      /^The operator was asked about this payment a moment ago\. Try again in \d+ seconds\.$/,
    );
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(0);
    // Another spelling is still the same payment.
    expect((await ask('operations', reference?.toLowerCase())).code).toBe('invalid_field');
    expect((await ask('operations', references[1])).status).toBe(200);
  });

  test.each([
    ['payment.verify', () => `/payments/${references[2]}/verify`, { reason: 'x' }],
    ['biller.refresh-products', () => '/billers/dstv/products', { reason: 'x' }],
    ['operator.test', () => '/operators/multichoice/test', {}],
    ['operator.products', () => '/operators/multichoice/products', undefined],
    ['receipt.push-status', () => `/receipt-sources/paybill/pushes/${randomUUID()}`, undefined],
    [
      'statement.pull',
      () => '/operators/multichoice/pull-statement',
      { from: '2026-01-05', to: '2026-01-05' },
    ],
  ])(
    'one person may %s 20 times in ten minutes; refused attempts do not count',
    async (name, pathOf, body) => {
      await owner.query(
        `insert into audit_log (channel, at, audit_id, person_id, login, action, target, address, request_id)
       select 'console', now() - interval '1 minute', gen_random_uuid(), person_id, login, $1,
         'other', '', '' from people, generate_series(1, 20) where login = 'admin'`,
        [name],
      );
      const refused = await as('admin').send(body === undefined ? 'GET' : 'POST', pathOf(), body);
      expect(refused.status).toBe(429);
      expect(refused.problem).toContain('20 times in ten minutes');
    },
  );

  test('others may still ask about a payment that somebody at the limit was refused', async () => {
    expect((await ask('support', references[2])).status).toBe(200);
  });
});
