import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DarajaEmulator } from '../../sandbox/providers/daraja/emulator.ts';
import { createGateway } from '../../sandbox/providers/daraja/listener.ts';
import { MoneyInEmulator } from '../../sandbox/providers/daraja/money-in.ts';
import { addCollector } from '../../src/parties/administer.ts';
import type { Sealing } from '../../src/parties/administer.ts';
import { setSource, setSourceKey } from '../../src/payments/receipts/administer.ts';
import type { Pool } from '../../src/platform/db/pool.ts';

export const SHORT_CODE = '600100';
/** The source that `addDarajaSource` creates. */
export const SOURCE = 'paybill';
const KEY = { consumer_key: 'key', consumer_secret: 'secret', passkey: 'pass' };
/** The credentials from Safaricom. */
export const DARAJA_KEY = JSON.stringify(KEY);

/** Emulates Safaricom's side of money in, on a free port. */
export interface Provider {
  readonly moneyIn: MoneyInEmulator;
  readonly origin: string;
  close(): Promise<void>;
}

export async function startProvider(): Promise<Provider> {
  const payments = new DarajaEmulator({
    resultAfterMs: 1,
    unknownId: 'silence',
    originalId: 'originator',
    acceptsCredential: () => true,
  });
  const moneyIn = new MoneyInEmulator({ shortCode: SHORT_CODE, registersOnce: true });
  const credentials = { consumerKey: KEY.consumer_key, consumerSecret: KEY.consumer_secret };
  const server = createServer(createGateway(payments, credentials, moneyIn).listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    moneyIn,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      await moneyIn.later.quiet();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A source whose callbacks come from this machine, with a collector for all vendors. */
export async function addDarajaSource(
  pool: Pool,
  by: {
    readonly origin: string;
    readonly sealing: Sealing;
    readonly settings?: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  await addCollector(pool, { collector: 'mpesa-in', name: 'M-PESA', scope: 'all' }, by.sealing);
  await setSource(pool, SOURCE, {
    name: 'Pay bill',
    kind: 'daraja',
    collector: 'mpesa-in',
    settings: {
      base_url: by.origin,
      short_code: SHORT_CODE,
      addresses: ['127.0.0.1'],
      ...by.settings,
    },
  });
  await setSourceKey(pool, SOURCE, { secret: DARAJA_KEY, sealing: by.sealing });
}
