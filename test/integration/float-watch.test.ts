import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Connector } from '../../src/connectors/operator.ts';
import { pollFloats } from '../../src/payments/dispatch/float-watch.ts';
import { OPERATOR, openBooks, operatorRecord } from '../support/money-fixture.ts';
import { createScriptedConnector, paid } from '../support/scripted-connector.ts';

// What is logged when an operator does not report our float.

const refused: Connector['balance'] = async () => ({ kind: 'unknown', reason: 'HTTP 401: Amani' });
const broken: Connector['balance'] = async () => await Promise.reject(new Error('secret'));

test.each([
  ['HTTP 401', refused],
  ['the connector failed', broken],
])('the reason is logged: %s', async (reason, balance) => {
  const books = await openBooks();
  const lines: unknown[] = [];
  const log = pino(
    { base: null, timestamp: false },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  try {
    const { pool } = books;
    const operators = () => [operatorRecord()];
    const catalogue = { operators, reload: async () => undefined };
    const connector = { ...createScriptedConnector({ pay: paid }), balance };
    const connectorOf = (code: string) => (code === OPERATOR ? connector : undefined);
    await pollFloats({ pool, catalogue, connectorOf, log }, 0);
    const msg = 'the operator did not report our float';
    expect(lines).toEqual([{ level: 40, operator: OPERATOR, reason, msg }]);
  } finally {
    await books.close();
  }
});
