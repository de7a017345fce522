import type { CreditDesk } from '../../credit/facade.ts';
import { ACCESS_PATH } from '../../credit/operations/subject-access.ts';
import { systemClock } from '../../platform/base/clock.ts';
import type { Session } from '../session.ts';
import { openVault } from './vault.ts';

/** The registry for a command. Throws: `PlainError` if a key is missing, or is not the registry's. */
export async function openDesk(session: Session): Promise<CreditDesk> {
  const { pool, config } = session;
  return {
    ...{ pool, vault: await openVault(session), clock: systemClock, timeZone: config.timeZone },
    retentionDays: config.creditRetentionDays,
    enquiryService: undefined,
    accessUrl: `${config.publicUrl}${config.scoringPath}${ACCESS_PATH}`,
    contact: config.creditContact,
  };
}
