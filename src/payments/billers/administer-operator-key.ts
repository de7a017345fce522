import { DAY_MS } from '../../platform/base/days.ts';
import type { MasterKeys } from '../../platform/base/sealing.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { changeSettings } from '../../platform/db/settings-watch.ts';
import type { Sealing } from '../../parties/administer.ts';
import { addKey, openSecretsOf, requireSameMasterKey } from '../../parties/keys.ts';
import type { Holder } from '../../parties/keys.ts';
import { endKeys } from '../../parties/store.ts';
import { holderOf } from './operator-version.ts';
import {
  beginVersion,
  listFormerVersions,
  listFormerVersionsOf,
  setKeysOfVersion,
} from './operator-versions-store.ts';

export interface OperatorKeyChange {
  readonly secret: string;
  readonly sealing: Sealing;
  /** Callbacks under the former secret are still accepted for this long. Default: not at all. */
  readonly overlapSeconds?: number;
  /**
   * The new secret is of the same merchant account, so it is asked with it about instructions that it got
   * before. Default: it may be of another account, so each instruction is asked about with the secret that
   * it was sent with, which is kept for this.
   */
  readonly sameAccount?: boolean;
}

/** Sets the secret shared with an operator. Throws: `PlainError` if it cannot be stored. */
export async function setOperatorKey(
  db: Queryable,
  operatorCode: string,
  { secret, sealing, overlapSeconds = 0, sameAccount = false }: OperatorKeyChange,
): Promise<void> {
  const { masterKeys, certain } = sealing;
  const holder = operatorHolder(operatorCode);
  await changeSettings(db, 'billers', async (client) => {
    await requireSameMasterKey(client, masterKeys, certain);
    const [former] = await openSecretsOf(client, holder, masterKeys);
    const mayMove = former !== undefined && former !== secret && !sameAccount;
    if (mayMove) await beginVersion(client, operatorCode, false);
    if (former !== undefined) {
      await keepForFormer(client, operatorCode, { secret: former, overlapSeconds, masterKeys });
    }
    // Callbacks under the secret of another account are read as that account's, and not as the current one's.
    const overlap = mayMove ? 0 : overlapSeconds;
    await addKey(client, holder, { secret, overlapSeconds: overlap, masterKeys });
  });
}

/** Keeps the secret for the former accounts that it was the secret of. */
async function keepForFormer(
  client: Queryable,
  operatorCode: string,
  key: {
    readonly secret: string;
    readonly overlapSeconds: number;
    readonly masterKeys: MasterKeys;
  },
): Promise<void> {
  for (const former of await listFormerVersionsOf(client, operatorCode)) {
    if (former.sameAccount || former.keys !== 'current') continue;
    const holder = operatorHolder(holderOf(operatorCode, former.version));
    await addKey(client, holder, { ...key, overlapSeconds: 0 });
    const callbackSeconds = key.overlapSeconds;
    await setKeysOfVersion(client, former, { kind: 'kept', callbackSeconds });
  }
}

/** A process that has not heard of a change may still send with the former key for a moment. */
const KEPT_AT_LEAST_MS = DAY_MS;

/**
 * Ends kept keys that no instruction needs any more.
 * @param needed reads which versions have instructions in progress.
 */
export async function endKeptKeys(
  pool: Pool,
  needed: (
    db: Queryable,
  ) => Promise<readonly { readonly operatorCode: string; readonly operatorVersion: number }[]>,
): Promise<void> {
  const before = new Date(Date.now() - KEPT_AT_LEAST_MS);
  const mayEnd = (await listFormerVersions(pool)).filter(
    ({ keys, replacedAt, callbacksUntil }) =>
      keys === 'kept' && replacedAt < before && (callbacksUntil ?? replacedAt) < new Date(),
  );
  if (mayEnd.length === 0) return;
  await changeSettings(pool, 'billers', async (client) => {
    const inProgress = await needed(client);
    for (const former of mayEnd) {
      const { operatorCode, version } = former;
      // Earlier versions of the same account have lower numbers.
      const isNeeded = inProgress.some(
        (one) => one.operatorCode === operatorCode && one.operatorVersion <= version,
      );
      if (isNeeded) continue;
      await endKeys(client, operatorHolder(holderOf(operatorCode, version)));
      await setKeysOfVersion(client, former, { kind: 'ended' });
    }
  });
}

function operatorHolder(holder: string): Holder {
  return { holderKind: 'operator', holder };
}
