import type { Logger } from 'pino';
import { lockPerson, signPerson } from '../../parties/people/authenticity.ts';
import { findSigned, listUnproposed, setWaitsFor } from '../../parties/people/people-store.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { Proposals } from '../proposals.ts';
import { confirmedBy } from './person.ts';

interface Deps {
  readonly pool: Pool;
  readonly ledgerMac: Mac;
  readonly proposals: Proposals;
  readonly log: Logger;
}

/**
 * Proposes, in the name of who made the link or changed the role, that the people of an earlier release are confirmed
 * who wait for it. Somebody whose proposer may not propose any more keeps waiting, and needs a new link.
 */
export async function proposeWaiting({ pool, ledgerMac, proposals, log }: Deps): Promise<void> {
  for (const login of await listUnproposed(pool)) {
    try {
      await databaseTransaction(pool, async (db) => {
        const person = await lockPerson(db, login, ledgerMac);
        if (person?.isAuthentic !== true || person.waitsFor === null) return;
        const maker = await findSigned(db, person.waitsFor);
        // Another process has proposed it.
        if (maker === undefined) return;
        const note = 'Made before confirmations were proposals.';
        const confirm = confirmedBy(proposals, {
          by: { personId: maker.personId, name: maker.login },
          note,
        });
        const { waitsFor } = await confirm(db, person, 'link');
        await setWaitsFor(db, person.personId, waitsFor);
        await signPerson(db, person.personId, ledgerMac);
      });
    } catch (error) {
      if (!(error instanceof PlainError)) throw error;
      log.warn({ login, problem: error.message }, 'a person who waits needs a new link');
    }
  }
}
