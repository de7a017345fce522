import type { Logger } from 'pino';
import type { Mac } from '../platform/base/mac.ts';
import type { Pool } from '../platform/db/pool.ts';
import { createBillerCatalogue } from './billers/catalogue.ts';
import type { BillerCatalogue } from './billers/catalogue.ts';
import { openConnectors, fixedConnectors } from './dispatch/connectors.ts';
import type { Connectors, ConnectorsOptions } from './dispatch/connectors.ts';
import type { Connector } from '../connectors/operator.ts';
import type { JobOptions } from './jobs.ts';
import { undoAndLog } from './quarantine/forged.ts';
import { createLostPayments } from './quarantine/lost.ts';
import type { LostPayments } from './quarantine/lost.ts';

export type ConnectorOf = (operatorCode: string) => Connector | undefined;

/** Operators are reached by their protocols, or by the given connectors. */
export type OperatorsOptions =
  | (ConnectorsOptions & Pick<JobOptions, 'masterKeys'>)
  | { readonly connectorOf: ConnectorOf };

interface Catalogue {
  readonly catalogue: BillerCatalogue;
  readonly connectors: Connectors;
  readonly lost: LostPayments;
}

/**
 * The billers and operators in memory, and the connectors that follow them. What cases say about lost payments
 * is reloaded with the billers, which a quarantine switches off.
 */
export function buildCatalogue(options: {
  readonly pool: Pool;
  readonly operators: OperatorsOptions;
  /** Absent: releases of quarantines are believed. */
  readonly ledgerMac?: Mac | undefined;
  readonly log: Logger;
}): Catalogue {
  const { pool, ledgerMac, log } = options;
  const lost = createLostPayments(pool);
  const { catalogue, connectors } = billersAndConnectors(options);
  const reload = async (): Promise<void> => {
    if (ledgerMac !== undefined) await undoAndLog({ pool, ledgerMac, log });
    await catalogue.reload();
    await lost.reload();
  };
  return { catalogue: { ...catalogue, reload }, connectors, lost };
}

function billersAndConnectors({
  pool,
  operators,
  log,
}: Parameters<typeof buildCatalogue>[0]): Omit<Catalogue, 'lost'> {
  if ('connectorOf' in operators) {
    return {
      catalogue: createBillerCatalogue({ pool, masterKeys: undefined }),
      connectors: fixedConnectors(operators.connectorOf),
    };
  }
  const connectors = openConnectors({ callbackBase: operators.callbackBase, log });
  const catalogue = createBillerCatalogue({
    pool,
    masterKeys: operators.masterKeys,
    onReload: () => connectors.update(catalogue.operators()),
  });
  return { catalogue, connectors };
}

/** Billers and operators as they are now, without the operators' keys. */
export async function readCatalogue(pool: Pool): Promise<BillerCatalogue> {
  const catalogue = createBillerCatalogue({ pool, masterKeys: undefined });
  await catalogue.reload();
  return catalogue;
}
