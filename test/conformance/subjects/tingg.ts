import { tingg as protocol } from '../../../src/connectors/operators/tingg/protocol.ts';
import { TinggEmulator } from '../../../sandbox/providers/tingg/emulator.ts';
import type { Subject } from '../subject.ts';
import { accountsBy, connectTo, serve, SUFFIXES } from './emulated.ts';

const SECRET = { username: 'user', password: 'pass' };

/** @param by what is unknown about the real provider, and whether "not found" is proof. */
export function tingg(by: {
  readonly usedId: 'refused' | 'executes';
  readonly acceptanceWindowMs: number | null;
  readonly requiresOwnId: boolean;
}): Subject {
  return {
    name: `tingg, a used id ${by.usedId}, not found is ${by.acceptanceWindowMs === null ? 'no ' : ''}proof`,
    billerCode: 'kplc_prepaid',
    start: async () => {
      const emulator = new TinggEmulator({
        username: 'user',
        password: 'pass',
        endsAfterMs: 1,
        usedId: by.usedId,
        requiresOwnId: by.requiresOwnId,
      });
      const settings = {
        billers: { kplc_prepaid: { service_code: 'KPLC-PRE' } },
        phone_number: '254700000001',
        acceptance_window_ms: by.acceptanceWindowMs,
      };
      return {
        ...(await serve(emulator, emulator.listener)),
        connect: (baseUrl, options) =>
          connectTo(protocol, baseUrl, { ...options, settings, secret: SECRET }),
        isInstruction: (_method, _path, body) => body.includes('BEEP.postPayment'),
        accountFor: accountsBy({ ...SUFFIXES, other_amount: null, reversed: null }),
        expireTokens: null,
        limitRate: null,
        skewClock: null,
      };
    },
  };
}
