import { dtOne as protocol } from '../../../src/connectors/operators/dt-one/protocol.ts';
import { DtOneEmulator } from '../../../sandbox/providers/dt-one/emulator.ts';
import { createGateway } from '../../../sandbox/providers/dt-one/listener.ts';
import type { Subject } from '../subject.ts';
import { accountsBy, connectTo, serve, SUFFIXES } from './emulated.ts';

const SECRET = { api_key: 'key', api_secret: 'secret' };

/** @param ways of paying, and how late a look-up by external_id shows a transaction. */
export function dtOne(ways: {
  readonly mode: 'async' | 'sync';
  readonly confirm: 'two_step' | 'at_once';
  readonly lateLookups: number;
  readonly windowMs?: number;
}): Subject {
  const { mode, confirm, lateLookups, windowMs } = ways;
  return {
    name: `dt-one, ${mode}, ${confirm}, ${lateLookups} late look-ups, window ${windowMs ?? 'none'}`,
    billerCode: 'kplc_prepaid',
    start: async () => {
      const emulator = new DtOneEmulator({
        apiKey: 'key',
        apiSecret: 'secret',
        speed: 0.01,
        lateLookups,
      });
      const gateway = createGateway(emulator);
      const settings = {
        billers: { kplc_prepaid: { product_id: 1001 } },
        mode,
        confirm,
        ...(windowMs !== undefined && { acceptance_window_ms: windowMs }),
      };
      return {
        ...(await serve(emulator, gateway.listener)),
        connect: (baseUrl, options) =>
          connectTo(protocol, baseUrl, { ...options, settings, secret: SECRET }),
        isInstruction: (method, path) =>
          method === 'POST' &&
          (confirm === 'two_step' ? path.endsWith('/confirm') : path.endsWith('/transactions')),
        accountFor: accountsBy(SUFFIXES),
        expireTokens: null,
        limitRate: (requests) => gateway.limitRate(requests),
        skewClock: (byMs) => emulator.skewClock(byMs),
      };
    },
  };
}
