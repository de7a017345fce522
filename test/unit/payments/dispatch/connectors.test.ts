import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openConnectors } from '../../../../src/payments/dispatch/connectors.ts';

const OPERATOR = {
  operatorCode: 'water',
  name: 'Water',
  connector: 'http-json',
  baseUrl: 'https://pay.example.com',
  settings: {},
  maxConcurrency: 1,
  maxPerSecond: null,
  secrets: [],
  version: 1,
  former: [],
};

test.each([
  [
    'without a key yet, as between two commands, is a warning that says what to do',
    OPERATOR,
    {
      level: 40,
      msg: 'an operator cannot be used yet',
      reason: 'operator water has no key yet: malipo operator set-key water',
    },
  ],
  [
    'that is misconfigured is an error',
    { ...OPERATOR, settings: { none: 1 } },
    { level: 50, msg: 'an operator cannot be used' },
  ],
])(
  'the log says so when an operator is not usable: an operator %s',
  async (_what, operator, told) => {
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => lines.push(line) });
    const registry = openConnectors({ callbackBase: 'http://127.0.0.1', log });
    registry.update([operator]);
    expect(registry.connectorOf('water')).toBeUndefined();
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject(told);
    if (told.level === 40) expect(lines[0]).not.toContain('"stack"');
    await registry.close();
  },
);
