import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import type { PeopleDeps } from '../../src/parties/people/authenticity.ts';
import type { InProcessService } from './in-process-service.ts';

/** To change people as the service does. */
export async function peopleDepsOf({ service, sealing }: InProcessService): Promise<PeopleDeps> {
  const { pool } = service;
  return { pool, ledgerMac: await openLedgerMac(pool, sealing.masterKeys) };
}
