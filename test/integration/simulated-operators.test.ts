import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SANDBOX_OPERATOR_KEY } from '../../sandbox/operators/options.ts';
import { createSigning } from '../../src/connectors/operators/http-json/signing.ts';
import type { PaymentInstruction } from '../../src/connectors/operator-outcomes.ts';
import type { Connector } from '../../src/connectors/operator.ts';
import {
  OPERATORS_MAIN,
  connectorTo,
  startCallbackReceiver,
  startSimulatedOperators,
  readAll,
} from '../support/simulated-operators.ts';
import { until } from '../support/until.ts';
import type { CallbackReceiver, SimulatedOperators } from '../support/simulated-operators.ts';

// The process of the simulated operators: what it stores, and how it starts and stops.

const never = new AbortController().signal;
const cleanups: (() => unknown)[] = [];
let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'operators-'));
  cleanups.push(() => rmSync(dataDir, { recursive: true }));
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function start(...args: string[]): Promise<SimulatedOperators> {
  const operators = await startSimulatedOperators(dataDir, args);
  cleanups.push(() => operators.kill('SIGKILL'));
  return operators;
}

async function receiverWith(answers: readonly number[] = []): Promise<CallbackReceiver> {
  const receiver = await startCallbackReceiver(answers);
  cleanups.push(() => receiver.close());
  return receiver;
}

function connect(operators: SimulatedOperators, receiver?: CallbackReceiver): Connector {
  const connector = connectorTo(
    `${operators.origin}/operators/simulated`,
    receiver === undefined ? {} : { callbackUrl: receiver.url },
  );
  cleanups.push(() => connector.close());
  return connector;
}

function instruction(reference: string, account = '0712000001'): PaymentInstruction {
  const amountCents = 55_00n;
  return {
    reference,
    account,
    amountCents,
    attemptNumber: 1,
    billerCode: 'airtel',
    phone: null,
    operatorHandle: null,
  };
}

const query = instruction;

async function reportedReferences(
  receiver: CallbackReceiver,
  connector: Connector,
): Promise<string[]> {
  const readings = await readAll(receiver.received, connector);
  return readings.flatMap((reading) =>
    reading?.kind === 'reports' ? reading.reports.map((report) => report.reference) : [],
  );
}

test('details that follow a payment are in a later answer, and the payment is the same', async () => {
  const operators = await start('--callback-delay-ms', '400');
  const connector = connect(operators);
  const asked = { ...instruction('TOKEN', '9912'), billerCode: 'kplc_prepaid' };
  const first = await connector.pay(asked, never);
  expect(first).toMatchObject({ kind: 'paid', detailsFollow: true, details: {} });
  await until('the details are there', async () => {
    const now = await connector.status?.(
      { ...query('TOKEN', '9912'), billerCode: 'kplc_prepaid' },
      never,
    );
    return (
      now?.kind === 'paid' &&
      now.detailsFollow !== true &&
      Object.keys(now.details ?? {}).length > 0
    );
  });
  expect((await operators.truth()).map(({ reference }) => reference)).toEqual(['TOKEN']);
});

describe('a kill loses nothing', () => {
  test('payments, decisions and lost first instructions survive a kill', async () => {
    const first = await start('--hold-ms', '50');
    const before = connect(first);
    const paid = await before.pay(instruction('PAID'), never);
    await before.pay(instruction('DECLINED', '9902'), never);
    await before.pay(instruction('SILENT', '9909'), never);
    await before.pay(instruction('LOST', '9910'), never);
    const truth = await first.truth();
    const balance = await before.balance?.(never);
    await first.kill('SIGKILL');

    const second = await start('--hold-ms', '50');
    const after = connect(second);
    expect(await second.truth()).toEqual(truth);
    expect(await after.balance?.(never)).toEqual(balance);
    expect(await after.status?.(query('PAID'), never)).toEqual(paid);
    expect(await after.pay(instruction('PAID'), never)).toEqual(paid);
    expect(await after.status?.(query('DECLINED'), never)).toMatchObject({ kind: 'declined' });
    expect(await after.status?.(query('SILENT'), never)).toMatchObject({ kind: 'unknown' });
    expect(await after.status?.(query('LOST'), never)).toEqual({ kind: 'not_found' });
    expect(await after.pay(instruction('LOST', '9910'), never)).toMatchObject({ kind: 'paid' });
    expect((await second.truth()).map((entry) => entry.reference)).toEqual(['PAID', 'LOST']);
  });

  test('accepted payments are executed and reported after the restart', async () => {
    const receiver = await receiverWith();
    const late = ['--callback-delay-ms', '600000', '--slow-ms', '600000', '--hold-ms', '50'];
    const first = await start(...late);
    const before = connect(first, receiver);
    await before.pay(instruction('A', '9905'), never);
    await before.pay(instruction('B', '9906'), never);
    await before.pay(instruction('C', '9907'), never);
    expect(await first.truth()).toEqual([]);
    await first.kill('SIGKILL');

    const second = await start(
      '--callback-delay-ms',
      '1',
      '--callback-repeat-ms',
      '1',
      '--slow-ms',
      '1',
    );
    await receiver.count(5);
    expect((await reportedReferences(receiver, before)).toSorted()).toEqual([
      'A',
      'B',
      'B',
      'B',
      'C',
    ]);
    expect((await second.truth()).map((entry) => entry.reference).toSorted()).toEqual([
      'A',
      'B',
      'C',
    ]);
  });

  test('only callbacks that did not arrive are sent after the restart', async () => {
    const receiver = await receiverWith();
    const first = await start('--callback-delay-ms', '1', '--callback-repeat-ms', '600000');
    const before = connect(first, receiver);
    await before.pay(instruction('TOLD', '9905'), never);
    await expect.poll(callbacksDone, { timeout: 60_000 }).toEqual(['TOLD']);
    receiver.answerAll(503);
    await before.pay(instruction('UNTOLD', '9906'), never);
    await receiver.count(4);
    await first.kill('SIGKILL');

    receiver.answerAll(200);
    await start('--callback-repeat-ms', '1');
    await expect
      .poll(callbacksDone, { timeout: 60_000 })
      .toEqual(['TOLD', 'UNTOLD', 'UNTOLD', 'UNTOLD']);
    expect(
      (await reportedReferences(receiver, before)).filter((name) => name === 'TOLD'),
    ).toHaveLength(1);
  });

  test('a line that was torn is dropped, and the next one starts clean', async () => {
    const first = await start();
    await connect(first).pay(instruction('WHOLE'), never);
    await first.kill('SIGKILL');
    appendFileSync(journalFile(), `{"kind":"paid","atMs":17${'7'.repeat(2000)}`);

    const second = await start();
    expect(await second.truth()).toHaveLength(1);
    await connect(second).pay(instruction('NEXT'), never);
    await second.kill('SIGKILL');
    const third = await start();
    expect((await third.truth()).map((entry) => entry.reference)).toEqual(['WHOLE', 'NEXT']);
  });

  test.each([
    ['an unreadable line', '{"kind":\n'],
    [
      'an execution of nothing',
      '{"kind":"executed","operator":"o","reference":"R","callbacks":0}\n',
    ],
  ])('%s in the middle stops the start', async (_what, line) => {
    writeFileSync(journalFile(), line + '{"kind":"lost","operator":"o","reference":"R"}\n');
    const { code, stderr } = await runToEnd('--port', '0');
    expect(code).toBe(1);
    expect(stderr).toContain('operators.jsonl cannot be read from line 1 on');
  });
});

test('a receiver that was down or refuses gets the callback later', async () => {
  const receiver = await receiverWith([0, 503, 200]);
  const operators = await start('--callback-delay-ms', '1');
  const connector = connect(operators, receiver);
  await connector.pay(instruction('R', '9905'), never);
  await receiver.count(3);
  expect(await reportedReferences(receiver, connector)).toEqual(['R', 'R', 'R']);
  await expect.poll(callbacksDone, { timeout: 60_000 }).toEqual(['R']);
  expect(receiver.received).toHaveLength(3);
});

test('9907 is reported by callback after the caller has disconnected', async () => {
  const receiver = await receiverWith();
  const operators = await start('--slow-ms', '200', '--hold-ms', '50');
  const connector = connect(operators, receiver);
  expect(await connector.pay(instruction('GONE', '9907'), never)).toMatchObject({
    kind: 'unknown',
    answered: false,
  });
  await receiver.count(1);
  expect(await reportedReferences(receiver, connector)).toEqual(['GONE']);
});

test('the list of payments is complete, however long it is', async () => {
  const operators = await start();
  const connector = connect(operators);
  expect(await operators.truth()).toEqual([]);
  for (const total of [500, 501]) {
    const known = (await operators.truth()).length;
    await Promise.all(
      Array.from({ length: total - known }, (_, index) =>
        connector.pay(instruction(`R${known + index}`), never),
      ),
    );
    const references = (await operators.truth()).map((entry) => entry.reference);
    expect(new Set(references).size).toBe(total);
    expect(references).toHaveLength(total);
  }
});

describe('the process', () => {
  test('an occupied port is a clear error, and the journal of the other stays untouched', async () => {
    const operators = await start();
    await connect(operators).pay(instruction('R'), never);
    const journal = journalText();
    const { code, stderr } = await runToEnd('--port', String(operators.port));
    expect(code).toBe(1);
    expect(stderr).toContain(`port ${operators.port} is in use by another program`);
    expect(journalText()).toBe(journal);
  });

  test('a wrong option is a clear error', async () => {
    const { code, stderr } = await runToEnd('--port', '0', '--slow-ms', '1s');
    expect(code).toBe(1);
    expect(stderr).toContain('--slow-ms');
  });

  test('ends with its parent', async () => {
    const operators = await start();
    const gone = once(operators.process, 'exit');
    operators.process.disconnect();
    expect(await gone).toEqual([0, null]);
  });

  test('leaves Ctrl-C to its parent, and stops on SIGTERM', async () => {
    const operators = await start();
    operators.process.kill('SIGINT');
    // Signals are handled in order of arrival, so an answer now means that SIGINT was survived.
    expect(await operators.truth()).toEqual([]);
    const gone = once(operators.process, 'exit');
    operators.process.kill('SIGTERM');
    expect(await gone).toEqual([0, null]);
  });

  test('without a parent it says when it is ready, and Ctrl-C stops it', async () => {
    const child = spawn(process.execPath, [OPERATORS_MAIN, '--port', '0', '--data-dir', dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    cleanups.push(() => child.kill('SIGKILL'));
    const gone = once(child, 'exit');
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    expect(line.toString()).toMatch(/^ready: simulated operators on http:\/\/127\.0\.0\.1:\d+\n$/);
    child.kill('SIGINT');
    expect(await gone).toEqual([0, null]);
  });
});

test('an invalid request is refused, and nothing happens', async () => {
  const operators = await start();
  const ask = async (method: string, pathname: string, body: string | null = null) => {
    const answer = await fetch(operators.origin + pathname, { method, body });
    return `${answer.status} ${((await answer.json()) as { status: string }).status}`;
  };
  expect(await ask('GET', '/operators/simulated/payments')).toBe('405 error');
  expect(await ask('POST', '/operators/simulated/refunds', '{}')).toBe('404 error');
  expect(await ask('POST', '/operators/SIM%20/payments', '{}')).toBe('404 error');
  expect(await ask('POST', '/operators/simulated/payments', '{}')).toBe('401 error');
  const large = ask('POST', '/operators/simulated/payments', ' '.repeat(65 * 1024));
  await expect(large).rejects.toThrow();
  expect(await signed(operators, '{"reference":')).toBe(400);
  expect(await signed(operators, JSON.stringify({ ...PAYMENT, amount: '0.00' }))).toBe(400);
  expect(await signed(operators, JSON.stringify({ ...PAYMENT, amount: 100 }))).toBe(400);
  expect(await signed(operators, JSON.stringify({ ...PAYMENT, phone: null }))).toBe(400);
  expect(await operators.truth()).toEqual([]);
  expect(await signed(operators, JSON.stringify(PAYMENT))).toBe(200);
  expect(await operators.truth()).toHaveLength(1);
});

const PAYMENT = {
  reference: 'R',
  biller: 'airtel',
  account: '0712000001',
  amount: '5.00',
  currency: 'KES',
  callback_url: 'http://127.0.0.1:9/callbacks',
};

/** The HTTP status of a correctly signed instruction. */
async function signed(operators: SimulatedOperators, body: string): Promise<number> {
  const headers = createSigning(SANDBOX_OPERATOR_KEY).headers(body);
  const url = `${operators.origin}/operators/simulated/payments`;
  return (await fetch(url, { method: 'POST', body, headers })).status;
}

function journalFile(): string {
  return path.join(dataDir, 'operators.jsonl');
}

function journalText(): string {
  return readFileSync(journalFile(), 'utf8');
}

/** References of the callbacks that will not be sent again. */
function callbacksDone(): string[] {
  return journalText()
    .split('\n')
    .filter((line) => line.includes('"callback_done"'))
    .map((line) => (JSON.parse(line) as { reference: string }).reference);
}

async function runToEnd(...args: string[]): Promise<{ code: number; stderr: string }> {
  const child = fork(OPERATORS_MAIN, ['--data-dir', dataDir, ...args], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  cleanups.push(() => child.kill('SIGKILL'));
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number];
  return { code, stderr };
}
