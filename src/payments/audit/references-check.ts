import type { Mac } from '../../platform/base/mac.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { referenceFileEndText, referenceFileText } from '../ledger/authenticity.ts';
import type { ReferenceFileContent, ReferenceFileEndContent } from '../ledger/authenticity.ts';
import type { Violation } from './violation.ts';

export const REFERENCES_INVARIANT = {
  name: 'reference_files_authentic',
  says: 'Every file of references that vendors used at another system was approved, and its import ended, through the service: they have valid authentication codes.',
};

/** By these files a vendor may be resumed, and repeats what it paid before. */
export async function checkReferenceFiles(db: Queryable, mac: Mac): Promise<Violation[]> {
  const files = await db.query<ReferenceFileContent & { mac: Buffer }>(
    `select proposal_id as "proposalId", sha256, is_last as "isLast", vendor_ids as "vendorIds",
       approved_at as "approvedAt", mac
     from reference_files`,
  );
  const ends = await db.query<ReferenceFileEndContent & { mac: Buffer }>(
    `select proposal_id as "proposalId", ended_at as "endedAt", mac from reference_file_ends`,
  );
  return [
    ...files.rows
      .filter((row) => !mac.verify(referenceFileText(row), row.mac))
      .map(({ proposalId }) => violation(proposalId, 'was not approved through the service')),
    ...ends.rows
      .filter((row) => !mac.verify(referenceFileEndText(row), row.mac))
      .map(({ proposalId }) => violation(proposalId, 'was not imported by the service')),
  ];
}

const violation = (proposalId: string, fault: string): Violation => ({
  invariant: REFERENCES_INVARIANT.name,
  vendorId: 0,
  detail: `the file of references of proposal ${proposalId} ${fault}`,
});
