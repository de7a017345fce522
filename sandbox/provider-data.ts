import { openLedgerMac } from '../src/parties/ledger-key.ts';
import type { Logger } from 'pino';
import { setOperatorKey } from '../src/payments/billers/administer-operator-key.ts';
import { openOperatorKeys } from '../src/parties/keys.ts';
import { findVendor } from '../src/parties/read-vendors.ts';
import { setBiller, setOperator } from '../src/payments/billers/administer.ts';
import { setRoute } from '../src/payments/billers/administer-routes.ts';
import { findBiller } from '../src/payments/billers/store.ts';
import {
  addAccount,
  requireSource,
  setSource,
  setSourceKey,
} from '../src/payments/receipts/administer.ts';
import { openSource } from '../src/payments/receipts/sources.ts';
import { listAccounts } from '../src/payments/receipts/sources-store.ts';
import type { MasterKeys } from '../src/platform/base/sealing.ts';
import type { Pool } from '../src/platform/db/pool.ts';
import {
  PROVIDER_BILLERS,
  PROVIDER_OPERATORS,
  operatorChangeOf,
  operatorSecretOf,
} from './provider-operators.ts';
import type { PayingProvider, ProviderBiller } from './provider-operators.ts';
import { SHORT_CODES } from './providers/providers.ts';
import type { ProviderSecrets } from './providers/secrets.ts';

interface ProviderData {
  readonly masterKeys: MasterKeys;
  readonly secrets: ProviderSecrets;
  /** Origin of the process that emulates them. */
  readonly operatorOrigin: string;
}

/**
 * Registers the emulated providers as operators, and billers that are paid through them. Their
 * addresses follow this start's port; what people changed of billers and routes stays.
 * @param billers default: all of them.
 */
export async function prepareProviders(
  pool: Pool,
  { masterKeys, secrets, operatorOrigin }: ProviderData,
  billers: readonly ProviderBiller[] = PROVIDER_BILLERS,
): Promise<void> {
  const keys = await openOperatorKeys(pool, masterKeys);
  for (const code of Object.keys(PROVIDER_OPERATORS) as PayingProvider[]) {
    // The settings are ours, and checked by the tests.
    await setOperator(pool, code, operatorChangeOf(code, operatorOrigin), async () => undefined);
    const secret = operatorSecretOf(code, secrets);
    if (keys.get(code)?.[0]?.secret === secret) continue;
    await setOperatorKey(pool, code, { secret, sealing: { masterKeys, certain: true } });
  }
  for (const { providers, ...biller } of billers) {
    const { billerCode } = biller;
    if ((await findBiller(pool, billerCode)) !== undefined) continue;
    const [operatorCode, ...others] = providers;
    await setBiller(pool, billerCode, { ...biller, operatorCode, validatesAccounts: true });
    for (const [index, other] of others.entries()) {
      await setRoute(pool, { billerCode, operatorCode: other }, { position: index + 1 });
    }
  }
}

/** The source of receipts, and the account number at it with which customers pay the demo vendor. */
export const PAYBILL = { source: 'paybill', account: 'DEMO' } as const;

/** A pay bill number of ours: what customers pay there is collected for the demo vendor. */
export async function preparePayBill(
  pool: Pool,
  { masterKeys, secrets, operatorOrigin }: ProviderData,
  by: {
    readonly collector: string;
    readonly vid: string;
    readonly publicUrl: string;
    readonly log: Logger;
  },
): Promise<void> {
  const { source: sourceCode, account } = PAYBILL;
  const { row } = await setSource(pool, sourceCode, {
    name: 'Pay bill, emulated',
    kind: 'daraja',
    collector: by.collector,
    settings: {
      base_url: `${operatorOrigin}/providers/paybill`,
      short_code: SHORT_CODES.paybill,
      addresses: ['127.0.0.1', '::1'],
    },
  });
  const secret = operatorSecretOf('paybill', secrets);
  await setSourceKey(pool, sourceCode, { secret, sealing: { masterKeys, certain: true } });
  if ((await listAccounts(pool, sourceCode)).length === 0) {
    if ((await findVendor(pool, by.vid)) === undefined) return;
    const ledgerMac = await openLedgerMac(pool, masterKeys);
    await addAccount({ pool, ledgerMac }, { sourceCode, account, vid: by.vid, by: 'sandbox' });
  }
  const callbackBase = `${by.publicUrl}/receipts`;
  const opened = await openSource(
    { pool, masterKeys, callbackBase, log: by.log },
    await requireSource(pool, row.sourceCode),
  );
  if (opened === undefined) return;
  const registered = await opened.provider.register(AbortSignal.timeout(5_000));
  if (!registered.isDone)
    by.log.error({ reason: registered.message }, 'the pay bill was not registered');
  await opened.provider.close();
}
