import { Type } from 'typebox';
import { retireKey } from '../../parties/administer.ts';
import { listKeysOf } from '../../parties/store.ts';
import type { VendorRow } from '../../parties/store.ts';
import {
  enableWebhook,
  removeWebhook,
  rotateSecret,
  setEventTypes,
  setWebhook,
  stopWebhook,
} from '../../payments/events/administer.ts';
import { OPTIONAL_EVENT_TYPES } from '../../payments/events/event-types.ts';
import { tellOfStaff } from '../../payments/events/tell-vendor.ts';
import { sendTestEvent } from '../../payments/events/test-event.ts';
import { countWaiting, findWebhook } from '../../payments/events/webhooks-store.ts';
import { proposeSetting } from '../../payments/settings/propose.ts';
import { WEBHOOK } from '../../payments/settings/vendors.ts';
import { openSecretsOf } from '../../parties/keys.ts';
import type { Actor } from '../../proposals/kind.ts';
import type { ProposalRow } from '../../proposals/store.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { Audited, route } from '../route.ts';
import type { AnyRoute, Viewer } from '../route.ts';
import type { NewSecret, TestAnswer, WebhookAnswer, WebhookSet } from '../vendor-answers.ts';
import { actorOf, auditedOf } from './proposal-decisions.ts';
import { onlyReason, reason } from './reason.ts';
import { keyView, newSecretByStaff, rotation } from './vendor-keys.ts';
import type { VendorKeyRoutesOptions } from './vendor-keys.ts';
import { requireVendor, vendorParams as params } from './vendor.ts';

export type WebhookRoutesOptions = VendorKeyRoutesOptions;

/** A vendor's webhook: its URL, its secrets, and a test delivery. */
export function webhookRoutes(options: WebhookRoutesOptions): AnyRoute[] {
  const { pool } = options;
  return [
    route({
      method: 'GET',
      path: '/vendors/:vid/webhook',
      permission: 'integration.read',
      params,
      handle: async (input) => await answerOf(pool, await requireVendor(pool, input.params.vid)),
    }),
    setRoute(options),
    typesRoute(options),
    switchRoute(options, 'enable'),
    switchRoute(options, 'disable'),
    removeRoute(options),
    testRoute(options),
    secretRoute(options),
    retireRoute(options),
  ];
}

async function answerOf(pool: Pool, { vendorId, vid }: VendorRow): Promise<WebhookAnswer> {
  const found = await findWebhook(pool, vendorId);
  const secrets = await listKeysOf(pool, { holderKind: 'webhook', holder: vid });
  return {
    webhook:
      found === undefined
        ? null
        : {
            url: found.url,
            allowsPrivate: found.allowsPrivate,
            disabledAt: found.disabledAt?.toISOString() ?? null,
            disabledReason: found.disabledReason,
            failures: found.failureCount,
            failingSince: found.failingSince?.toISOString() ?? null,
            offTypes: found.offTypes,
          },
    waiting: await countWaiting(pool, vendorId),
    secrets: secrets.map(keyView),
  };
}

function setRoute(options: WebhookRoutesOptions): AnyRoute {
  const { pool, masterKeys } = options;
  const sealing = async () => ({ masterKeys, certain: true });
  return route({
    method: 'PUT',
    path: '/vendors/:vid/webhook',
    permission: 'integration.act',
    action: 'webhook.set',
    params,
    body: Type.Object(
      {
        url: Type.String({ maxLength: 2_000 }),
        /** Staff alone: a vendor's person could otherwise have our own network called. */
        allowsPrivate: Type.Optional(Type.Boolean()),
        reason,
      },
      { additionalProperties: false },
    ),
    handle: async (input, { viewer }) => {
      const vendor = await requireVendor(pool, input.params.vid);
      const { url, allowsPrivate = false, reason: note } = input.body;
      if (allowsPrivate && viewer.vendor !== undefined) throw new Refusal('not_permitted');
      const before = await findWebhook(pool, vendor.vendorId);
      const change = { url, allowsPrivate };
      const { secret, row } =
        viewer.vendor === undefined
          ? await setByStaff(options, vendor, { change, by: actorOf(viewer), note })
          : { secret: await setWebhook(pool, vendor, { ...change, sealing }), row: undefined };
      const proposal = row?.decision === null ? row.proposalId : null;
      const shown = { secret: secret ?? null, proposal };
      const answer: WebhookSet = { ...(await answerOf(pool, vendor)), ...shown };
      if (row?.decision === null) return auditedOf(row, answer);
      return new Audited(answer, {
        before: before && { url: before.url, allowsPrivate: before.allowsPrivate },
        after: { url: answer.webhook?.url, allowsPrivate },
      });
    },
  });
}

/** The vendor's own people act at once; of staff, another person approves it. The secret is shown only without one. */
async function setByStaff(
  options: WebhookRoutesOptions,
  { vendorId, vid }: VendorRow,
  asked: {
    readonly change: { readonly url: string; readonly allowsPrivate: boolean };
    readonly by: Actor;
    readonly note: string;
  },
): Promise<{ readonly secret: string | undefined; readonly row: ProposalRow }> {
  const { pool, masterKeys } = options;
  const holder = { holderKind: 'webhook', holder: vid } as const;
  const isFirst = (await listKeysOf(pool, holder)).length === 0;
  const about = { setting: WEBHOOK, key: { vendorId, vid } };
  const { row } = await proposeSetting(options, { ...about, ...asked });
  const isShown = isFirst && row.decision !== null;
  const [secret] = isShown ? await openSecretsOf(pool, holder, masterKeys) : [];
  return { secret, row };
}

function typesRoute({ pool }: WebhookRoutesOptions): AnyRoute {
  return route({
    method: 'PUT',
    path: '/vendors/:vid/webhook/types',
    permission: 'integration.act',
    action: 'webhook.types',
    params,
    body: Type.Object(
      {
        /** Those that are sent. */
        types: Type.Array(Type.Enum([...OPTIONAL_EVENT_TYPES]), { uniqueItems: true }),
        reason,
      },
      { additionalProperties: false },
    ),
    handle: async (input, { viewer }) => {
      const vendor = await requireVendor(pool, input.params.vid);
      const before = await findWebhook(pool, vendor.vendorId);
      await setEventTypes(pool, vendor, input.body.types, handOf(viewer));
      const answer = await answerOf(pool, vendor);
      return new Audited(answer, {
        before: { off: before?.offTypes },
        after: { off: answer.webhook?.offTypes },
      });
    },
  });
}

function switchRoute({ pool }: WebhookRoutesOptions, verb: 'enable' | 'disable'): AnyRoute {
  return route({
    method: 'POST',
    path: `/vendors/:vid/webhook/${verb}`,
    permission: 'integration.act',
    action: `webhook.${verb}`,
    params,
    body: onlyReason,
    handle: async (input, { viewer }) => {
      const vendor = await requireVendor(pool, input.params.vid);
      const change = verb === 'enable' ? enableWebhook : stopWebhook;
      await change(pool, vendor, handOf(viewer));
      return await answerOf(pool, vendor);
    },
  });
}

function removeRoute({ pool }: WebhookRoutesOptions): AnyRoute {
  return route({
    method: 'DELETE',
    path: '/vendors/:vid/webhook',
    permission: 'integration.act',
    action: 'webhook.remove',
    params,
    body: onlyReason,
    handle: async (input, { viewer }) => {
      const vendor = await requireVendor(pool, input.params.vid);
      const before = await findWebhook(pool, vendor.vendorId);
      const givenUp = await removeWebhook(pool, vendor, handOf(viewer));
      const answer = await answerOf(pool, vendor);
      return new Audited(answer, { before: { url: before?.url }, after: { givenUp } });
    },
  });
}

/** The vendor's own people need not be told. */
const handOf = ({ vendor }: Viewer) => ({ isStaff: vendor === undefined });

const MAX_ANSWER_LENGTH = 500;
const FIVE_A_MINUTE = {
  count: 5,
  seconds: 60,
  text: 'At most five test events may be sent in a minute. Wait a minute.',
};
/** Each calls somebody else's server. */
const TEST_LIMIT = { perTarget: FIVE_A_MINUTE, perPerson: FIVE_A_MINUTE };

function testRoute({ pool, masterKeys }: WebhookRoutesOptions): AnyRoute {
  return route({
    method: 'POST',
    path: '/vendors/:vid/webhook/test',
    permission: 'integration.act',
    action: 'webhook.test',
    limit: TEST_LIMIT,
    params,
    handle: async (input) => {
      const vendor = await requireVendor(pool, input.params.vid);
      const sent = await sendTestEvent(pool, vendor, masterKeys);
      const { url, webhookId, text: result, durationMs } = sent;
      const answer: TestAnswer = {
        delivered: sent.kind === 'delivered',
        webhookId,
        url,
        result,
        answer: sent.answer?.toString('utf8').slice(0, MAX_ANSWER_LENGTH) ?? null,
        durationMs,
      };
      return new Audited(answer, { after: { url, result } });
    },
  });
}

function secretRoute(options: WebhookRoutesOptions): AnyRoute {
  const { pool, masterKeys } = options;
  return route({
    method: 'POST',
    path: '/vendors/:vid/webhook/secrets',
    permission: 'integration.act',
    action: 'webhook.rotate-secret',
    params,
    body: rotation,
    handle: async (input, { viewer }) => {
      const vendor = await requireVendor(pool, input.params.vid);
      const { overlapSeconds } = input.body;
      if (viewer.vendor === undefined) {
        return await newSecretByStaff(options, viewer, { ...input.body, vendor, of: 'webhook' });
      }
      const sealing = { masterKeys, certain: true };
      const secret = await rotateSecret(pool, vendor, { sealing, overlapSeconds });
      const answer: NewSecret = { secret, overlapSeconds, proposal: null };
      return new Audited(answer, { after: { overlapSeconds } });
    },
  });
}

function retireRoute({ pool }: WebhookRoutesOptions): AnyRoute {
  return route({
    method: 'POST',
    path: '/vendors/:vid/webhook/secrets/:keyId/retire',
    permission: 'integration.act',
    action: 'webhook.retire-secret',
    params: Type.Object({ ...params.properties, keyId: Type.String({ maxLength: 36 }) }),
    body: onlyReason,
    handle: async ({ params: { vid: named, keyId } }, { viewer }) => {
      const { vid, vendorId } = await requireVendor(pool, named);
      const tell = tellOfStaff(viewer, vendorId, 'webhook_secret_ended');
      await retireKey(pool, { holderKind: 'webhook', holder: vid }, keyId, tell);
    },
  });
}
