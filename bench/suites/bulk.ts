import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createPool } from '../../src/platform/db/pool.ts';
import { signedForm } from '../load/requests.ts';
import type { BenchVendor } from '../stage.ts';
import { countPayments } from '../store.ts';
import { reconcile, runOf } from './suite.ts';
import type { Suite } from './suite.ts';

const ROWS_OF_A_FILE = 5_000;
/** Files for each second of a run, and the maximum number at once. */
const FILES_PER_SECOND = 2;
const FILES_AT_ONCE = 4;
const LOOK_MS = 25;

let files = 0;

/** Files over HTTP: uploaded, decided row by row, and queried until the last row is decided. */
export const bulkSuite: Suite = {
  name: 'bulk',
  contestants: ['bulk hot'],
  open: async (stage, options) => {
    const url = await stage.database('bulk');
    const pool = createPool({ url, max: 1, name: 'bench count', statementTimeoutMs: 0 });
    const server = await stage.start<{ port: number }>('server.ts', {
      DATABASE_URL: url,
      ROLES: 'api',
    });
    const base = `http://127.0.0.1:${server.first.port}/transaction/bulk`;
    const [vendor] = stage.hot;
    if (vendor === undefined) throw new Error('there is no vendor');
    const run = async (name: string, count: number) => {
      const texts = Array.from({ length: count }, newFile);
      const rows = count * ROWS_OF_A_FILE;
      await stage.checkpoint();
      const before = await countPayments(pool);
      const measured = await stage.measured(server, async () => {
        const startedAt = performance.now();
        const uploader = async (): Promise<void> => {
          for (let text = texts.pop(); text !== undefined; text = texts.pop()) {
            await payFile(base, vendor, text);
          }
        };
        await Promise.all(Array.from({ length: FILES_AT_ONCE }, uploader));
        return { rate: rows / ((performance.now() - startedAt) / 1000), events: rows };
      });
      reconcile(name, (await countPayments(pool)) - before, rows);
      return runOf(name, measured);
    };
    await run('bulk hot', 1);
    return {
      run: (name) => run(name, FILES_PER_SECOND * options.seconds),
      close: async () => {
        await server.stop();
        await pool.end();
      },
    };
  },
};

function newFile(): string {
  files += 1;
  const rows = Array.from(
    { length: ROWS_OF_A_FILE },
    (_, index) => `kplc_prepaid,14${String(index).padStart(7, '0')}0000,100.00,f-${files}-${index}`,
  );
  return `biller_name,account,amount,merchant_reference\n${rows.join('\n')}\n`;
}

/** Uploads a file and waits until every row is decided. Throws when one is refused. */
async function payFile(base: string, vendor: BenchVendor, text: string): Promise<void> {
  const sha256 = createHash('sha256').update(text).digest('hex');
  const identity = { batch_reference: sha256, vid: vendor.vid };
  const upload = await fetch(`${base}?${signedForm(vendor, { ...identity, sha256 })}`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: text,
  });
  if (!upload.ok) throw new Error(`a file was refused: ${await upload.text()}`);
  const status = `${base}/status?${signedForm(vendor, identity)}`;
  for (;;) {
    const answer = (await (await fetch(status)).json()) as {
      msg: { batch_status: string; refused: number };
    };
    if (answer.msg.refused > 0) throw new Error(`${answer.msg.refused} rows were refused`);
    if (answer.msg.batch_status === 'DONE') return;
    await delay(LOOK_MS);
  }
}
