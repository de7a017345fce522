import { Type } from 'typebox';
import type { Static } from 'typebox';
import { listKeysOf } from '../parties/read-keys.ts';
import type { Vendor } from '../parties/vendor.ts';
import { OPTIONAL_EVENT_TYPES } from '../payments/events/event-types.ts';
import { countWaiting, findWebhook } from '../payments/events/read-webhooks.ts';
import { Refusal } from '../platform/base/errors.ts';
import type { Pool } from '../platform/db/pool.ts';
import { nullable } from '../platform/http/schemas.ts';
import { EXAMPLE_KEY, key, keyViews } from './key-view.ts';
import { instant } from './schemas.ts';

const eventType = Type.String({ examples: ['transaction.succeeded'] });

export const webhookFields = {
  url: Type.String({ examples: ['https://shop.example/malipo/events'] }),
  enabled: Type.Boolean({
    description: 'Whether events are sent. If not, they wait until the webhook is enabled.',
  }),
  disabled_at: nullable(instant('When it was disabled.')),
  disabled_reason: nullable(Type.String()),
  failures: Type.Integer({ description: 'Number of consecutive failed attempts.' }),
  failing_since: nullable(instant('When the first of them failed.')),
  types: Type.Array(eventType, { description: 'The types of events that are sent.' }),
  off_types: Type.Array(eventType, { description: 'The types of events that are not sent.' }),
  waiting_events: Type.Integer({ description: 'Events that wait for their delivery.' }),
  secrets: Type.Array(key, {
    description: 'The valid secrets, without their values, the current one first.',
  }),
};

export const webhook = Type.Object(webhookFields);

/** Throws: `not_found`. */
export async function requireWebhook(pool: Pool, { vendorId }: Pick<Vendor, 'vendorId'>) {
  const found = await findWebhook(pool, vendorId);
  if (found !== undefined) return found;
  throw new Refusal('not_found', { text: 'No webhook is set. Set one with PUT' });
}

/** Throws: `not_found`. */
export async function readWebhook(pool: Pool, vendor: Vendor): Promise<Static<typeof webhook>> {
  const found = await requireWebhook(pool, vendor);
  const { offTypes } = found;
  return {
    url: found.url,
    enabled: found.disabledAt === null,
    disabled_at: found.disabledAt?.toISOString() ?? null,
    disabled_reason: found.disabledReason,
    failures: found.failureCount,
    failing_since: found.failingSince?.toISOString() ?? null,
    types: OPTIONAL_EVENT_TYPES.filter((type) => !offTypes.includes(type)),
    off_types: offTypes,
    waiting_events: await countWaiting(pool, vendor.vendorId),
    secrets: keyViews(await listKeysOf(pool, { holderKind: 'webhook', holder: vendor.vid })),
  };
}

export const EXAMPLE_WEBHOOK: Static<typeof webhook> = {
  url: 'https://shop.example/malipo/events',
  enabled: true,
  disabled_at: null,
  disabled_reason: null,
  failures: 0,
  failing_since: null,
  types: OPTIONAL_EVENT_TYPES.filter((type) => !type.startsWith('float.')),
  off_types: ['float.low', 'float.recovered'],
  waiting_events: 0,
  secrets: [EXAMPLE_KEY],
};
