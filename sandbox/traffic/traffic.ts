import { createSecretKey, randomInt, randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from '../../src/config.ts';
import type { CreditKeys } from '../../src/credit/registry/vault.ts';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { isAnySessionInUse } from '../../src/parties/people/read-sessions.ts';
import { sign } from '../../src/parties/signature.ts';
import { HASH_FIELD, canonicalText } from '../../src/platform/base/canonical.ts';
import type { MasterKeys } from '../../src/platform/base/sealing.ts';
import { startPeriodicJob } from '../../src/platform/jobs/periodic-job.ts';
import type { PeriodicJob } from '../../src/platform/jobs/periodic-job.ts';
import type { Service } from '../../src/service.ts';
import { CLAIMED } from './finance-work.ts';
import { workInOffice } from './office.ts';
import type { OfficeOptions } from './office.ts';
import { nextOrder } from './orders.ts';
import type { Order } from './orders.ts';
import { earn, openShops } from './shops.ts';
import type { Shop, Vendors } from './shops.ts';

/** The time between two orders. */
const EVERY_MS = 3_000;
/** At the beginning, so that the pages have something to show. */
const FIRST_ORDERS = 20;
/** The console is in use if a session was used within this time. Use is noted once a minute. */
const WATCHED_MS = 150_000;
/** The float does not cover the order. */
const INSUFFICIENT_FLOAT = 402;

interface TrafficOptions {
  readonly service: Pick<Service, 'pool' | 'directory' | 'catalogue'>;
  readonly masterKeys: MasterKeys;
  /** Undefined: without the credit registry. */
  readonly creditKeys: CreditKeys | undefined;
  readonly config: Pick<Config, 'basePath' | 'billingPath'> & OfficeOptions['config'];
  /** Origin of the service. */
  readonly origin: string;
  readonly log: Logger;
}

/**
 * Payments of a few shops through the service's own API while somebody uses the console, so that its
 * pages show live figures. While nobody uses it, nothing happens.
 */
export function startTraffic(options: TrafficOptions): PeriodicJob {
  const { masterKeys, creditKeys, config, log } = options;
  const { pool, directory, catalogue } = options.service;
  const pay = createPay(options);
  let vendors: Vendors | undefined;
  let isWorkDone = false;

  return startPeriodicJob({
    everyMs: EVERY_MS,
    work: async (stopping) => {
      if (!(await isAnySessionInUse(pool, new Date(Date.now() - WATCHED_MS)))) return;
      const isFirst = vendors === undefined;
      if (vendors === undefined) {
        vendors = await openShops(pool, { masterKeys });
        await directory.reload();
        await catalogue.reload();
      }
      const { shops } = vendors;
      const orders = isFirst ? FIRST_ORDERS : 1;
      for (let made = 0; made < orders && !stopping.aborted; made += 1) {
        const shop = shops[randomInt(shops.length)];
        if (shop !== undefined) await pay(shop, nextOrder(randomInt));
      }
      if (isWorkDone || stopping.aborted) return;
      // A repeat of an order changes nothing.
      for (const order of CLAIMED) {
        if (shops[0] !== undefined) await pay(shops[0], order, order.merchantReference);
      }
      isWorkDone = await workInOffice({ pool, masterKeys, creditKeys, config }, vendors);
    },
    failureText: 'the shops of the sandbox could not pay',
    log,
  });
}

/** Pays an order of a shop, or gives it a float first, for the next one. */
function createPay({ service: { pool }, masterKeys, config, origin }: TrafficOptions) {
  const call = async (
    path: string,
    { vid, key }: Shop,
    content: Readonly<Record<string, string>>,
  ): Promise<number> => {
    const fields = { vid, ...content };
    const hash = sign(canonicalText(new Map(Object.entries(fields))), createSecretKey(key, 'utf8'));
    const body = new URLSearchParams({ ...fields, [HASH_FIELD]: hash });
    const answer = await fetch(`${origin}${path}`, { method: 'POST', body });
    await answer.arrayBuffer();
    return answer.status;
  };

  return async (
    shop: Shop,
    { biller, account, amount }: Order,
    reference = `order-${randomUUID()}`,
  ): Promise<void> => {
    const content = { biller_name: biller, account, amount, merchant_reference: reference };
    const status = await call(`${config.billingPath}/transaction/create`, shop, content);
    if (status !== INSUFFICIENT_FLOAT) return;
    await earn({ pool, ledgerMac: await openLedgerMac(pool, masterKeys) }, shop);
    const time = String(Date.now());
    const fund = `${config.basePath}/payments/v2/billing/fund`;
    await call(fund, shop, { time, currency: 'KES' });
  };
}
