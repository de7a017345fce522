import type { Queryable } from '../../platform/db/pool.ts';

/** Kinds of credentials that count until they have ended; the table says what their ids are. */
export type EndedKind = 'session' | 'token' | 'passkey' | 'code' | 'challenge' | 'person';

/** Ends it for good, also if its row is put back. False: it had ended before. */
export async function insertEnded(db: Queryable, kind: EndedKind, id: string): Promise<boolean> {
  const inserted = await db.query(
    `insert into ended_credentials (kind, id, ended_at) values ($1, $2, now())
     on conflict do nothing`,
    [kind, id],
  );
  return inserted.rowCount === 1;
}

/** SQL that is true if the credential has ended. @param id an expression of text. */
export function hasEnded(kind: EndedKind, id: string): string {
  return `exists (select from ended_credentials ended where ended.kind = '${kind}' and ended.id = ${id} offset 0)`;
}
