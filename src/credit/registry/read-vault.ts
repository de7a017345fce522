import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { createVault } from './vault.ts';
import type { CreditKeys, Vault } from './vault.ts';

/**
 * Opens the vault, and checks that the registry was written with the same keys. Under another index
 * key nobody would be found, and an import would treat everybody as new.
 * Throws: `PlainError` if the keys differ.
 */
export async function openRegistryVault(db: Queryable, keys: CreditKeys): Promise<Vault> {
  const vault = createVault(keys);
  // Indexes begin with the id of their key, so the first and the last show whether there are two.
  const read = await db.query<{ documentIndex: Buffer; sealed: Buffer }>(
    `(select document_index as "documentIndex", sealed
      from subject_documents join subjects using (crn)
      order by document_index limit 1)
     union all
     (select document_index, sealed from subject_documents join subjects using (crn)
      order by document_index desc limit 1)`,
  );
  for (const row of read.rows) {
    if (!vault.knows(row.documentIndex, 'index'))
      throw new PlainError(wrongKey('CREDIT_INDEX_KEY'));
    if (!vault.knows(row.sealed, 'sealed')) throw new PlainError(wrongKey('MASTER_KEY'));
  }
  return vault;
}

function wrongKey(name: 'CREDIT_INDEX_KEY' | 'MASTER_KEY'): string {
  return `The credit registry was written under another ${name}. Start with that one; to change it, give it as ${name}_PREVIOUS until malipo credit rotate-keys is done.`;
}
