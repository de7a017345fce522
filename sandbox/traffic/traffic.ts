import { createSecretKey, randomInt, randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from '../../src/config.ts';
import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import { isAnySessionInUse } from '../../src/parties/people/sessions-store.ts';
import { sign } from '../../src/parties/signature.ts';
import { HASH_FIELD, canonicalText } from '../../src/platform/base/canonical.ts';
import type { MasterKeys } from '../../src/platform/base/sealing.ts';
import { startPeriodicJob } from '../../src/platform/jobs/periodic-job.ts';
import type { PeriodicJob } from '../../src/platform/jobs/periodic-job.ts';
import type { Service } from '../../src/service.ts';
import { nextOrder } from './orders.ts';
import { earn, openShops } from './shops.ts';
import type { Shop } from './shops.ts';

/** The time between two orders. */
const EVERY_MS = 3_000;
/** At the beginning, so that the pages have something to show. */
const FIRST_ORDERS = 20;
/** The console is in use if a session was used within this time. Use is noted once a minute. */
const WATCHED_MS = 150_000;
/** The float does not cover the order. */
const INSUFFICIENT_FLOAT = 402;

/**
 * Payments of a few shops through the service's own API while somebody uses the console, so that its
 * pages show live figures. While nobody uses it, nothing happens.
 */
export function startTraffic(options: {
  readonly service: Pick<Service, 'pool' | 'directory' | 'catalogue'>;
  readonly masterKeys: MasterKeys;
  readonly config: Pick<Config, 'basePath' | 'billingPath'>;
  /** Of the service. */
  readonly origin: string;
  readonly log: Logger;
}): PeriodicJob {
  const { masterKeys, config, origin, log } = options;
  const { pool, directory, catalogue } = options.service;
  let shops: readonly Shop[] = [];

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

  const pay = async (): Promise<void> => {
    const shop = shops[randomInt(shops.length)];
    if (shop === undefined) return;
    const { biller, account, amount } = nextOrder(randomInt);
    const reference = `order-${randomUUID()}`;
    const content = { biller_name: biller, account, amount, merchant_reference: reference };
    const status = await call(`${config.billingPath}/transaction/create`, shop, content);
    if (status !== INSUFFICIENT_FLOAT) return;
    await earn({ pool, ledgerMac: await openLedgerMac(pool, masterKeys) }, shop);
    const time = String(Date.now());
    const fund = `${config.basePath}/payments/v2/billing/fund`;
    await call(fund, shop, { time, currency: 'KES' });
  };

  return startPeriodicJob({
    everyMs: EVERY_MS,
    work: async (stopping) => {
      if (!(await isAnySessionInUse(pool, new Date(Date.now() - WATCHED_MS)))) return;
      const isFirst = shops.length === 0;
      if (isFirst) {
        shops = await openShops(pool, { masterKeys });
        await directory.reload();
        await catalogue.reload();
      }
      const orders = isFirst ? FIRST_ORDERS : 1;
      for (let made = 0; made < orders && !stopping.aborted; made += 1) await pay();
    },
    failureText: 'the shops of the sandbox could not pay',
    log,
  });
}
