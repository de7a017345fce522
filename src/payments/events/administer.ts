import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { databaseTransaction } from '../../platform/db/pool.ts';
import type { Sealing } from '../../parties/administer.ts';
import { addKey, newSharedSecret, requireSameMasterKey } from '../../parties/keys.ts';
import type { Holder } from '../../parties/keys.ts';
import { endKeys, listKeysOf } from '../../parties/store.ts';
import type { VendorRow } from '../../parties/store.ts';
import { readWebhookUrl } from './address.ts';
import { disableWebhook } from './store.ts';
import {
  deleteWebhook,
  lockWebhook,
  putWebhook,
  replayAfter,
  retryWaiting,
  setEnabled,
} from './webhooks-store.ts';
import type { ReplayFilter } from './webhooks-store.ts';

/**
 * Administration of vendors' webhooks. Each function is one database transaction, except a replay,
 * and throws `PlainError` if it cannot be done. Senders read webhooks in every round, so they need
 * not be notified.
 */

type VendorKey = Pick<VendorRow, 'vendorId' | 'vid'>;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const REPLAY_ROWS = 1_000;

function holderOf({ vid }: VendorKey): Holder {
  return { holderKind: 'webhook', holder: vid };
}

/**
 * Sets the URL for the vendor's events, new and waiting ones, and enables the webhook.
 * @param sealing is called only if a secret has to be created.
 * Returns the secret in plain text if the vendor had none yet, otherwise undefined: it stays.
 */
export async function setWebhook(
  pool: Pool,
  vendor: VendorKey,
  options: {
    readonly url: string;
    readonly allowsPrivate: boolean;
    readonly sealing: () => Promise<Sealing>;
  },
): Promise<string | undefined> {
  const url = readWebhookUrl(options.url, options.allowsPrivate).href;
  return await databaseTransaction(pool, async (client) => {
    const vendorId = vendor.vendorId;
    await putWebhook(client, { vendorId, url, allowsPrivate: options.allowsPrivate });
    await retryWaiting(client, vendorId);
    const known = await listKeysOf(client, holderOf(vendor));
    if (known.length > 0) return undefined;
    return await giveNewSecret(client, vendor, {
      sealing: await options.sealing(),
      overlapSeconds: 0,
    });
  });
}

/**
 * Gives the webhook a new secret, returned in plain text. For `overlapSeconds` events are also
 * signed with the former one.
 */
export async function rotateSecret(
  pool: Pool,
  vendor: VendorKey,
  options: { readonly sealing: Sealing; readonly overlapSeconds: number },
): Promise<string> {
  return await withWebhook(pool, vendor, (client) => giveNewSecret(client, vendor, options));
}

async function giveNewSecret(
  client: Queryable,
  vendor: VendorKey,
  { sealing, overlapSeconds }: { readonly sealing: Sealing; readonly overlapSeconds: number },
): Promise<string> {
  const { masterKeys, certain } = sealing;
  await requireSameMasterKey(client, masterKeys, certain);
  const secret = newSharedSecret();
  await addKey(client, holderOf(vendor), { secret, overlapSeconds, masterKeys });
  return secret;
}

/** Resumes calls of the webhook, with all waiting events. Returns how many events that is. */
export async function enableWebhook(pool: Pool, vendor: VendorKey): Promise<number> {
  return await withWebhook(pool, vendor, async (client) => {
    await setEnabled(client, vendor.vendorId);
    return await retryWaiting(client, vendor.vendorId);
  });
}

/** Stops calls of the webhook; its events wait. Returns false if it was already disabled. */
export async function stopWebhook(pool: Pool, vendor: VendorKey): Promise<boolean> {
  return await withWebhook(pool, vendor, (client) =>
    disableWebhook(client, vendor.vendorId, 'by command'),
  );
}

/** Removes the webhook with its secrets; waiting events are given up. Returns how many events. */
export async function removeWebhook(pool: Pool, vendor: VendorKey): Promise<number> {
  return await withWebhook(pool, vendor, async (client) => {
    await endKeys(client, holderOf(vendor));
    return await deleteWebhook(client, vendor.vendorId);
  });
}

/**
 * Sends events again, with their own ids, in small commits. Returns how many.
 * Throws: `PlainError` if the vendor has no webhook.
 */
export async function replayEvents(
  pool: Pool,
  vendor: VendorKey,
  filter: ReplayFilter,
): Promise<number> {
  let count = 0;
  let afterId = FIRST_ID;
  // Ends, because every round continues after the previous one.
  for (;;) {
    const after = afterId;
    const ids = await withWebhook(pool, vendor, (client) =>
      replayAfter(client, vendor.vendorId, { ...filter, afterId: after, limit: REPLAY_ROWS }),
    );
    count += ids.length;
    if (ids.length < REPLAY_ROWS) return count;
    afterId = ids.reduce((last, id) => (id > last ? id : last), afterId);
  }
}

async function withWebhook<Result>(
  pool: Pool,
  vendor: VendorKey,
  work: (client: Queryable) => Promise<Result>,
): Promise<Result> {
  return await databaseTransaction(pool, async (client) => {
    if (await lockWebhook(client, vendor.vendorId)) return await work(client);
    throw new PlainError(
      `Vendor ${vendor.vid} has no webhook. Set one: webhook set ${vendor.vid} URL`,
    );
  });
}
