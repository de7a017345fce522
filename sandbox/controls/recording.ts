import { Type } from 'typebox';
import { disableWebhook } from '../../src/payments/events/store.ts';
import { putWebhook } from '../../src/payments/events/webhooks-store.ts';
import { findWebhook } from '../../src/payments/events/read-webhooks.ts';
import { databaseTransaction } from '../../src/platform/db/pool.ts';
import type { AnyResource } from '../../src/platform/http/resource.ts';
import { control } from './control.ts';
import type { ControlDeps } from './control.ts';

/** A reserved name that leads nowhere. */
const NOWHERE = 'https://nowhere.invalid/';

/**
 * Events are recorded for vendors with a webhook only. One without gets a webhook that is disabled from
 * the beginning, so that its events are recorded and nothing is sent. Returns whether that was needed.
 */
export async function recordEvents(
  { service: { pool } }: Pick<ControlDeps, 'service'>,
  vendorId: number,
): Promise<boolean> {
  return await databaseTransaction(pool, async (client) => {
    if ((await findWebhook(client, vendorId)) !== undefined) return false;
    await putWebhook(client, { vendorId, url: NOWHERE, allowsPrivate: false });
    await disableWebhook(client, vendorId, 'events are only recorded');
    return true;
  });
}

export function startRecording(deps: ControlDeps): AnyResource {
  return control(deps, {
    name: 'sandboxRecordEvents',
    method: 'POST',
    path: '/events/recording',
    response: Type.Object({ started: Type.Boolean() }),
    handle: async (_asked, { signer }) => ({ started: await recordEvents(deps, signer.vendorId) }),
  });
}
