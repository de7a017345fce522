import { newId } from '../../platform/base/ids.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { MasterKeys } from '../../platform/base/sealing.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { openSecretsOf } from '../../parties/keys.ts';
import type { VendorRow } from '../../parties/read-vendors.ts';
import { WEBHOOK_POLICY } from './webhook-policy.ts';
import { createDeliverer } from './deliver.ts';
import type { DeliveryResult } from './deliver.ts';
import { testEventBody, webhookIdOf } from './event.ts';
import { findWebhook } from './read-webhooks.ts';

export interface TestDelivery extends DeliveryResult {
  readonly url: string;
  readonly disabled: boolean;
  readonly webhookId: string;
  readonly durationMs: number;
}

/**
 * Sends a signed event of type `webhook.test` to the vendor's webhook, once, and returns the
 * response. Nothing is recorded, and a failure does not count against the webhook.
 * Throws: `PlainError` if the vendor has no webhook or no secret.
 */
export async function sendTestEvent(
  pool: Pool,
  vendor: Pick<VendorRow, 'vendorId' | 'vid'>,
  masterKeys: MasterKeys,
): Promise<TestDelivery> {
  const webhook = await findWebhook(pool, vendor.vendorId);
  const holder = { holderKind: 'webhook', holder: vendor.vid } as const;
  const secrets = await openSecretsOf(pool, holder, masterKeys);
  if (webhook === undefined || secrets.length === 0) {
    throw new PlainError(
      `Vendor ${vendor.vid} has no webhook. Set one: webhook set ${vendor.vid} URL`,
    );
  }
  const webhookId = webhookIdOf({ eventId: newId() });
  const deliverer = createDeliverer(WEBHOOK_POLICY);
  const startedMs = performance.now();
  try {
    const result = await deliverer.deliver(
      {
        vid: vendor.vid,
        url: webhook.url,
        allowsPrivate: webhook.allowsPrivate,
        webhookId,
        body: testEventBody(vendor.vid, new Date()),
        secrets,
      },
      new AbortController().signal,
    );
    return {
      ...result,
      url: webhook.url,
      disabled: webhook.disabledAt !== null,
      webhookId,
      durationMs: Math.round(performance.now() - startedMs),
    };
  } finally {
    await deliverer.close();
  }
}
