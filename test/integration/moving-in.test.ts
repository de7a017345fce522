import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { createWireTime } from '../../src/platform/base/clock.ts';
import type { Mac } from '../../src/platform/base/mac.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { digestOf } from '../../src/payments/moving/references-file.ts';
import { checkReferences, importReferences } from '../../src/payments/moving/references.ts';
import { findViolations } from '../support/books-check.ts';
import { collect } from '../support/demo-vendors.ts';
import { staffSignedIn } from '../support/staff-client.ts';
import type { StaffClient } from '../support/staff-client.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { useService } from '../support/use-service.ts';
import { VendorClient } from '../support/vendor-client.ts';

// A running company brings its vendors, with the keys, the balances and the references that they have.

const running = useService();
let owner: StaffClient;
let other: StaffClient;
let pool: Pool;
let mac: Mac;
let folder: string;

beforeAll(async () => {
  owner = await staffSignedIn(running.origin, 'admin');
  other = await staffSignedIn(running.origin, 'admin2');
  pool = createPool({ url: running.database.url, max: 3, name: 'test' });
  mac = await openLedgerMac(pool, running.sealing.masterKeys);
  folder = await makeTemporaryFolder();
});
afterAll(async () => {
  await pool.end();
  await removeFolder(folder);
});

const HEAD = 'vid,name,sector,key,collected,float,references\n';
const send = async (to: string, content: string) =>
  await owner.send('POST', to, Buffer.from(content));
const VENDORS = '/vendor-imports?at=2026-10-31&reason=move';
const TRIAL = '/vendor-imports/trial';
const REFERENCES = '/vendor-references?reason=move';
const LAST_REFERENCES = `${REFERENCES}&last=true`;
const proposalOf = ({ body }: { readonly body: Record<string, unknown> }) =>
  body['proposal'] as {
    readonly proposal: string;
    readonly seen: string;
    readonly would: object[];
  };
const approve = async ({ proposal, seen }: { readonly proposal: string; readonly seen: string }) =>
  await other.post(`/proposals/${proposal}/approve`, { seen });

const msgOf = ({ body }: { readonly body: unknown }) =>
  (body as { readonly msg: Record<string, unknown> }).msg;

let made = 0;
/** A vendor that was imported, with its client. */
async function bring({ float = '500.00', references = 'yes' } = {}) {
  made += 1;
  const [vid, key] = [`moved-${made}`, `the key of ${made}`];
  const line = `${vid},Shop ${made},retail,${key},1000.00,${float},${references}\n`;
  const answer = await approve(proposalOf(await send(VENDORS, HEAD + line)));
  expect(answer.status).toBe(200);
  return { vid, client: new VendorClient(running.origin, { vid, key }) };
}

const deps = () => ({
  ...{ pool, ledgerMac: mac, wireTime: createWireTime('Africa/Nairobi'), now: new Date() },
  onLines: () => {},
});

async function fileOf(content: string): Promise<string> {
  made += 1;
  const file = path.join(folder, `${made}.csv`);
  await writeFile(file, content);
  return file;
}

/** The answer to the proposal, which another person has approved. */
async function approvedOf(to: string, content: string) {
  const answer = await send(to, content);
  expect((await approve(proposalOf(answer))).status).toBe(200);
  return answer;
}

/** Two people approve the file, and it is imported. */
async function bringReferences(content: string, to = LAST_REFERENCES): Promise<void> {
  await approvedOf(to, content);
  await importReferences(deps(), await fileOf(content));
}

async function resumed(vid: string, client: VendorClient): Promise<void> {
  expect((await owner.post(`/vendors/${vid}/resume`, { reason: 'we moved' })).status).toBe(200);
  await vi.waitFor(async () => expect((await client.call('balance')).status).toBe(200));
}

describe('vendors', () => {
  test('sign with the keys that they have, and pay with the money that they had', async () => {
    const { vid, client } = await bring({ references: 'no' });
    expect((await owner.get(`/vendors/${vid}`)).body).toMatchObject({
      ...{ status: 'suspended', collected: '1000.00', float: '500.00' },
    });
    await resumed(vid, client);
    const paid = await client.create({ account: '254712345678', merchant_reference: 'new-1' });
    expect(paid.status).toBe(200);
  });

  test('are shown to the approver with fingerprints of their keys and the sums of the balances', async () => {
    const line =
      'seen-1,Shop,retail,a secret key,1.00,2.00,no\nseen-2,Shop,retail,another key,3.00,4.00,no\n';
    const { body, text } = await send(VENDORS, HEAD + line);
    const { would } = proposalOf({ body });
    expect(would).toContainEqual({ label: 'Collected in all', text: null, amount: '4.00' });
    expect(would).toContainEqual({ label: 'Float in all', text: null, amount: '6.00' });
    expect(JSON.stringify(would)).toMatch(/Shop.*retail · key [0-9a-f]{12} · collected 1\.00/);
    expect(text).not.toContain('a secret key');
    const log = await owner.get('/audit');
    expect(log.text).not.toContain('a secret key');
  });

  test('are all shown to the approver, whatever they are called', async () => {
    const line = '__proto__,Shop,retail,a third secret,1.00,2.00,no\n';
    const { would } = proposalOf(await send(VENDORS, HEAD + line));
    expect(would).toContainEqual(expect.objectContaining({ label: '__proto__' }));
  });

  test('are booked in double entry against the opening account, which the check of the books verifies', async () => {
    const { vid } = await bring();
    const transfers = await pool.query(
      `select debit_account, credit_account, amount_cents::text from transfers t join vendors v using (vendor_id)
       where v.vid = $1 order by leg`,
      [vid],
    );
    expect(transfers.rows).toEqual([
      { debit_account: 'opening', credit_account: 'collected', amount_cents: '100000' },
      { debit_account: 'opening', credit_account: 'float', amount_cents: '50000' },
    ]);
    expect(await findViolations(pool, { mac })).toEqual([]);
    const read = await pool.query<{ day: string }>(
      `select (valued_at at time zone 'Africa/Nairobi')::date::text as day from vendor_openings
       join vendors using (vendor_id) where vid = $1`,
      [vid],
    );
    expect(read.rows).toEqual([{ day: '2026-10-31' }]);
  });

  test.each([
    ['no-sector,Shop,shop,some long key,1,1,no', 'sector'],
    ['short,Shop,retail,short,1,1,no', 'key'],
    ['cents,Shop,retail,some long key,1.001,1,no', 'collected'],
    ['minus,Shop,retail,some long key,1,-1,no', 'float'],
    ['DEMO,Shop,retail,some long key,1,1,no', 'vid'],
    ['maybe,Shop,retail,some long key,1,1,perhaps', 'references'],
    ['turned,Shop \u202e1,retail,some long key,1,1,no', 'name'],
    ['zero,Shop\0,retail,some long key,1,1,no', 'name'],
    ['few,Shop,retail', ''],
  ])('are refused by line and column, with all of the file: %s', async (line, field) => {
    const file = `${HEAD}good-${field},Shop,retail,a good long key,1,1,no\n${line}\n`;
    for (const to of [VENDORS, TRIAL]) {
      const { body } = await send(to, file);
      expect(body).toMatchObject({ problem_count: 1, problems: [{ line: 3, field }] });
    }
    expect((await owner.get(`/vendors/good-${field}`)).status).toBe(404);
  });

  test.each([
    ['twice,A,retail,key number one,1,1,no\nTWICE,B,retail,key number two,1,1,no\n', 'vid'],
    ['one,A,retail,shared-key,1,1,no\nother,B,retail,shared-key,1,1,no\n', 'key'],
  ])('are refused if two have the same vid or key', async (lines, field) => {
    const { body, text } = await send(VENDORS, HEAD + lines);
    expect(body).toMatchObject({
      problems: [{ line: 3, field, text: `line 2 has the same ${field}` }],
    });
    expect(text).not.toContain('shared-key');
  });
});

describe('income', () => {
  test('of the time before the balances is not credited again, whichever collector repeats it, and later income is', async () => {
    const { vid, client } = await bring({ references: 'no' });
    await resumed(vid, client);
    const before = { vid, reference: 'till-1', paid_at: '2026-10-31 23:59:59' };
    for (const paidAt of [before.paid_at, '2026-01-05 09:00:00']) {
      const again = await collect(running.origin, { ...before, paid_at: paidAt });
      expect(again).toMatchObject({
        ...{ status: 400, body: { error: [{ code: 'invalid_field', field: 'paid_at' }] } },
      });
    }
    expect((await owner.get(`/vendors/${vid}`)).body).toMatchObject({ collected: '1000.00' });
    const later = { vid, reference: `${vid}-1`, amount: '50.00', paid_at: '2026-11-01 00:00:00' };
    expect(await collect(running.origin, later)).toMatchObject({ status: 200 });
    expect((await owner.get(`/vendors/${vid}`)).body).toMatchObject({ collected: '1050.00' });
  });
});

describe('references', () => {
  const HEADED = 'vid,reference,status,time,biller,account,amount\n';
  const content = { account: '254712345678', amount: '60.00' };

  test('used before pay nothing: the same content gets the first answer again, another a refusal', async () => {
    const { vid, client } = await bring();
    await bringReferences(
      `${HEADED}${vid},old-1,SUCCESS,2026-10-30 12:00:00,safaricom,0712345678,60\n${vid},old-2,FAILED,,,,\n`,
    );
    await resumed(vid, client);
    const again = await client.create({ ...content, merchant_reference: 'old-1' });
    expect(again).toMatchObject({ status: 200, body: { header_status: 200 } });
    expect(again.headers['idempotency-replayed']).toBe('true');
    const otherAmount = { ...content, amount: '70.00', merchant_reference: 'old-1' };
    expect(await client.create(otherAmount)).toMatchObject({ status: 409 });
    expect(await client.create({ ...content, merchant_reference: 'old-2' })).toMatchObject({
      ...{ status: 409, body: { error: [{ code: 'reference_reused' }] } },
    });
    expect((await owner.get(`/vendors/${vid}`)).body).toMatchObject({ float: '500.00' });
  });

  test('used before have the status that the other system knew, and one that it did not know stays open until it is told', async () => {
    const { vid, client } = await bring();
    await bringReferences(
      `${HEADED}${vid},paid,SUCCESS,,safaricom,0712345678,60\n${vid},declined,FAILED,,,,\n${vid},open,PENDING,,safaricom,0712345678,60\n`,
    );
    await resumed(vid, client);
    const statusOf = async (reference: string) => {
      const { status, body } = await client.call('status', { merchant_reference: reference });
      return [status, msgOf({ body })['transaction_status']];
    };
    expect(await statusOf('paid')).toEqual([200, 'SUCCESS']);
    expect(await statusOf('declined')).toEqual([200, 'FAILED']);
    expect(await statusOf('open')).toEqual([200, 'PENDING']);
    const first = await client.create({ ...content, merchant_reference: 'open' });
    await bringReferences(`vid,reference,status\n${vid},open,FAILED\n${vid},paid,FAILED\n`);
    expect(await statusOf('open')).toEqual([200, 'FAILED']);
    expect(await statusOf('paid')).toEqual([200, 'SUCCESS']);
    const reference = String(msgOf(first)['ipay_reference'] ?? msgOf(first)['reference']);
    const byOurs = await client.call('status', { reference });
    expect(byOurs).toMatchObject({ status: 200, body: { msg: { transaction_status: 'FAILED' } } });
  });

  test('that are missing keep their vendor suspended', async () => {
    const { vid } = await bring();
    const refused = await owner.post(`/vendors/${vid}/resume`, { reason: 'too early' });
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.problem).toContain('would be paid twice');
  });

  test('of earlier years keep their vendor suspended, until those of the last file are here too', async () => {
    const { vid, client } = await bring();
    await bringReferences(`vid,reference,status\n${vid},years-ago,SUCCESS\n`, REFERENCES);
    expect((await owner.post(`/vendors/${vid}/resume`, { reason: 'too early' })).status).toBe(400);
    const last = `vid,reference,status\n${vid},yesterday,SUCCESS\n`;
    const proposal = proposalOf(await send(LAST_REFERENCES, last));
    expect(proposal.would).toContainEqual({
      ...{ label: 'With this file', text: 'all are here', amount: null },
    });
    expect((await approve(proposal)).status).toBe(200);
    expect((await owner.post(`/vendors/${vid}/resume`, { reason: 'too early' })).status).toBe(400);
    await importReferences(deps(), await fileOf(last));
    await resumed(vid, client);
  });

  test('are imported only from exactly the file that two people approved', async () => {
    const { vid } = await bring();
    const file = await fileOf(`vid,reference,status\n${vid},one,SUCCESS\n`);
    await expect(importReferences(deps(), file)).rejects.toThrow('Two people have to approve');
  });

  test('of files that somebody writes into the database neither resume a vendor nor are imported, and the check finds them', async () => {
    const { vid } = await bring();
    const approved = `vid,reference,status\n${vid},one,SUCCESS\n`;
    const { proposal } = proposalOf(await approvedOf(LAST_REFERENCES, approved));
    const forged = `vid,reference,status\n${vid},other,SUCCESS\n`;
    const file = await fileOf(forged);
    const faults = async (): Promise<string[]> => {
      const found = await findViolations(pool, { mac });
      return found.map(({ invariant, detail }) => `${invariant}: ${detail}`);
    };
    try {
      await pool.query(
        `insert into reference_file_ends (proposal_id, ended_at, mac)
         select proposal_id, now(), mac from reference_files where proposal_id = $1`,
        [proposal],
      );
      expect((await owner.post(`/vendors/${vid}/resume`, { reason: 'now' })).status).toBe(400);
      await pool.query(
        `insert into reference_files (proposal_id, sha256, is_last, vendor_ids, approved_at, mac)
         select gen_random_uuid(), $2, true, vendor_ids, approved_at, mac from reference_files
         where proposal_id = $1`,
        [proposal, await digestOf(file)],
      );
      await expect(importReferences(deps(), file)).rejects.toThrow('Two people have to approve');
      expect(await faults()).toEqual([
        expect.stringMatching(
          /^reference_files_authentic: .* was not approved through the service$/,
        ),
        expect.stringMatching(/^reference_files_authentic: .* was not imported by the service$/),
      ]);
      for (const table of ['reference_files', 'reference_file_ends']) {
        await expect(pool.query(`delete from ${table}`)).rejects.toThrow('permission denied');
        await expect(pool.query(`update ${table} set mac = ''`)).rejects.toThrow(
          'permission denied',
        );
      }
    } finally {
      await running.database.asOwner('delete from reference_file_ends where proposal_id = $1', [
        proposal,
      ]);
      await running.database.asOwner('delete from reference_files where sha256 = $1', [
        await digestOf(file),
      ]);
    }
    await importReferences(deps(), await fileOf(approved));
    expect(await faults()).toEqual([]);
  });

  test('with a refused line are all refused, each line with its reason', async () => {
    const { vid } = await bring();
    const lines = [
      ...['vid,reference,status,biller,account,amount', `${vid},good,SUCCESS,,,`],
      ...[`${vid},good,FAILED,,,`, `demo,mine,SUCCESS,,,`, `${vid},half,SUCCESS,dstv,,5`],
      ...[`${vid},strange,MAYBE,,,`, `${vid},,SUCCESS,,,`],
      ...[`${vid},zero,SUCCESS,dstv,1\0,5`, `${vid},what,SUCCESS,dst v,1,5`],
    ];
    const { problems } = await checkReferences(deps(), await fileOf(lines.join('\n')));
    expect(problems.map(({ line, field }) => [line, field])).toEqual([
      ...[
        [3, 'reference'],
        [4, 'vid'],
        [5, 'account'],
        [6, 'status'],
        [7, 'reference'],
        [8, 'account'],
        [9, 'biller'],
      ],
    ]);
    const sent = await send(REFERENCES, lines.join('\n'));
    expect(sent.body).toMatchObject({ proposal: null, problem_count: 7 });
  });

  test('of an import that was killed are completed by the next one, and stored once', async () => {
    const { vid, client } = await bring();
    const rows = Array.from(
      { length: 12_000 },
      (_, at) => `${vid},order-${at},SUCCESS,dstv,15000${at},50`,
    );
    const content12 = `vid,reference,status,biller,account,amount\n${rows.join('\n')}\n`;
    await approve(proposalOf(await send(LAST_REFERENCES, content12)));
    const file = await fileOf(content12);
    let stores = 0;
    const killed = {
      ...deps(),
      onLines: (line: number) => {
        // The lines of the check are told by the thousand; those that are stored by the chunk.
        if (line % 1_000 === 1) stores += 1;
        if (stores === 2) throw new Error('killed');
      },
    };
    await expect(importReferences(killed, file)).rejects.toThrow('killed');
    const stored = async () =>
      (
        await pool.query<{ n: number }>(
          `select count(*)::integer as n from used_references join vendors using (vendor_id) where vid = $1`,
          [vid],
        )
      ).rows[0]?.n;
    expect(await stored()).toBe(10_000);
    expect((await owner.post(`/vendors/${vid}/resume`, { reason: 'now' })).status).toBe(400);
    await importReferences(deps(), file);
    expect(await stored()).toBe(12_000);
    await resumed(vid, client);
  });
});
