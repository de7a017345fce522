import { afterEach, describe, expect, test } from 'vitest';
import { http } from '../../../../../src/connectors/operators/http/protocol.ts';
import { VTPASS_SETTINGS } from '../../../../conformance/subjects/vtpass.ts';
import { startRecordingServer } from '../../../../support/recording-server.ts';

// Movements of our float, by configuration.

const STATEMENT = {
  method: 'GET',
  path: '/moves?from={{ $string(from_ms) }}&to={{ $string(to_ms) }}&page={{ $string(page) }}&after={{ cursor = "" ? "none" : cursor }}',
  answer: {
    list: 'body.rows',
    next: 'body.next',
    kind: 'movement.kind',
    kinds: { sale: 'payment', deposit: 'top_up', hold: 'ignored' },
    at: '$toMillis(movement.at)',
    operator_reference: 'movement.id',
    reference: 'movement.ours',
    biller: 'movement.biller',
    account: 'movement.account',
    amount: 'movement.amount',
  },
};
const FROM = new Date('2026-01-05T00:00:00Z');
const TO = new Date('2026-01-06T12:00:00Z');
const SALE = { kind: 'sale', id: 'T1', at: '2026-01-05T10:00:00Z', amount: 100.5 };

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function connect(content: unknown, changes: object = {}) {
  const server = await startRecordingServer(() => content);
  const connector = http.create(
    {
      ...{ operatorCode: 'op', name: 'Op', connector: 'http', baseUrl: server.origin },
      settings: { ...VTPASS_SETTINGS, statement: { ...STATEMENT, ...changes } },
      ...{ maxConcurrency: 1, maxPerSecond: null, secrets: [] },
      secret: JSON.stringify({ api_key: 'a', secret_key: 's', public_key: 'p' }),
    },
    'https://m.example/callbacks/op',
  );
  cleanups.push(
    () => connector.close(),
    async () => await server.close(),
  );
  const ask = async (cursor: string | null) =>
    await connector.pullStatement?.({ from: FROM, to: TO, cursor }, AbortSignal.timeout(5_000));
  return { server, connector, ask };
}

const queriesOf = (requests: readonly { readonly line: string }[]) =>
  requests.map(({ line }) => new URL(line.replace('GET ', ''), 'http://a').searchParams);

test('the statement is pulled where the settings have one', async () => {
  const { connector } = await connect({ rows: [] });
  expect(connector.declaration.movements).toBe('pulled');
});

test('reads each movement, and leaves out what is ignored or outside of the period', async () => {
  const reference = '000001R1M824FXCMEWRV25HKRF6TNP4D';
  const { ask } = await connect({
    rows: [
      { ...SALE, ours: reference, biller: 'kplc_prepaid', account: '37120001' },
      { kind: 'deposit', id: 'T2', at: '2026-01-06T11:59:59Z', amount: '5000', biller: 'other' },
      { kind: 'hold', id: 'T3' },
      { ...SALE, id: 'T4', at: '2026-01-06T12:00:00Z' },
      { ...SALE, id: 'T5', at: '2026-01-04T23:59:59Z' },
    ],
  });
  expect(await ask(null)).toEqual({
    kind: 'page',
    movements: [
      {
        ...{ kind: 'payment', at: new Date(SALE.at), operatorReference: 'T1', reference },
        ...{ billerCode: 'kplc_prepaid', account: '37120001', amountCents: 100_50n },
      },
      {
        ...{ kind: 'top_up', at: new Date('2026-01-06T11:59:59Z'), operatorReference: 'T2' },
        ...{ reference: null, billerCode: null, account: null, amountCents: 5_000_00n },
      },
    ],
    next: null,
  });
});

describe('pages', () => {
  test('pages are requested by number while the answer says that there are more', async () => {
    const { server, ask } = await connect({ rows: [SALE], next: true });
    const first = await ask(null);
    const second = await ask(first?.kind === 'page' ? first.next : null);
    expect(second).toMatchObject({ kind: 'page', next: `${FROM.getTime()}-3-` });
    const asked = queriesOf(server.requests);
    expect(asked.map((query) => query.get('page'))).toEqual(['1', '2']);
    expect(asked.map((query) => query.get('to'))).toEqual(Array(2).fill(String(TO.getTime())));
  });

  test('pages are requested by the cursor that the answer gives', async () => {
    const { server, ask } = await connect({ rows: [SALE], next: 'a-1\nb' });
    const first = await ask(null);
    await ask(first?.kind === 'page' ? first.next : null);
    const asked = queriesOf(server.requests);
    expect(asked.map((query) => query.get('after'))).toEqual(['none', 'a-1\nb']);
  });

  test('a page covers at most the longest period that the operator allows', async () => {
    const day = 86_400_000;
    const { server, ask } = await connect({ rows: [], next: false }, { window_ms: day });
    const first = await ask(null);
    const second = await ask(first?.kind === 'page' ? first.next : null);
    expect([first, second]).toMatchObject([{ next: `${FROM.getTime() + day}-1-` }, { next: null }]);
    const asked = queriesOf(server.requests);
    expect(asked.map((query) => [query.get('from'), query.get('to')])).toEqual([
      [String(FROM.getTime()), String(FROM.getTime() + day)],
      [String(FROM.getTime() + day), String(TO.getTime())],
    ]);
  });

  test('list a movement in the part of the period that it belongs to, whatever the operator lists', async () => {
    const { ask } = await connect(
      { rows: [SALE, { ...SALE, id: 'T2' }] },
      { window_ms: 86_400_000 },
    );
    const first = await ask(null);
    const second = await ask(first?.kind === 'page' ? first.next : null);
    expect([first, second]).toMatchObject([
      { movements: [{ operatorReference: 'T1' }, { operatorReference: 'T2' }] },
      { movements: [], next: null },
    ]);
  });
});

test.each<[string, unknown, RegExp]>([
  ['an answer without a list', { error: 'maintenance' }, /no list/],
  ['a kind that is not listed', { rows: [{ ...SALE, kind: 'swap' }] }, /kinds.*“swap”/],
  ['no kind', { rows: [{ id: 'T1' }] }, /kinds/],
  ['no reference', { rows: [{ ...SALE, id: '' }] }, /operator_reference/],
  ['no time', { rows: [{ ...SALE, at: null }] }, /statement.answer.at/],
  ['an amount with fractions of a cent', { rows: [{ ...SALE, amount: '1.005' }] }, /T1.*amount/],
  ['an amount of zero', { rows: [{ ...SALE, amount: 0 }] }, /T1.*amount/],
  ['a time that is no number', { rows: [{ ...SALE, at: '5 January' }] }, /statement.answer.at/],
  ['a negative amount', { rows: [{ ...SALE, amount: -1 }] }, /T1.*amount/],
])('%s fails the pull and says why', async (_what, content, reason) => {
  const { ask } = await connect(content);
  expect(await ask(null)).toEqual({ kind: 'unknown', reason: expect.stringMatching(reason) });
});
