import { newId } from '../../platform/base/ids.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Override } from './read-overrides.ts';

export async function addOverride(db: Queryable, override: Override): Promise<void> {
  await db.query(
    `insert into score_overrides (bucket, vendor_id, sequence, override_id, recorded_at, decision,
       reason, decided_by, enquired_at, card, score)
     values (bucket_of($1), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      override.vendorId,
      override.sequence,
      newId(),
      override.recordedAt,
      override.decision,
      override.reason,
      override.decidedBy,
      override.enquiredAt,
      override.card,
      override.score,
    ],
  );
}
