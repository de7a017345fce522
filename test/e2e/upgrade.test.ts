import { execFile } from 'node:child_process';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { SCHEMA } from '../../src/schema.ts';
import { ProductionFixture } from '../support/production-pair.ts';
import type { Pair, Server } from '../support/production-pair.ts';
import { NODE_OPTIONS } from '../../scripts/node-options.ts';
import { until } from '../support/until.ts';
import { VendorClient } from '../support/vendor-client.ts';

// A release and the one after it, as processes on one database, while payments come in. The newer one
// is this program with one more migration and one changed function.

const ROOT = path.resolve(import.meta.dirname, '../..');
const NEXT = 'payments/9001_next.sql';
const EDITED = 'payments/functions/end_payments.sql';

const fixture = new ProductionFixture();
afterAll(async () => await fixture.cleanUp());

/** The next release of the program, in a folder of its own. */
async function nextRelease(): Promise<string> {
  const folder = await fixture.folder();
  for (const name of ['src', 'scorecards', 'package.json']) {
    await cp(path.join(ROOT, name), path.join(folder, name), { recursive: true });
  }
  for (const name of ['node_modules', 'console']) {
    await symlink(path.join(ROOT, name), path.join(folder, name));
  }
  const edit = async (file: string, from: string | RegExp, to: string): Promise<void> => {
    const at = path.join(folder, 'src', file);
    const text = await readFile(at, 'utf8');
    expect(text).toMatch(from);
    await writeFile(at, text.replace(from, to));
  };
  const [wing, migration] = NEXT.split('/');
  const sql = 'alter table payments add column remark text;\n';
  await writeFile(path.join(folder, 'src', wing ?? '', 'schema', migration ?? ''), sql);
  await edit(EDITED, 'message = s.message', `message = s.message || ' (next release)'`);
  await edit('schema.ts', /RELEASE = \d+/, `RELEASE = ${SCHEMA.release + 1}`);
  return folder;
}

/** Creates payments one after the other until it is told to stop; every one has to be accepted. */
function keepPaying(client: VendorClient, account: string) {
  const over = new AbortController();
  const references: string[] = [];
  const work = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const answer = await client.create({
        biller_name: 'tokens',
        account,
        amount: '10.00',
        merchant_reference: `${account}-${references.length}`,
      });
      expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
      references.push(String(answer.body.msg['ipay_reference']));
    }
  };
  const working = work();
  return {
    references,
    /** Resolves when so many more were accepted. */
    more: async (count: number) => {
      const wanted = references.length + count;
      await Promise.race([
        working,
        until(`${count} more are paid`, () => references.length >= wanted, 60_000),
      ]);
    },
    stop: async () => {
      over.abort();
      await working;
    },
  };
}

async function end({ process }: Server): Promise<void> {
  process.signal('SIGTERM', 'process');
  expect(await process.ended()).toEqual({ code: 0, signal: null });
}

/** The messages that the operator's results were kept with. */
async function messagesOf(pair: Pair): Promise<Set<string>> {
  const read = await pair.pool.query<{ message: string }>(
    'select distinct message from payments where message is not null',
  );
  return new Set(read.rows.map(({ message }) => message));
}

test('the previous release works and restarts on the next one’s schema under load, and again after the next one was taken back', async () => {
  const pair = await fixture.startPair();
  await pair.addBiller('tokens');
  const [client] = await pair.addFundedVendor('90000.00');
  const [serving, restarting] = pair.servers;
  const load = keepPaying(client, '30000001');
  await load.more(5);

  const root = await nextRelease();
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...NODE_OPTIONS, 'src/cli/malipo.ts', 'migrate'],
    {
      cwd: root,
      env: { ...process.env, DATABASE_URL: pair.url, DATABASE_OWNER_URL: pair.ownerUrl },
    },
  );
  expect(stdout).toContain(NEXT);
  expect(stdout).toContain(EDITED);
  await load.more(5);
  await until('the next function settles', async () =>
    [...(await messagesOf(pair))].some((message) => message.endsWith('(next release)')),
  );

  // A process of the previous release starts on the next one's schema.
  await end(restarting);
  const again = await fixture.serve(pair.url);
  await load.more(5);

  // The next release serves, is taken back, and changes nothing for the previous one.
  const newer = await fixture.serve(pair.url, root);
  const onNewer = keepPaying(new VendorClient(newer.origin, client), '30000002');
  await onNewer.more(5);
  await onNewer.stop();
  await end(newer);
  await load.more(5);
  await load.stop();

  const accepted = [...load.references, ...onNewer.references];
  await until(
    'everything is paid',
    async () => (await pair.timesPaid()).size === accepted.length,
    60_000,
  );
  expect([...(await pair.timesPaid()).values()].every((times) => times === 1)).toBe(true);
  await Promise.all([serving, again].map(end));
  const owner = createPool({ url: pair.ownerUrl, max: 1, name: 'test' });
  expect((await checkLedger(owner)).violations).toEqual([]);
  await owner.end();
}, 300_000);
