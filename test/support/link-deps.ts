import { openLedgerMac } from '../../src/parties/ledger-key.ts';
import type { LinkDeps } from '../../src/parties/people/links.ts';
import type { InProcessService } from './in-process-service.ts';

/** To make links that the service accepts. */
export async function linkDepsOf({ service, sealing }: InProcessService): Promise<LinkDeps> {
  const { pool } = service;
  return { pool, ledgerMac: await openLedgerMac(pool, sealing.masterKeys) };
}
