import { PlainError } from '../platform/base/plain-error.ts';
import type { MasterKeys } from '../platform/base/sealing.ts';
import type { Pool, Queryable } from '../platform/db/pool.ts';
import { changeSettings } from '../platform/db/settings-watch.ts';
import { addKey, addKeyOnce, newSecurityKey, requireSameMasterKey } from './keys.ts';
import type { Holder, KeyRequest, NewKey } from './keys.ts';
import {
  endKeyNow,
  insertCollector,
  insertVendor,
  updateCollector,
  updateVendor,
} from './store.ts';
import { findVendor, findSameVid } from './read-vendors.ts';
import { listCollectors, noCollector, requireCollector } from './read-collectors.ts';
import { listKeysOf } from './read-keys.ts';
import type { CollectorChange, VendorChange } from './store.ts';
import { LONG_DUPLICATE_WINDOW } from './vendor.ts';
import type {
  CollectorScope,
  DuplicateCheck,
  DuplicateWindow,
  EnquiryPolicy,
  Sector,
  SignatureVersion,
  StatusText,
} from './vendor.ts';

/**
 * Administration of vendors and collectors. Each function is one database transaction with the mark
 * that makes running processes reload, and throws `PlainError` if it cannot be done.
 */

/** The master key that seals new keys. */
export interface Sealing {
  readonly masterKeys: MasterKeys;
  /** False if the key was found rather than given, so that a stored key has to confirm it. */
  readonly certain: boolean;
}

/** A key that was made before. */
export interface GivenKey {
  readonly secret?: string;
}

export interface NewVendor {
  readonly vid: string;
  readonly name: string;
  readonly sector: Sector;
  readonly duplicateCheck?: DuplicateCheck | undefined;
  /** Default: 30. */
  readonly duplicateWindowSeconds?: DuplicateWindow | undefined;
  /**
   * Default: true. Without `merchant_reference` a create cannot be repeated safely: once the
   * duplicate check's window has passed, the repeat pays again.
   */
  readonly referenceRequired?: boolean | undefined;
  /** Default: strict. */
  readonly enquiryPolicy?: EnquiryPolicy | undefined;
  readonly statusText?: StatusText | undefined;
  readonly signature?: SignatureVersion | undefined;
}

export interface AddedVendor {
  readonly vendorId: number;
  /** In plain text. */
  readonly securityKey: string;
}

/** Adds a vendor and its first security key, within the caller's change of settings. */
export async function registerVendor(
  client: Queryable,
  vendor: NewVendor,
  sealing: Sealing & GivenKey,
): Promise<AddedVendor> {
  const { vid, name, sector, referenceRequired = true, ...settings } = vendor;
  // Logins, which are in lower case, begin with it: two vendors would share them.
  const same = await findSameVid(client, vid);
  if (same !== undefined && same !== vid) {
    throw new PlainError(onlyCase('Vendor', same), { field: 'vid' });
  }
  const vendorId = await insertVendor(client, { vid, name, sector, createdAt: new Date() });
  if (vendorId === undefined) throw new PlainError(`Vendor ${vid} already exists.`);
  await updateVendor(client, vid, { ...settings, referenceRequired });
  const holder: Holder = { holderKind: 'vendor', holder: vid };
  return { vendorId, securityKey: await giveNewKey(client, holder, { ...sealing, overlap: 0 }) };
}

const onlyCase = (what: string, same: string): string =>
  `${what} ${same} already exists; upper and lower case are not enough of a difference.`;

/**
 * Changes the given settings of a vendor; the others stay. References that become optional lengthen
 * the duplicate window, unless the change says how long it is.
 */
export async function changeVendor(
  db: Queryable,
  vid: string,
  change: VendorChange,
): Promise<void> {
  await changeSettings(db, 'vendors', async (client) => {
    const before = await findVendor(client, vid);
    if (before === undefined) throw noVendor(vid);
    const isLonger = before.referenceRequired && change.referenceRequired === false;
    const usual = isLonger ? LONG_DUPLICATE_WINDOW : undefined;
    const { duplicateWindowSeconds = usual } = change;
    await updateVendor(client, vid, { ...change, duplicateWindowSeconds });
  });
}

/** Adds a collector with a first security key, which is returned in plain text. */
export async function addCollector(
  db: Queryable,
  collector: { readonly collector: string; readonly name: string; readonly scope: CollectorScope },
  sealing: Sealing & GivenKey,
): Promise<string> {
  return await changeSettings(db, 'vendors', async (client) => {
    const { collector: id, scope } = collector;
    await requireVendors(client, scope);
    // People would take one for the other, and one reference of both would be credited twice.
    const isAlike = (row: { collector: string }) =>
      row.collector.toLowerCase() === id.toLowerCase();
    const same = (await listCollectors(client)).find(isAlike)?.collector;
    if (same !== undefined && same !== id) throw new PlainError(onlyCase('Collector', same));
    if (!(await insertCollector(client, { ...collector, createdAt: new Date() }))) {
      throw new PlainError(`Collector ${id} already exists.`);
    }
    const holder: Holder = { holderKind: 'collector', holder: id };
    return await giveNewKey(client, holder, { ...sealing, overlap: 0 });
  });
}

/** Changes the given settings of a collector; the others stay. */
export async function changeCollector(
  db: Queryable,
  collector: string,
  change: CollectorChange,
): Promise<void> {
  await changeSettings(db, 'vendors', async (client) => {
    if (change.scope !== undefined) await requireVendors(client, change.scope);
    if (!(await updateCollector(client, collector, change))) throw noCollector(collector);
  });
}

/**
 * Gives a vendor or collector a new key, returned in plain text. The former one stays valid for
 * `overlapSeconds`; older keys end now.
 */
export async function rotateKey(
  db: Queryable,
  signer: { readonly holderKind: 'vendor' | 'collector'; readonly holder: string },
  options: Sealing & GivenKey & { readonly overlapSeconds: number },
): Promise<string> {
  const { holderKind, holder } = signer;
  return await changeSettings(db, 'vendors', async (client) => {
    if (holderKind === 'vendor' && (await findVendor(client, holder)) === undefined) {
      throw noVendor(holder);
    }
    if (holderKind === 'collector') await requireCollector(client, holder);
    return await giveNewKey(client, signer, { ...options, overlap: options.overlapSeconds });
  });
}

/**
 * Rotates the key at the vendor's own request, once for each request.
 * Throws as `addKeyOnce` does.
 */
export async function rotateOwnKey(
  pool: Pool,
  vid: string,
  request: KeyRequest,
  { masterKeys, certain }: Sealing,
): Promise<NewKey> {
  const holder = { holderKind: 'vendor', holder: vid } as const;
  return await changeSettings(pool, 'vendors', async (client) => {
    await requireSameMasterKey(client, masterKeys, certain);
    return await addKeyOnce(client, holder, request, { newSecret: newSecurityKey, masterKeys });
  });
}

/**
 * Ends a key that a newer one has replaced, before its overlap is over.
 * Throws: `PlainError` if it has ended, or if it is the current key.
 */
export async function retireKey(
  pool: Pool,
  signer: { readonly holderKind: 'vendor' | 'collector' | 'webhook'; readonly holder: string },
  keyId: string,
  tell?: (db: Queryable) => Promise<void>,
): Promise<void> {
  await changeSettings(pool, 'vendors', async (client) => {
    const [current, ...former] = await listKeysOf(client, signer);
    if (current?.keyId === keyId) {
      throw new PlainError(
        'This is the current key. Create a new one first; then this one can be retired.',
      );
    }
    if (!former.some((key) => key.keyId === keyId))
      throw new PlainError('The key is no longer valid.');
    await endKeyNow(client, { ...signer, keyId });
    await tell?.(client);
  });
}

async function giveNewKey(
  client: Queryable,
  holder: Holder,
  options: Sealing & GivenKey & { readonly overlap: number },
): Promise<string> {
  const { masterKeys, certain, overlap: overlapSeconds, secret = newSecurityKey() } = options;
  await requireSameMasterKey(client, masterKeys, certain);
  await addKey(client, holder, { secret, overlapSeconds, masterKeys });
  return secret;
}

/** Throws if a scope names a vendor that does not exist, because that would hide a typing error. */
async function requireVendors(client: Queryable, scope: CollectorScope): Promise<void> {
  if (scope === 'all') return;
  for (const vid of scope) {
    if ((await findVendor(client, vid)) === undefined) throw noVendor(vid);
  }
}

function noVendor(vid: string): PlainError {
  return new PlainError(`Vendor ${vid} does not exist.`);
}
