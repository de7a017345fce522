import { READ_ONLY } from '../platform/db/runtime-grants.ts';
import type { RuntimeGrants } from '../platform/db/runtime-grants.ts';

export const PARTIES_GRANTS: RuntimeGrants = {
  buckets: READ_ONLY,
  vendors: { insert: true, updateAllBut: ['vendor_id', 'vid', 'created_at'] },
  collectors: { insert: true, updateAllBut: ['collector', 'created_at'] },
  security_keys: { insert: true, update: ['master_key_id', 'sealed'] },
  request_nonces: { insert: true, update: ['use_id'], delete: true },
};
