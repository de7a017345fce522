import { setTimeout as pause } from 'node:timers/promises';
import { jambopay as protocol } from '../../../src/connectors/operators/jambopay/protocol.ts';
import { JambopayEmulator } from '../../../sandbox/providers/jambopay/emulator.ts';
import type { JambopayOptions } from '../../../sandbox/providers/jambopay/emulator.ts';
import type { Subject } from '../subject.ts';
import { accountsBy, connectTo, serve, SUFFIXES } from './emulated.ts';

const SECRET = { username: 'agent', password: 'pass', app_key: 'key' };
const PAY_TIMEOUT_MS = 300;

/** With either behaviour that the provider may have where its documentation says nothing. */
export function jambopay(switches: Pick<JambopayOptions, 'errors' | 'secondCommit'>): Subject {
  return {
    name: `jambopay, errors as ${switches.errors}, second commit ${switches.secondCommit}`,
    billerCode: 'kplc_prepaid',
    start: async () => {
      const emulator = new JambopayEmulator({
        username: 'agent',
        password: 'pass',
        appKey: 'key',
        callbackAfterMs: 1,
        ...switches,
      });
      const settings = {
        billers: { kplc_prepaid: { stream: 'kplc' } },
        phone_number: '254700000001',
        ...(switches.errors === 'code_field' && { code_field: 'ErrorCode' }),
        pay_timeout_ms: PAY_TIMEOUT_MS,
      };
      let partRefunds = 0;
      return {
        ...(await serve(emulator, emulator.listener)),
        connect: (baseUrl, options) =>
          connectTo(protocol, baseUrl, { ...options, settings, secret: SECRET }),
        isInstruction: (method, path) => method === 'PUT' && path === '/api/payments/PUT',
        accountFor: accountsBy(SUFFIXES, (number, suffix) => `0${10_000 + number}${suffix}`),
        accountForPartRefund: () => {
          partRefunds += 1;
          return `1${10_000 + partRefunds}9921`;
        },
        // The callback "Completed" waits for the answer to the commit, by the real clock.
        quiet: async () => {
          await emulator.later.quiet();
          await pause(PAY_TIMEOUT_MS / 4);
        },
        expireTokens: () => emulator.expireTokens(),
        limitRate: (requests) => emulator.limitRate(requests),
        skewClock: null,
      };
    },
  };
}
