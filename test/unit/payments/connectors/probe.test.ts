import { expect, test } from 'vitest';
import { probe } from '../../../../src/payments/connectors/probe.ts';
import { createScriptedConnector, paid, SILENCE } from '../../../support/scripted-connector.ts';

const ABOUT = { billerCode: 'b', account: '1' };

test('never pays, and says what it could establish', async () => {
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
    [true, '12.50'],
    [true, 'not found'],
    [true, 'valid, A'],
    [false, 'only a payment shows whether they arrive'],
  ]);
  expect(connector.instructions).toEqual([]);
});

test('says what it could not establish', async () => {
  const silent = createScriptedConnector({ pay: paid, status: () => SILENCE });
  const findings = await probe(silent, { billerCode: null, account: null });
  expect(findings.map(({ isEstablished }) => isEstablished)).toEqual([false, false, false, false]);
  expect(findings[1]?.detail).toBe('no answer; check address and credentials');
});
