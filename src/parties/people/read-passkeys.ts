import type { Queryable } from '../../platform/db/pool.ts';
import { hasEnded } from './ended-store.ts';
import { SIGNED_COLUMNS } from './read-people.ts';
import type { SignedPerson } from './read-people.ts';

/** A person's passkey. */
export interface PasskeyRow {
  /** As browsers name it: base64url. */
  credentialId: string;
  personId: string;
  /** COSE. */
  publicKey: Buffer;
  /** Number of the device's signatures, if it counts them. */
  signCount: bigint;
  transports: string[];
  /** Name that the person gave it. */
  name: string;
  createdAt: Date;
  usedAt: Date | null;
  mac: Buffer;
}

const COLUMNS = `k.credential_id as "credentialId", k.person_id as "personId",
  k.public_key as "publicKey", k.sign_count as "signCount", k.transports, k.name,
  k.created_at as "createdAt", k.used_at as "usedAt", k.mac`;

export async function listPasskeys(db: Queryable, personId: string): Promise<PasskeyRow[]> {
  const listed = await db.query<PasskeyRow>(
    `select ${COLUMNS} from passkeys k where k.person_id = $1
       and not ${hasEnded('passkey', 'k.credential_id')} order by k.created_at, k.credential_id`,
    [personId],
  );
  return listed.rows;
}

export type PasskeyOwnerRow = PasskeyRow & SignedPerson;

/** Finds a passkey of a person who may sign in. The caller verifies the codes of passkey and person. */
export async function findPasskey(
  db: Queryable,
  credentialId: string,
): Promise<PasskeyOwnerRow | undefined> {
  const found = await db.query<PasskeyOwnerRow>(
    `select ${COLUMNS}, ${SIGNED_COLUMNS} from passkeys k join people p on p.person_id = k.person_id
     where k.credential_id = $1 and p.status = 'active'
       and not ${hasEnded('passkey', 'k.credential_id')}`,
    [credentialId],
  );
  return found.rows[0];
}
