import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setOperator } from '../../src/payments/billers/administer.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { expectRefusal } from '../support/refusals.ts';
import { until } from '../support/until.ts';

/** Operators that keep every call waiting. */
const waiting: ServerResponse[] = [];
const operators = createServer((request, response) => {
  request.resume();
  waiting.push(response);
});
let database: TestDatabase;
let running: InProcessService;

beforeAll(async () => {
  await once(operators.listen(0, '127.0.0.1'), 'listening');
  const { port } = operators.address() as AddressInfo;
  database = await createServiceDatabase();
  running = await startInProcess(database.url, { operatorOrigin: `http://127.0.0.1:${port}` });
});
afterAll(async () => {
  await running.stop();
  operators.close();
  operators.closeAllConnections();
  await database.drop();
});

test('validations keep to the concurrency of the operator, and say when it is reached', async () => {
  const { pool, catalogue } = running.service;
  await setOperator(pool, 'kplc', { maxConcurrency: 8, settings: {} }, async () => undefined);
  await catalogue.reload();
  const vendor = running.demo();
  const validate = async () =>
    await vendor.call('validate', { account: '14234567', account_type: 'kplc_prepaid' });
  const asked = [validate(), validate()];
  await until('the operator has both', () => waiting.length === 2);
  const refused = await validate();
  expectRefusal(refused, { status: 503, code: 'overloaded', kind: 'validation' });
  expect(refused.headers['retry-after']).toBe('1');
  expect(waiting).toHaveLength(2);
  // Another vendor has its own share.
  const other = await running.addVendor();
  const theirs = other.call('validate', { account: '14234567', account_type: 'kplc_prepaid' });
  await until('the operator has it', () => waiting.length === 3);
  // The places are free again, whatever the operator answers.
  for (const response of waiting.splice(0)) response.end('{}');
  for (const answer of await Promise.all([...asked, theirs])) expect(answer.status).toBe(503);
  const again = validate();
  await until('the operator has it', () => waiting.length === 1);
  waiting[0]?.end('{}');
  expect((await again).body.error?.[0]?.code).toBe('operator_unavailable');
});
