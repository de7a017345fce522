import type { Queryable } from '../platform/db/pool.ts';

/**
 * The kinds of key holders. `webhook`: the secrets that events to the vendor of this name are
 * signed with. `ledger`: the key that proves that ledger entries were made by the service.
 */
export const HOLDER_KINDS = [
  'vendor',
  'collector',
  'operator',
  'webhook',
  'source',
  'ledger',
] as const;

export type HolderKind = (typeof HOLDER_KINDS)[number];

export interface KeyRow {
  holderKind: HolderKind;
  holder: string;
  keyId: string;
  masterKeyId: string;
  sealed: Buffer;
  createdAt: Date;
  validUntil: Date | null;
}

const KEY_COLUMNS = `holder_kind as "holderKind", holder, key_id as "keyId",
  master_key_id as "masterKeyId", sealed, created_at as "createdAt", valid_until as "validUntil"`;

/**
 * Keys that are valid, the current one first: the one that is not retired. Their times do not tell, because
 * the clocks of the processes that made them may differ.
 */
export async function listKeys(
  db: Queryable,
  kinds: readonly HolderKind[],
  /** Undefined: of everybody. */
  holders?: readonly string[],
): Promise<KeyRow[]> {
  const result = await db.query<KeyRow>(
    `select ${KEY_COLUMNS} from security_keys
     where holder_kind = any($1) and (valid_until is null or valid_until > now())
       and ($2::text[] is null or holder = any($2))
     order by holder_kind, holder, valid_until desc nulls first, created_at desc`,
    [kinds, holders ?? null],
  );
  return result.rows;
}

/** Lists the keys of one holder. */
export async function listKeysOf(
  db: Queryable,
  { holderKind, holder }: Pick<KeyRow, 'holderKind' | 'holder'>,
): Promise<KeyRow[]> {
  const result = await db.query<KeyRow>({
    name: 'list_keys_of',
    text: `select ${KEY_COLUMNS} from security_keys
      where holder_kind = $1 and holder = $2 and (valid_until is null or valid_until > now())
      order by valid_until desc nulls first, created_at desc`,
    values: [holderKind, holder],
  });
  return result.rows;
}

export async function hasKeys(db: Queryable): Promise<boolean> {
  return (await db.query('select from security_keys limit 1')).rowCount === 1;
}
