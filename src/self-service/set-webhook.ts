import { Type } from 'typebox';
import { strict } from '../platform/base/json-fields.ts';
import { setEventTypes, setWebhook as put } from '../payments/events/administer.ts';
import { OPTIONAL_EVENT_TYPES } from '../payments/events/event-types.ts';
import { findWebhook } from '../payments/events/read-webhooks.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { nullable } from '../platform/http/schemas.ts';
import { act, perMinute } from './action.ts';
import { resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';
import { EXAMPLE_WEBHOOK, readWebhook, webhookFields } from './webhook-view.ts';

const LIMIT = perMinute(10, 'changes of the webhook');

const body = strict({
  url: Type.String({
    minLength: 1,
    maxLength: 2_000,
    description: 'It must be public and use https.',
    examples: [EXAMPLE_WEBHOOK.url],
  }),
  types: Type.Optional(
    Type.Array(Type.Enum([...OPTIONAL_EVENT_TYPES]), {
      minItems: 1,
      uniqueItems: true,
      description: 'The types of events that are sent. Default: unchanged; all for a new webhook.',
    }),
  ),
});

export function setWebhook(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: 'setWebhook',
    method: 'PUT',
    path: '/webhook',
    summary: 'Set the webhook',
    description:
      'Sets where your events are sent, new and waiting ones, and enables the webhook. Repeating the request changes nothing. The first time, the answer has the `secret` that events are signed with; if you have lost it, rotate it.',
    body,
    response: Type.Object({
      ...webhookFields,
      secret: nullable(
        Type.String({
          description: 'The first secret, shown only once; null: the webhook had one already.',
        }),
      ),
    }),
    refusals: {},
    example: {
      body: { url: EXAMPLE_WEBHOOK.url },
      answer: { ...EXAMPLE_WEBHOOK, secret: null },
    },
    handle: async (asked, context) =>
      await act(deps, context, { action: 'webhook.set', limit: LIMIT }, async () => {
        const { pool, masterKeys } = deps;
        const { url, types } = asked.body;
        const vendor = context.signer;
        const before = await findWebhook(pool, vendor.vendorId);
        // Only staff may allow a private address; it holds for that address alone.
        const allowsPrivate = before?.allowsPrivate === true && before.url === URL.parse(url)?.href;
        const sealing = async () => ({ masterKeys, certain: true });
        const secret = await put(pool, vendor, { url, allowsPrivate, sealing });
        if (types !== undefined) await setEventTypes(pool, vendor, types, { isStaff: false });
        const answer = { ...(await readWebhook(pool, vendor)), secret: secret ?? null };
        return {
          answer,
          change: {
            before: before && { url: before.url, off: before.offTypes },
            after: { url: answer.url, off: answer.off_types },
          },
        };
      }),
  });
}
