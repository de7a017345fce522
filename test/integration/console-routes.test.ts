import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { DEMO_PEOPLE } from '../../sandbox/data.ts';
import { isAllowed } from '../../src/parties/people/permissions.ts';
import type { PaymentsFound } from '../../src/staff/payments.ts';
import { HOUSE, openCase } from '../../src/payments/cases/cases-store.ts';
import { partsOf } from '../../src/staff/http.ts';
import { definedRoutes } from '../support/defined-routes.ts';
import { ConsoleClient } from '../support/console-client.ts';
import { useService } from '../support/use-service.ts';
import { zoneAtNoon } from '../support/noon.ts';
import { readXlsx } from '../support/read-xlsx.ts';

// Each person is refused everything that the role may not do, one request after the other.
const environment = {
  CONSOLE_READS_PER_SECOND: '0',
  CONSOLE_CHANGES_PER_SECOND: '0',
  TIME_ZONE: zoneAtNoon(),
};
const running = useService({ environment });
const people = new Map<string, ConsoleClient>();
/** By vendor, in the order of their creation. */
const references: Record<string, string[]> = { demo: [], demo2: [] };

beforeAll(async () => {
  for (const { login } of DEMO_PEOPLE) {
    const client = new ConsoleClient(running.origin);
    await client.signIn(login);
    people.set(login, client);
  }
  for (const vid of ['demo', 'demo2'] as const) {
    const vendor = running.demo(vid);
    await vendor.call('fund', { time: String(Date.now()), currency: 'KES' });
    for (let number = 0; number < 3; number += 1) {
      const answer = await vendor.call('create', {
        biller_name: number === 2 ? 'dstv' : 'kplc_prepaid',
        amount: String(100 + number),
        account: `1423456${number}${number}${number}`,
        phone: '0722000001',
        // One has the reference of another vendor’s payment and must not hide it.
        merchant_reference:
          vid === 'demo2' && number === 2 ? (references['demo']?.[0] ?? null) : `${vid}-${number}`,
      });
      references[vid]?.push(String(answer.body.msg['ipay_reference']));
    }
  }
});

const as = (login: string): ConsoleClient => {
  const client = people.get(login);
  if (client === undefined) throw new Error(`no person ${login}`);
  return client;
};
/** With the filters of an address. */
const searchBy = async (login: string, query: string, path = '/payments/search') =>
  await as(login).send('POST', path, Object.fromEntries(new URLSearchParams(query)));
const list = async (login: string, query = ''): Promise<PaymentsFound> => {
  const answer = await searchBy(login, query);
  expect(answer.status).toBe(200);
  return answer.body as unknown as PaymentsFound;
};
const referencesOf = ({ payments }: PaymentsFound): string[] =>
  payments.map(({ reference }) => reference);

test('a payment that only an operator reports is found by staff, and by no vendor', async () => {
  const caseId = await openCase(running.service.pool, {
    ...{ vendorId: HOUSE, paymentId: null, kind: 'theirs_only', evidenceId: randomUUID() },
    operatorCode: 'kplc',
    facts: {
      movement: 'payment',
      account: '88997711',
      operator_reference: 'KP-1',
      paid_cents: 100,
    },
  });
  for (const { login, role } of DEMO_PEOPLE) {
    for (const search of ['88997711', 'kp-1']) {
      const { lost } = await list(login, `search=${search}`);
      expect(lost.map((row) => row.case)).toEqual(isAllowed(role, 'cases.read') ? [caseId] : []);
    }
  }
});

describe('each route and each role', async () => {
  const routes = await definedRoutes();
  const cases = routes.flatMap((route) =>
    DEMO_PEOPLE.map((person) => ({ person, route, name: `${route.method} ${route.path}` })),
  );

  test.each(cases)('$person.role: $name', async ({ person, route }) => {
    const path = route.path.replaceAll(/:\w+/g, () => randomUUID());
    const body = route.method === 'GET' ? undefined : {};
    const { code } = await as(person.login).send(route.method, path, body);
    const isForThem = !('vid' in person) || route.of.ownVendor === true;
    if (isForThem && isAllowed(person.role, route.of.permission))
      expect(code).not.toBe('not_permitted');
    else expect(code).toBe('not_permitted');
  });

  const aboutVendors = cases.filter(
    ({ person, route }) => 'vid' in person && route.path.includes('/:vid'),
  );
  test.each(aboutVendors)('$person.login: $name of another vendor', async ({ person, route }) => {
    const other = person.login.startsWith('demo2') ? 'demo' : 'demo2';
    const path = route.path.replace(':vid', other).replaceAll(/:\w+/g, () => randomUUID());
    const body = route.method === 'GET' ? undefined : {};
    const { status, code } = await as(person.login).send(route.method, path, body);
    const expected = isAllowed(person.role, route.of.permission) ? 'not_found' : 'not_permitted';
    expect({ status, code }).toEqual({ status: code === 'not_found' ? 404 : 403, code: expected });
  });

  test('a link changes nothing', () => {
    const unsafe = routes.filter(({ method, of }) => of.kind === 'action' && method !== 'POST');
    expect(unsafe.map(({ path }) => path)).toEqual([]);
  });

  // Proxies log URLs, also those that they only pass on.
  test('an account or a phone number to pay for is never in a URL', () => {
    const inQuery = routes.flatMap(({ path, of }) =>
      Object.keys(partsOf(of).query?.properties ?? {})
        .filter((name) => ['account', 'phone', 'search'].includes(name))
        .map((name) => `${path}?${name}`),
    );
    // Of the name or the code of a vendor, and of a product.
    const lists = ['/vendors', '/operators/:operator/products'];
    expect(inQuery).toEqual(
      lists.flatMap((at) => ['', '.csv', '.xlsx'].map((file) => `${at}${file}?search`)),
    );
  });
});

describe('payments', () => {
  test('staff see those of all vendors, newest first', async () => {
    const all = [...(references['demo'] ?? []), ...(references['demo2'] ?? [])].toReversed();
    expect(referencesOf(await list('support'))).toEqual(all);
  });

  test('people of a vendor see only its own payments, whatever they ask for', async () => {
    const own = (references['demo2'] ?? []).toReversed();
    for (const query of ['', '?vid=demo', '?vid=demo2', '?vid=no-such']) {
      expect(referencesOf(await list('demo2-admin', query))).toEqual(own);
    }
    for (const search of ['0722000001', '14234560000', ...(references['demo'] ?? []), 'demo-1']) {
      const found = await list('demo2-admin', `?search=${search}`);
      expect(found.payments.filter(({ vid }) => vid !== 'demo2')).toEqual([]);
    }
    const [other = ''] = references['demo'] ?? [];
    const answer = await as('demo2-admin').get(`/payments/${other}`);
    expect(answer).toMatchObject({ status: 404, code: 'not_found' });
    expect((await as('demo-viewer').get(`/payments/${other}`)).status).toBe(200);
  });

  test('a list without a search text has a URL of its own', async () => {
    const { body } = await as('support').get('/payments?vid=demo2&biller=dstv');
    const { payments } = await list('support', '?vid=demo2&biller=dstv');
    expect(body['payments']).toEqual(payments);
    const refused = await as('support').get('/payments?search=0722000001');
    expect(refused).toMatchObject({ status: 400, code: 'unknown_field' });
  });

  test.each([
    ['?vid=demo2', 3],
    ['?biller=dstv', 2],
    ['?biller=dstv&vid=demo', 1],
    ['?min=101&max=101', 2],
    ['?status=QUEUED', 6],
    ['?status=SUCCESS', 0],
    ['?operator=multichoice', 2],
    ['?to=2020-01-01T00:00:00Z', 0],
    ['?from=2020-01-01T00:00:00Z', 6],
    ['?search=0722000001', 6],
    ['?search=%2B254%20722%20000001&vid=demo', 3],
    ['?search=demo-2', 1],
    ['?search=demo2', 3],
    ['?search=KES%20101', 2],
    ['?search=0722000001%20demo%20KES%20102', 1],
    ['?search=0722000001&status=SUCCESS', 0],
    ['?search=0722000001&biller=dstv', 2],
    ['?search=today&vid=demo', 3],
    ['?search=2020-01-01', 0],
    ['?search=demo2&as=text', 0],
    ['?from=2020-01-01&to=2020-12-31', 0],
  ])('lists the payments that match %s', async (query, count) => {
    expect((await list('support', query)).payments).toHaveLength(count);
  });

  test.each([
    ['?min=1.234', 'min'],
    ['?status=PAID', 'status'],
    ['?from=yesterday', 'from'],
    ['?from=2026-13-01T00:00:00Z', 'from'],
    ['?cursor=e30', 'cursor'],
    ['?vid=no-such', 'vid'],
    ['?search=a%00b', 'search'],
    ['?search=0722000001&cursor=e30', 'cursor'],
    ['?to=2026-02-30', 'to'],
    ['?as=guess', 'as'],
  ])('%s is refused, naming %s', async (query, field) => {
    const { status, body } = await searchBy('support', query);
    expect([400, 404]).toContain(status);
    expect((body['error'] as { field: string }[])[0]?.field).toBe(field);
  });

  test('the search shows how it understood the text', async () => {
    const { understood } = await list('support', '?search=demo%20KES%20101');
    expect(understood).toEqual([
      { kind: 'vendor', value: 'demo' },
      { kind: 'amount', value: '101.00' },
    ]);
    // A search must not reveal which other vendors exist.
    expect((await list('demo-viewer', '?search=demo2')).understood).toEqual([
      { kind: 'text', value: 'demo2' },
    ]);
  });

  test('a file with an unknown column is refused', async () => {
    const path = '/payments/search.csv?columns=created_at,secret';
    const { status, body } = await searchBy('support', '', path);
    expect(status).toBe(400);
    expect((body['error'] as { field: string }[])[0]?.field).toBe('columns');
  });

  test('an export has the list’s payments and columns', async () => {
    const shown = await list('demo-viewer', '?search=0722000001');
    const fileOf = async (format: string) => {
      const path = `/payments/search.${format}?columns=reference,amount,vid,phone`;
      return await searchBy('demo-viewer', 'search=0722000001', path);
    };
    const answer = await fileOf('csv');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="payments-[\d-]+\.csv"$/,
    );
    const lines = shown.payments.map(
      ({ reference, amount }) => `${reference},${amount},demo,254722000001`,
    );
    expect(answer.text.split('\r\n')).toEqual(['Reference,Amount,Vendor,Phone', ...lines, '']);
    const book = await fileOf('xlsx');
    expect(await readXlsx(book.bytes)).toEqual(
      [['Reference', 'Amount', 'Vendor', 'Phone']].concat(lines.map((line) => line.split(','))),
    );
  });

  test('lists the possible filters', async () => {
    const { body } = await as('support').get('/payments/choices');
    expect(body['vendors']).toEqual([
      { code: 'demo', name: 'Demo Vendor' },
      { code: 'demo2', name: 'Second Demo Vendor' },
    ]);
    expect((await as('demo-viewer').get('/payments/choices')).body['vendors']).toEqual([]);
  });

  test('one payment with its history', async () => {
    const [, reference = ''] = references['demo'] ?? [];
    const { body } = await as('support').get(`/payments/${reference.toLowerCase()}`);
    expect(body).toMatchObject({
      reference,
      vid: 'demo',
      status: 'QUEUED',
      amount: '101.00',
      phone: '254722000001',
      merchant_reference: 'demo-1',
    });
    expect(body['timeline']).toMatchObject([
      { kind: 'created' },
      { kind: 'transfer', movement: 'reserved', amount: '101.00' },
    ]);
    const unknown = await as('support').get('/payments/0123');
    expect(unknown).toMatchObject({ status: 404, code: 'not_found' });
  });
});
