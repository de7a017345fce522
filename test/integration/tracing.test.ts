import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setWebhook } from '../../src/payments/events/administer.ts';
import { decodeReference } from '../../src/parties/reference.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import {
  SEALING,
  addTestParties,
  fundedVendor,
  operatorsProgram,
  serviceProgram,
} from '../faults/fleet.ts';
import type { OperatorsProgram, Program } from '../faults/fleet.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { PATHS, encode, send, signed } from '../support/vendor-client.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import type { TestParties } from '../faults/fleet.ts';

// A payment through two processes, as a collector of traces sees it.

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
}

/** What the processes sent, as text and as spans. */
const received = { text: '', spans: [] as Span[] };

const collector = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
  request.on('end', () => {
    received.text += body;
    const sent = JSON.parse(body) as {
      resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
    };
    for (const { scopeSpans } of sent.resourceSpans) {
      for (const { spans } of scopeSpans) received.spans.push(...spans);
    }
    response.setHeader('content-type', 'application/json').end('{}');
  });
});

let database: TestDatabase;
let folder: string;
let pool: Pool;
let operators: OperatorsProgram;
let programs: Program[];
let parties: TestParties;

beforeAll(async () => {
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  database = await createTestDatabase();
  folder = await makeTemporaryFolder();
  pool = createPool({ url: database.url, max: 1, name: 'test' });
  operators = await operatorsProgram(folder);
  await operators.start();
  parties = await addTestParties(pool, { operatorOrigin: operators.origin, vendorCount: 1 });
  const { port } = collector.address() as AddressInfo;
  const program = async (roles: string): Promise<Program> =>
    await serviceProgram({
      name: roles,
      roles,
      folder,
      env: {
        DATABASE_URL: database.url,
        FUND_WINDOW_SECONDS: '0',
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      },
    });
  programs = [await program('api'), await program('dispatcher,jobs')];
  for (const one of programs) await one.start();
  await until('both are ready', () => programs.every(({ ready }) => ready), 240_000);
}, 300_000);

afterAll(async () => {
  for (const program of [...programs, operators]) {
    program.signal('SIGKILL');
    await program.untilEnded();
  }
  collector.close();
  await pool.end();
  await database.drop();
  await removeFolder(folder);
});

const CALLER = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
const ACCOUNT = '37211110000';

test('a payment is one trace over all processes, linked with the trace of its request', async () => {
  const [api] = programs;
  if (api === undefined) throw new Error('no process was started');
  const vendor = await fundedVendor(api, parties, '1000.00');
  const [{ vid, key } = { vid: '', key: '' }] = parties.vendors;
  const receiver = await startWebhookReceiver();
  const read = await pool.query<{ vendorId: number }>(
    'select vendor_id as "vendorId" from vendors where vid = $1',
    [vid],
  );
  await setWebhook(
    pool,
    { vid, vendorId: read.rows[0]?.vendorId ?? 0 },
    { url: receiver.url, allowsPrivate: true, sealing: async () => SEALING },
  );
  const params = { account: ACCOUNT, amount: '100', biller_name: 'tokens', vid };
  const request = encode(PATHS.create, signed(params, key), 'urlencoded');
  const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
  const answer = await send(api.origin, {
    ...request,
    headers: { ...request.headers, traceparent },
  });
  const reference = String(answer.body.msg['ipay_reference']);
  await until('it is paid', async () => {
    return (await vendor.payment(reference)).transaction_status === 'SUCCESS';
  });
  await until('the vendor is told', () => receiver.calls.length > 0);
  await receiver.close();
  // A stop sends what is left.
  for (const program of programs) program.signal('SIGTERM');
  for (const program of programs) await program.untilEnded();

  const ofCaller = received.spans.filter(({ traceId }) => traceId === CALLER.traceId);
  const create = ofCaller.find(({ name }) => name === 'POST /transaction/create');
  expect(create?.parentSpanId).toBe(CALLER.spanId);
  const wait = ofCaller.find(({ name }) => name.startsWith('wait for create lane'));
  expect(wait?.parentSpanId).toBe(create?.spanId);
  const batch = received.spans.find(({ name }) => name.startsWith('database: create lane'));
  expect(batch?.links).toMatchObject([{ traceId: CALLER.traceId, spanId: wait?.spanId }]);

  const traceId = decodeReference(reference)?.paymentId.replaceAll('-', '') ?? '';
  const ofPayment = received.spans.filter((span) => span.traceId === traceId);
  const named = (name: string): Span => {
    const span = ofPayment.find((one) => one.name === name);
    if (span === undefined) throw new Error(`the trace has no span “${name}”`);
    return span;
  };
  expect(named('payment accepted').links).toMatchObject([
    { traceId: CALLER.traceId, spanId: create?.spanId },
  ]);
  const sent = named('payment send');
  expect(named('operator call').parentSpanId).toBe(sent.spanId);
  expect(named('payment settled').parentSpanId).toBe(sent.spanId);
  named('webhook');
  // Nothing personal.
  expect(received.text).not.toContain(ACCOUNT);
});
