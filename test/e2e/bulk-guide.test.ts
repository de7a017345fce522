import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { demoVendor } from '../support/demo-vendors.ts';
import { SandboxFixture } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const GUIDE = path.resolve(import.meta.dirname, '../../docs/guide/bulk.md');

const fixture = new SandboxFixture();
afterAll(async () => await fixture.cleanUp());

test('all commands of the guide to bulk creates work when pasted', async () => {
  const sandbox = await fixture.start();
  await demoVendor(sandbox).fund();
  const guide = await readFile(GUIDE, 'utf8');
  const blocks = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, code]) => code ?? '');
  const [sending = '', asking = ''] = blocks.map((code) =>
    code.replaceAll('http://127.0.0.1:${PORT:-8080}', sandbox.origin),
  );
  const folder = await mkdtemp(path.join(tmpdir(), 'malipo-bulk-'));
  try {
    const sent = await run('sh', ['-c', sending], { cwd: folder });
    expect(JSON.parse(sent.stdout)).toMatchObject({ header_status: 200, msg: { rows: 3 } });
    const answered = await until('the batch is done', async () => {
      const { stdout } = await run('sh', ['-c', `${sending}\n${asking}`], { cwd: folder });
      return stdout.includes('"DONE"') && !stdout.includes('WAITING') ? stdout : undefined;
    });
    const rows = answered.slice(answered.indexOf('row,')).trim().split('\r\n');
    expect(rows).toEqual([
      'row,merchant_reference,result,ipay_reference,posted_time,code,text,field,replayed',
      expect.stringMatching(/^1,nov-0001,ACCEPTED,[0-9A-Z]{32},[-0-9]{10} [:0-9]{8},,,,false$/),
      expect.stringMatching(/^2,nov-0002,ACCEPTED,/),
      '3,nov-0003,REFUSED,,,amount_below_minimum,The minimum amount of safaricom is 5.00,amount,',
    ]);
    await until('both are paid', async () => (await sandbox.truth()).length === 2);
  } finally {
    await rm(folder, { recursive: true });
  }
}, 120_000);
