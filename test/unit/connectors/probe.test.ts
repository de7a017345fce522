import { expect, test } from 'vitest';
import { probe } from '../../../src/connectors/probe.ts';
import { createScriptedConnector, paid, SILENCE } from '../../support/scripted-connector.ts';

const ABOUT = { billerCode: 'b', account: '1' };

test('never pays, and reports what it could establish', async () => {
  const connector = createScriptedConnector({
    pay: paid,
    status: () => ({ kind: 'not_found' }),
    balance: () => 12_50n,
  });
  const findings = await probe(
    {
      ...connector,
      validate: async () => ({ kind: 'valid', name: 'A', amountDueCents: null, dueDate: null }),
    },
    ABOUT,
  );
  expect(findings.map(({ isEstablished, detail }) => [isEstablished, detail])).toEqual([
    [true, 'it answered about our float'],
    [true, '12.50'],
    [true, 'not found, which is proof that nothing was executed'],
    [true, 'valid, A'],
    [false, 'only a payment shows whether they arrive'],
  ]);
  expect(connector.instructions).toEqual([]);
});

test('reports what it could not establish', async () => {
  const silent = createScriptedConnector({ pay: paid, status: () => SILENCE });
  const findings = await probe(silent, { billerCode: null, account: null });
  expect(findings.map(({ isEstablished }) => isEstablished)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
  expect(findings[2]?.detail).toBe('no answer; check address and credentials');
});

test('asks what only some operators can answer', async () => {
  const connector = createScriptedConnector({ pay: paid });
  const findings = await probe(
    {
      ...connector,
      quote: async () => ({ kind: 'quote', amount: '0.77', currency: 'USD' }),
      products: async () => ({ kind: 'page', products: [], next: '2' }),
      pullStatement: async () => ({ kind: 'unknown', reason: 'no statement today' }),
    },
    ABOUT,
  );
  expect(findings.map(({ question, detail }) => [question, detail])).toEqual(
    expect.arrayContaining([
      ['what a recipient gets for 100.00', '0.77 USD'],
      ['its products', '0 and more'],
      ['its statement of the last hour', 'no statement today'],
    ]),
  );
});

test('an operator that cannot be queried without a payment', async () => {
  const connector = createScriptedConnector({ pay: paid });
  const [access] = await probe({ ...connector, balance: null, validate: null }, ABOUT);
  expect(access).toMatchObject({
    isEstablished: false,
    detail: 'nothing can be asked without a payment',
  });
});

test('“not found” that is never proof is said to prove nothing', async () => {
  const connector = createScriptedConnector({
    pay: paid,
    status: () => ({ kind: 'not_found' }),
    acceptanceWindowMs: null,
  });
  const findings = await probe(connector, ABOUT);
  expect(findings[2]?.detail).toBe('not found, which proves nothing with this operator');
});
