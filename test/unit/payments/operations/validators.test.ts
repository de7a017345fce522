import { describe, expect, test } from 'vitest';
import type { Biller, Route } from '../../../../src/payments/billers/biller.ts';
import type { AccountAnswer, Connector } from '../../../../src/connectors/operator.ts';
import { askValidators, validatorsOf } from '../../../../src/payments/operations/validators.ts';

// The operators that are asked whether an account exists, and their order.

const QUERY = { billerCode: 'water', account: '123456', phone: null };
const VALID: AccountAnswer = { kind: 'valid', name: 'A', amountDueCents: null, dueDate: null };
const INVALID: AccountAnswer = { kind: 'invalid', message: 'no such account' };
const UNKNOWN: AccountAnswer = { kind: 'unknown', reason: 'no answer' };

function billerWith(routes: readonly (Partial<Route> & { operatorCode: string })[]): Biller {
  const usable = { obstacle: null, breaker: null };
  return {
    ...{ billerCode: 'water', operatorCode: 'own', validatesAccounts: true },
    routes: routes.map((route) => ({ ...usable, ...route })),
  } as unknown as Biller;
}

/** Operators with these answers; null: it cannot validate. Records which were asked. */
function operators(answers: Readonly<Record<string, AccountAnswer | null>>, payDeadlineMs = 1_000) {
  const asked: string[] = [];
  const connectorOf = (operatorCode: string): Connector | undefined => {
    const answer = answers[operatorCode];
    if (answer === undefined) return undefined;
    const validate = async (): Promise<AccountAnswer> => {
      asked.push(operatorCode);
      return answer ?? UNKNOWN;
    };
    return { validate: answer === null ? null : validate, payDeadlineMs } as unknown as Connector;
  };
  return { asked, connectorOf };
}

const free = () => () => undefined;
const routed = (...codes: string[]) => codes.map((operatorCode) => ({ operatorCode }));

describe('operators are asked', () => {
  test.each<[string, Readonly<Record<string, AccountAnswer | null>>, AccountAnswer, string[]]>([
    ['in routing order', { one: VALID, two: VALID, own: VALID }, VALID, ['one']],
    ['the next after no answer', { one: UNKNOWN, two: VALID, own: VALID }, VALID, ['one', 'two']],
    ['no other after a definite one', { one: INVALID, two: VALID }, INVALID, ['one']],
    ['if they can', { one: null, own: VALID }, VALID, ['own']],
    ['all, if none knows', { one: UNKNOWN, own: UNKNOWN }, UNKNOWN, ['one', 'own']],
  ])('%s', async (_, answers, expected, order) => {
    const { asked, connectorOf } = operators(answers);
    const validators = validatorsOf(billerWith(routed('one', 'two')), connectorOf);
    expect(await askValidators(validators, QUERY, free)).toEqual(expected);
    expect(asked).toEqual(order);
  });

  test('the biller’s own operator is asked at its place, once', async () => {
    const { connectorOf } = operators({ one: VALID, own: VALID });
    const validators = validatorsOf(billerWith(routed('own', 'one')), connectorOf);
    expect(validators.map(({ operatorCode }) => operatorCode)).toEqual(['own', 'one']);
    const none = { ...billerWith([]), validatesAccounts: false };
    expect(validatorsOf(none, connectorOf)).toEqual([]);
  });

  test('operators are not asked while their breaker is open or they are offline; a low float does not matter', async () => {
    const { asked, connectorOf } = operators({ one: VALID, two: VALID, own: VALID });
    const routes = [
      { operatorCode: 'one', obstacle: 'breaker' },
      { operatorCode: 'two', obstacle: 'offline' },
      { operatorCode: 'own', obstacle: 'float' },
    ] as const;
    const validators = validatorsOf(billerWith(routes), connectorOf);
    expect(await askValidators(validators, QUERY, free)).toEqual(VALID);
    expect(asked).toEqual(['own']);
    const unusable = validatorsOf(billerWith(routes.slice(0, 1)), connectorOf).slice(0, 1);
    expect(await askValidators(unusable, QUERY, free)).toMatchObject({ kind: 'unknown' });
  });

  test('operators are asked only where there is a place; overloaded means that none had one', async () => {
    const { asked, connectorOf } = operators({ one: VALID, two: VALID });
    const validators = validatorsOf(billerWith(routed('one', 'two')), connectorOf);
    const places = (operatorCode: string) => (operatorCode === 'one' ? undefined : free());
    expect(await askValidators(validators, QUERY, places)).toEqual(VALID);
    expect(asked).toEqual(['two']);
    expect(await askValidators(validators, QUERY, () => undefined)).toEqual({ kind: 'overloaded' });
  });

  test('each operator gets a part of the time, so that one that hangs leaves some for the next', async () => {
    const { connectorOf } = operators({ two: VALID }, 400);
    const ends: string[] = [];
    const hangs = {
      payDeadlineMs: 400,
      validate: async (_: unknown, signal: AbortSignal) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        ends.push('aborted');
        return UNKNOWN;
      },
    } as unknown as Connector;
    const validators = validatorsOf(billerWith(routed('one', 'two')), (code) =>
      code === 'one' ? hangs : connectorOf(code),
    );
    const place = (code: string) => () => void ends.push(code);
    expect(await askValidators(validators, QUERY, place)).toEqual(VALID);
    expect(ends).toEqual(['aborted', 'one', 'two']);
  });
});
