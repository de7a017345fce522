import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseMoney } from '../../../src/platform/base/money.ts';
import { connectorTo, startSimulatedOperators } from '../../support/simulated-operators.ts';
import type { Scenario, Subject } from '../subject.ts';

const SUFFIXES: Readonly<Record<Scenario, string | null>> = {
  paid: '9901',
  declined: '9902',
  paid_later: '9905',
  declined_later: '9904',
  callback_repeated: '9906',
  callback_missing: '9903',
  never_told: '9909',
  other_amount: null,
  reversed: null,
};

/** The operator protocol of this service against the simulated operators. */
export const httpJson: Subject = {
  name: 'http-json',
  billerCode: 'nairobi_water',
  start: async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'conformance-'));
    const operators = await startSimulatedOperators(dataDir, [
      ...['--callback-delay-ms', '1', '--callback-repeat-ms', '1'],
      ...['--slow-ms', '1', '--hold-ms', '1500'],
    ]);
    let accounts = 0;
    return {
      port: operators.port,
      connect: (baseUrl, { callbackUrl, payTimeoutMs }) =>
        connectorTo(`${baseUrl}/operators/water`, {
          callbackUrl,
          payTimeoutMs,
          statusTimeoutMs: payTimeoutMs,
        }),
      isInstruction: (_method, url) => url.endsWith('/payments'),
      accountFor: (scenario) => {
        const suffix = SUFFIXES[scenario];
        accounts += 1;
        return suffix === null ? null : `${10_000 + accounts}${suffix}`;
      },
      accountForPartRefund: null,
      accountForLateDetails: null,
      executed: async (account) =>
        (await operators.truth())
          .filter((entry) => entry.account === account)
          .map((entry) => ({ amountCents: parseMoney(entry.amount) })),
      quiet: null,
      expireTokens: null,
      limitRate: null,
      // Its callbacks are signed with a time; unit tests of the connector cover stale ones.
      skewClock: null,
      close: async () => {
        await operators.kill('SIGKILL');
        await rm(dataDir, { recursive: true });
      },
    };
  },
};
