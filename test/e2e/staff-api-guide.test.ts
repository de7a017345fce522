import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ConsoleClient } from '../support/console-client.ts';
import { demoVendor, fresh } from '../support/demo-vendors.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { StaffClient, staffSignedIn } from '../support/staff-client.ts';
import { until } from '../support/until.ts';
import { VendorClient } from '../support/vendor-client.ts';

// A company's own developer, who pastes what the guide has.

const run = promisify(execFile);
const GUIDE = path.resolve(import.meta.dirname, '../../docs/guide/staff-api.md');
const PASSWORD = 'correct horse battery staple';

const fixture = new SandboxFixture();
let sandbox: Sandbox;
let printed: string;
let folder: string;
let program: StaffClient;

beforeAll(async () => {
  sandbox = await fixture.start();
  folder = await fixture.folder();
  const demo = demoVendor(sandbox);
  await demo.fund();
  const order = { merchant_reference: fresh('order'), account: '0722000001', phone: '0722000001' };
  const { text } = await demo.create(order);
  if (!text.includes('ipay_reference')) throw new Error(text);
  const guide = await readFile(GUIDE, 'utf8');
  const blocks = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code]) => code ?? '');
  const script = ['set -eu', ...blocks, 'printf "\\ntoken=%s" "$token"'].join('\n');
  const { PATH } = process.env;
  const env = { PATH, PORT: new URL(sandbox.origin).port };
  ({ stdout: printed } = await run('bash', ['-c', script], { cwd: folder, env }));
  program = new StaffClient(sandbox.origin, /token=(\S+)$/.exec(printed)?.[1]);
}, 300_000);
afterAll(async () => await fixture.cleanUp());

test('everything that the guide to the staff API has works when it is pasted', async () => {
  expect(printed).toContain('"token":"crm"');
  expect(printed).toContain('dstv: 10.00, VAT of 16 % added | kplc_prepaid: 1.5 %');
  expect(printed).toMatch(/"status": "(QUEUED|PENDING|PROCESSING|SUCCESS)"/);
  expect(printed).toContain('"note":"Ticket 4711: the customer has no token"');
  const [margin, payments] = await Promise.all(
    ['margin.csv', 'payments.csv'].map(
      async (file) => await readFile(path.join(folder, file), 'utf8'),
    ),
  );
  expect(margin).toContain('Day,Vendor,Biller,Operator,Payments,Amount');
  expect(payments).toContain('Reference,Vendor,Amount,Status');
});

test('a vendor that a program proposed gets its key by its administrator, and nobody else sees one', async () => {
  const [owner, other] = [
    await staffSignedIn(sandbox.origin, 'admin'),
    await staffSignedIn(sandbox.origin, 'admin2'),
  ];
  const found = await program.get('/proposals');
  const [{ proposal } = { proposal: '' }] = found.body['proposals'] as { proposal: string }[];
  const decide = async (by: StaffClient, id: string) => {
    const { seen } = (await by.get(`/proposals/${id}`)).body;
    return await by.post(`/proposals/${id}/approve`, { seen });
  };
  expect(await decide(program, proposal)).toMatchObject({ status: 403 });
  expect(await decide(owner, proposal)).toMatchObject({ status: 400, field: 'by' });
  const approved = await decide(other, proposal);
  expect(approved).toMatchObject({ status: 200, body: { decision: 'approved' } });
  await vi.waitFor(async () => {
    expect((await program.get('/vendors/kijani')).body).toMatchObject({
      prices: [{ biller: 'kplc_prepaid' }, { biller: 'dstv' }],
    });
  });
  // A link for the vendor's administrator, whom the other administrator confirms.
  const login = 'asha@kijani.example';
  expect((await program.post(`/people/${login}/link`)).status).toBe(403);
  const { link } = (await other.post(`/people/${login}/link`)).body;
  const vendor = new ConsoleClient(sandbox.origin);
  const token = String(link).split('#')[1];
  const used = await vendor.send('POST', '/links/use', { token, password: PASSWORD });
  expect(used, used.text).toMatchObject({ status: 200 });
  const { people } = (await owner.get('/people')).body as {
    people: { login: string; waits_for: string | null }[];
  };
  const waits = people.find((person) => person.login === login)?.waits_for;
  if (typeof waits === 'string') expect((await decide(owner, waits)).status).toBe(200);
  expect((await vendor.signIn(login, PASSWORD)).status).toBe(200);
  const made = await vendor.send('POST', '/vendors/kijani/keys', {});
  expect(made, made.text).toMatchObject({ status: 200 });
  const own = new VendorClient(sandbox.origin, { vid: 'kijani', key: String(made.body['secret']) });
  const asked = { time: String(Date.now()), currency: 'KES' };
  const answer = await until('the key is known', async () => {
    const got = await own.call('fund', asked);
    return got.text.includes('signature_invalid') ? undefined : got;
  });
  expect(answer.text).toContain('Nothing to move');
});

test('what the token may not do is refused, and it never sees a key', async () => {
  for (const [at, body] of [
    ['/vendors', { vid: 'mine', name: 'Mine', sector: 'retail' }],
    ['/vendors/demo/fund', { reason: 'x' }],
    ['/tokens', { name: 'more', role: 'administrator' }],
    ['/payouts', { vid: 'demo', amount: '1', bank_account: 'x', evidence: 'x', reason: 'x' }],
    ['/vendors/demo/keys', { reason: 'x' }],
  ] as const) {
    expect(await program.post(at, body), at).toMatchObject({ status: 403, code: 'not_permitted' });
  }
  expect(await program.get('/audit')).toMatchObject({ status: 403 });
});
