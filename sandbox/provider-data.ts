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
    await setOperator(
      pool,
      code,
      operatorChangeOf(code, operatorOrigin, secrets),
      async () => undefined,
    );
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

/** A source of receipts, and the account number at it with which customers pay the demo vendor. */
export const PAYBILL = { source: 'paybill', account: 'DEMO' } as const;

/** A payment to a till has no account number of its own. */
const TILL = { source: 'till', account: SHORT_CODES.till } as const;

const SOURCES = [
  {
    ...{ ...PAYBILL, name: 'Pay bill, emulated' },
    settings: { short_code: SHORT_CODES.paybill },
  },
  {
    ...{ ...TILL, name: 'Till, emulated' },
    settings: { short_code: SHORT_CODES.store, till: SHORT_CODES.till },
  },
] as const;

interface SourceParties {
  readonly collector: string;
  readonly vid: string;
  readonly publicUrl: string;
  readonly log: Logger;
}

/** A pay bill number and a till of ours: what customers pay there is collected for the demo vendor. */
export async function prepareSources(
  pool: Pool,
  data: ProviderData,
  by: SourceParties,
): Promise<void> {
  for (const source of SOURCES) await prepareSource(pool, data, { ...by, ...source });
}

async function prepareSource(
  pool: Pool,
  { masterKeys, secrets, operatorOrigin }: ProviderData,
  by: SourceParties & (typeof SOURCES)[number],
): Promise<void> {
  const { source: sourceCode, account, name, settings } = by;
  const { row } = await setSource(pool, sourceCode, {
    name,
    kind: 'daraja',
    collector: by.collector,
    settings: {
      ...settings,
      base_url: `${operatorOrigin}/providers/${sourceCode}`,
      addresses: ['127.0.0.1', '::1'],
    },
  });
  const secret = operatorSecretOf(sourceCode, secrets);
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
    by.log.error({ reason: registered.message }, 'the source was not registered');
  await opened.provider.close();
}
