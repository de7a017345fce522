import { APPEND_ONLY } from '../platform/db/runtime-grants.ts';
import type { RuntimeGrants } from '../platform/db/runtime-grants.ts';

export const BATCHES_GRANTS: RuntimeGrants = {
  batches: {
    insert: true,
    update: [
      'next_row',
      'accepted_count',
      'refused_count',
      'sealed_content',
      'leased_until',
      'ended_at',
    ],
  },
  batch_chunks: APPEND_ONLY,
};
