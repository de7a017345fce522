import { isDeepStrictEqual } from 'node:util';
import { PlainError } from '../../platform/base/plain-error.ts';
import { NO_ID } from '../../platform/base/ids.ts';
import type { ReadPart } from '../../platform/base/long-reads.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { repeatableTransaction, withinTransaction } from '../../platform/db/pool.ts';
import type { Sealing } from '../../parties/administer.ts';
import { addKey, addKeyOnce, newSharedSecret, requireSameMasterKey } from '../../parties/keys.ts';
import type { Holder, KeyRequest, NewKey } from '../../parties/keys.ts';
import { endKeys } from '../../parties/store.ts';
import { listKeysOf } from '../../parties/read-keys.ts';
import type { VendorRow } from '../../parties/read-vendors.ts';
import { readWebhookUrl } from './address.ts';
import { OPTIONAL_EVENT_TYPES } from './event-types.ts';
import type { EventType } from './event-types.ts';
import { disableWebhook } from './store.ts';
import { tellVendor } from './tell-vendor.ts';
import {
  countReplayable,
  deleteWebhook,
  lockWebhook,
  putWebhook,
  replayAfter,
  retryWaiting,
  setEnabled,
  setOffTypes,
} from './webhooks-store.ts';
import { findWebhook } from './read-webhooks.ts';
import type { ReplayFilter } from './webhooks-store.ts';
import type { FoundWebhook } from './read-webhooks.ts';

/**
 * Administration of vendors' webhooks. Each function is one database transaction, except a replay,
 * and throws `PlainError` if it cannot be done. Senders read webhooks in every round, so they need
 * not be notified.
 */

/** The person who makes the change. The vendor is told only of changes that staff make. */
interface Hand {
  readonly isStaff: boolean;
}

type VendorKey = Pick<VendorRow, 'vendorId' | 'vid'>;

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
  db: Queryable,
  vendor: VendorKey,
  options: {
    readonly url: string;
    readonly allowsPrivate: boolean;
    readonly sealing: () => Promise<Sealing>;
  },
): Promise<string | undefined> {
  const url = readWebhookUrl(options.url, options.allowsPrivate).href;
  return await withinTransaction(db, async (client) => {
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

/** Rotates the secret at the vendor's own request, once for each request. Throws as `addKeyOnce` does. */
export async function rotateOwnSecret(
  pool: Pool,
  vendor: VendorKey,
  request: KeyRequest,
  { masterKeys, certain }: Sealing,
): Promise<NewKey> {
  return await withWebhook(pool, vendor, async (client) => {
    await requireSameMasterKey(client, masterKeys, certain);
    const by = { newSecret: newSharedSecret, masterKeys };
    return await addKeyOnce(client, holderOf(vendor), request, by);
  });
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

/**
 * Chooses the types of events that are sent. Waiting events of the others end in the state `off`, as
 * new ones do; they can be sent again once their type is on.
 */
export async function setEventTypes(
  pool: Pool,
  vendor: VendorKey,
  types: readonly EventType[],
  hand: Hand,
): Promise<void> {
  await withWebhook(pool, vendor, (client) => keepTypes(client, vendor, types, hand));
}

async function keepTypes(
  client: Queryable,
  vendor: VendorKey,
  types: readonly EventType[],
  { isStaff }: Hand,
): Promise<void> {
  const { vendorId } = vendor;
  const { offTypes: before } = await requireWebhook(client, vendor);
  const offTypes = OPTIONAL_EVENT_TYPES.filter((type) => !types.includes(type));
  if (offTypes.length === OPTIONAL_EVENT_TYPES.length) {
    throw new PlainError('Choose at least one type, or disable the webhook.', { field: 'types' });
  }
  if (isDeepStrictEqual(new Set(before), new Set(offTypes))) return;
  await setOffTypes(client, vendorId, offTypes);
  if (isStaff) await tellVendor(client, vendorId, { change: 'webhook' });
}

/** Switches some types on and others off; the rest stay. */
export async function changeEventTypes(
  pool: Pool,
  vendor: VendorKey,
  { on, off }: { readonly on: readonly EventType[]; readonly off: readonly EventType[] },
  hand: Hand,
): Promise<void> {
  await withWebhook(pool, vendor, async (client) => {
    const { offTypes } = await requireWebhook(client, vendor);
    const always = off.find((type) => !OPTIONAL_EVENT_TYPES.includes(type));
    if (always !== undefined) throw new PlainError(`${always} is always sent.`, { field: 'types' });
    const types = OPTIONAL_EVENT_TYPES.filter(
      (type) => on.includes(type) || !offTypes.includes(type),
    );
    const sent = types.filter((type) => !off.includes(type));
    await keepTypes(client, vendor, sent, hand);
  });
}

/** Throws: `PlainError` if the vendor has none. */
export async function requireWebhook(db: Queryable, vendor: VendorKey): Promise<FoundWebhook> {
  const found = await findWebhook(db, vendor.vendorId);
  if (found === undefined) throw noWebhook(vendor);
  return found;
}

/** Resumes calls of the webhook, with all waiting events. Returns how many events that is. */
export async function enableWebhook(
  pool: Pool,
  vendor: VendorKey,
  { isStaff }: Hand,
): Promise<number> {
  return await withWebhook(pool, vendor, async (client) => {
    const { disabledAt } = await requireWebhook(client, vendor);
    await setEnabled(client, vendor.vendorId);
    if (isStaff && disabledAt !== null) {
      await tellVendor(client, vendor.vendorId, { change: 'webhook' });
    }
    return await retryWaiting(client, vendor.vendorId);
  });
}

/** Stops calls of the webhook; its events wait. Returns false if it was already disabled. */
export async function stopWebhook(
  pool: Pool,
  vendor: VendorKey,
  { isStaff }: Hand,
): Promise<boolean> {
  return await withWebhook(pool, vendor, async (client) => {
    const changed = await disableWebhook(client, vendor.vendorId, 'by command');
    if (changed && isStaff) await tellVendor(client, vendor.vendorId, { change: 'webhook' });
    return changed;
  });
}

/** Removes the webhook with its secrets; waiting events are given up. Returns how many events. */
export async function removeWebhook(
  pool: Pool,
  vendor: VendorKey,
  { isStaff }: Hand,
): Promise<number> {
  return await withWebhook(pool, vendor, async (client) => {
    await endKeys(client, holderOf(vendor));
    const givenUp = await deleteWebhook(client, vendor.vendorId);
    if (isStaff) await tellVendor(client, vendor.vendorId, { change: 'webhook' });
    return givenUp;
  });
}

/** Whoever is served while a vendor's events are sent again. */
export interface ReplayTurns {
  /** Each commit waits for its turn, so that other requests go on. */
  readonly inTurn: ReadPart;
  /** True: nobody waits for the result any more, so it ends. Repeating it is safe. */
  readonly isClosed: () => boolean;
  /** Most events; a selection of more is refused. */
  readonly most: number;
}

const ALL_AT_ONCE: ReplayTurns = {
  inTurn: async (part) => await part(),
  isClosed: () => false,
  most: Number.POSITIVE_INFINITY,
};

/**
 * Sends events again, with their own ids, in small commits; not those of types that are off. Returns
 * how many.
 * @param turns of a request; default: a command, without a limit.
 * Throws: `PlainError` if the vendor has no webhook, or if a request selects too many events.
 */
export async function replayEvents(
  pool: Pool,
  vendor: VendorKey,
  filter: ReplayFilter,
  turns = ALL_AT_ONCE,
): Promise<number> {
  const { vendorId } = vendor;
  const selected = async (client: Queryable, afterId: string, limit: number) => {
    const { offTypes = [] } = (await findWebhook(client, vendorId)) ?? {};
    return { ...filter, afterId, limit, offTypes };
  };
  const { inTurn, isClosed, most } = turns;
  if (Number.isFinite(most)) {
    const count = await inTurn(
      async () => await countReplayable(pool, vendorId, await selected(pool, NO_ID, most + 1)),
    );
    if (count > most) throw tooManyEvents(most);
  }
  let count = 0;
  let afterId = NO_ID;
  // Ends, because every round continues after the previous one.
  while (!isClosed()) {
    const after = afterId;
    const ids = await inTurn(
      async () =>
        await withWebhook(pool, vendor, async (client) =>
          replayAfter(client, vendorId, await selected(client, after, REPLAY_ROWS)),
        ),
    );
    count += ids.length;
    if (ids.length < REPLAY_ROWS) break;
    afterId = ids.reduce((last, id) => (id > last ? id : last), afterId);
  }
  return count;
}

function tooManyEvents(most: number): PlainError {
  return new PlainError(
    `More than ${most.toLocaleString('en')} events match. Choose a shorter period.`,
    { field: 'from' },
  );
}

async function withWebhook<Result>(
  pool: Pool,
  vendor: VendorKey,
  work: (client: Queryable) => Promise<Result>,
): Promise<Result> {
  return await repeatableTransaction(pool, async (client) => {
    if (await lockWebhook(client, vendor.vendorId)) return await work(client);
    throw noWebhook(vendor);
  });
}

function noWebhook({ vid }: VendorKey): PlainError {
  return new PlainError(`Vendor ${vid} has no webhook. Set one: webhook set ${vid} URL`);
}
