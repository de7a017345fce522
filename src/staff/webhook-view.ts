import { Type } from 'typebox';
import type { Static } from 'typebox';
import { EVENT_STATES, EVENT_TYPES } from '../payments/events/event-types.ts';
import type { WebhookRow } from '../payments/events/read-webhooks.ts';
import * as fields from './fields.ts';
import { orNull, text, textOrNull, titled } from './fields.ts';
import { proposedInstead } from './proposal-schema.ts';
import { keysColumn } from './signer-schema.ts';
import type { KeyView } from './signer-schema.ts';
import { fit, wireOf } from './wire.ts';

const types = (title: string) =>
  Type.Array(Type.Enum([...EVENT_TYPES]), {
    title,
    text: (names: readonly string[]) => names.join(', '),
  });

interface Row {
  readonly disabled_reason: string | null;
}

/** Where a vendor’s events go, and whether they arrive. */
export const webhookRow = {
  vid: text({ title: 'VID' }),
  /** Null for a vendor without a webhook. */
  url: textOrNull({ title: 'URL', nullText: 'none' }),
  /** It may be plain http, and in a private network; staff decide that. */
  allows_private: Type.Boolean(),
  status: orNull(Type.Enum(['active', 'disabled']), {
    title: 'Status',
    text: (status: string | null, { disabled_reason: why }: Row) =>
      why === null ? (status ?? '') : `disabled: ${why}`,
  }),
  disabled_at: fields.timeOrNull(),
  disabled_reason: textOrNull(),
  /** Failures in a row. */
  ...titled({ failures: fields.count, failing_since: fields.timeOrNull }),
  /** Events that wait for their delivery. */
  waiting: Type.Integer({ title: 'Waiting', unit: 'count' }),
};
const lastColumns = { off_types: types('Off types'), secrets: keysColumn('Secrets') };

export const listedWebhook = Type.Object({
  ...webhookRow,
  oldest_waiting_at: fields.timeOrNull({ title: 'Oldest' }),
  ...lastColumns,
});

export const webhookView = Type.Object({ ...webhookRow, ...lastColumns });
export type WebhookView = Static<typeof webhookView>;

type Known = Omit<WebhookRow, 'vendorId' | 'oldestWaitingAt'>;

export const webhookViewOf = (
  { failureCount: failures, ...row }: Known,
  secrets: KeyView[],
): WebhookView =>
  fit(webhookView, {
    ...{ ...wireOf(row), failures, secrets },
    status: row.disabledAt === null ? 'active' : 'disabled',
  });

/** What it is after a change that another person may have to approve. */
export const webhookSet = Type.Object({
  ...webhookView.properties,
  /** The first one; null: the webhook had one already, or it waits. */
  secret: textOrNull({ title: 'Key', secret: true, nullText: 'unchanged' }),
  ...proposedInstead,
});
export type WebhookSet = Static<typeof webhookSet>;

export const testView = Type.Object({
  vid: text(),
  url: text({ title: 'URL' }),
  webhook_id: text({ title: 'Webhook-ID' }),
  result: text({
    title: 'Result',
    text: (result: string, { detail }: { readonly detail: string }) =>
      `${result === 'delivered' ? 'delivered' : 'not delivered'}: ${detail}`,
  }),
  /** Such as `HTTP 200`. */
  detail: text(),
  /** The beginning of what the receiver answered; null: nothing. */
  answer: textOrNull({ title: 'Answer' }),
  duration_ms: Type.Number({ title: 'Took', text: (ms: number) => `${ms} ms` }),
  disabled: Type.Boolean({
    title: 'Note',
    text: (isOff: boolean) => (isOff ? 'the webhook is disabled; events wait' : ''),
  }),
});
export type TestView = Static<typeof testView>;

export const eventView = Type.Object({
  event_id: text(),
  webhook_id: text({ title: 'Webhook ID', wide: true }),
  type: Type.Enum([...EVENT_TYPES], { title: 'Type' }),
  /** Null: it is not about a payment. */
  reference: textOrNull({ title: 'iPay reference' }),
  occurred_at: fields.time({ title: 'Happened' }),
  state: Type.Enum([...EVENT_STATES], { title: 'State' }),
  ...titled({ attempts: fields.count, last_result: textOrNull }),
  /** When it is tried next; null: it is not. */
  due_at: fields.timeOrNull(),
  ended_at: fields.timeOrNull(),
  /** JSON, as it is sent. */
  body: text(),
});
export type EventView = Static<typeof eventView>;
