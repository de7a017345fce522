import { listKeysOf } from '../parties/read-keys.ts';
import type { VendorRow } from '../parties/read-vendors.ts';
import { openSecretsOf } from '../parties/keys.ts';
import { encodeReference } from '../parties/reference.ts';
import { setWebhook } from '../payments/events/administer.ts';
import { eventBody, webhookIdOf } from '../payments/events/event.ts';
import { countWaiting, findWebhook } from '../payments/events/read-webhooks.ts';
import type { ListedEvent } from '../payments/events/read-events.ts';
import { WEBHOOK } from '../payments/settings/vendors.ts';
import type { WireTime } from '../platform/base/clock.ts';
import { Refusal } from '../platform/base/errors.ts';
import type { Pool } from '../platform/db/pool.ts';
import type { Done } from './definition.ts';
import type { StaffDeps } from './deps.ts';
import { auditOf, instead } from './proposal-core.ts';
import { NOTHING_PROPOSED } from './proposal-schema.ts';
import { settingRow } from './setting-core.ts';
import { keyViewOf } from './signer-schema.ts';
import type { Viewer } from './viewer.ts';
import type { EventView, WebhookSet, WebhookView } from './webhook-view.ts';
import { fit, wireOf } from './wire.ts';
import { eventView, webhookViewOf } from './webhook-view.ts';

const holderOf = (vid: string) => ({ holderKind: 'webhook', holder: vid }) as const;

export async function oneWebhook(pool: Pool, { vendorId, vid }: VendorRow): Promise<WebhookView> {
  const found = await findWebhook(pool, vendorId);
  const secrets = await listKeysOf(pool, holderOf(vid));
  const waiting = await countWaiting(pool, vendorId);
  const keys = secrets.map((row) => keyViewOf(row));
  if (found !== undefined) return webhookViewOf({ ...found, vid, waiting }, keys);
  return { ...NO_WEBHOOK, vid, waiting, off_types: [], secrets: keys };
}

const NO_WEBHOOK = {
  ...{ url: null, allows_private: false, status: null, disabled_at: null },
  ...{ disabled_reason: null, failures: 0, failing_since: null },
};

interface SetBy {
  readonly deps: StaffDeps;
  readonly viewer: Viewer;
  readonly input: {
    readonly url: string;
    readonly allows_private: boolean;
    readonly reason: string;
  };
}

/**
 * The vendor’s own people act at once; of staff, another person approves it. The secret is shown only without one.
 * Throws: `not_permitted`, `PlainError`.
 */
export async function setUrl(by: SetBy, vendor: VendorRow): Promise<Done<WebhookSet>> {
  const { deps, viewer, input } = by;
  const { pool } = deps;
  const change = { url: input.url, allowsPrivate: input.allows_private };
  const before = await findWebhook(pool, vendor.vendorId);
  const audit = before && { before: { url: before.url, allowsPrivate: before.allowsPrivate } };
  if (viewer.vendor !== undefined) {
    // Otherwise a vendor’s person could have our own network called.
    if (change.allowsPrivate) throw new Refusal('not_permitted');
    const sealing = async () => ({ masterKeys: await deps.masterKeys(), certain: true });
    const secret = (await setWebhook(pool, vendor, { ...change, sealing })) ?? null;
    const view = await oneWebhook(pool, vendor);
    const after = { url: view.url, allowsPrivate: view.allows_private };
    return { result: { ...view, secret, ...NOTHING_PROPOSED }, audit: { ...audit, after } };
  }
  const { vendorId, vid } = vendor;
  const isFirst = (await listKeysOf(pool, holderOf(vid))).length === 0;
  const row = await settingRow(by, { setting: WEBHOOK, key: { vendorId, vid }, change });
  const isShown = isFirst && row.decision !== null;
  const [secret = null] = isShown
    ? await openSecretsOf(pool, holderOf(vid), await deps.masterKeys())
    : [];
  const view = await oneWebhook(pool, vendor);
  const result = { ...view, secret, ...(await instead(row, deps, viewer)) };
  if (row.decision === null) return { result, audit: auditOf(row) };
  return { result, audit: { ...audit, after: change } };
}

export function eventViewOf(event: ListedEvent, vid: string, wireTime: WireTime): EventView {
  const { attemptCount: attempts, vendorId, paymentId, ...row } = event;
  const isAboutPayment = row.type.startsWith('transaction.');
  return fit(eventView, {
    ...{ ...wireOf(row), attempts, webhook_id: webhookIdOf(event) },
    reference: isAboutPayment ? encodeReference(vendorId, paymentId) : null,
    body: eventBody(event, vid, wireTime),
  });
}
