import type { Command } from 'commander';
import type { WireTime } from '../../platform/base/clock.ts';
import { encodeReference } from '../../parties/reference.ts';
import { webhookIdOf } from '../../payments/events/event.ts';
import { listWebhooks } from '../../payments/events/webhooks-store.ts';
import type { ListedEvent, WebhookRow } from '../../payments/events/webhooks-store.ts';
import { listKeys } from '../../parties/store.ts';
import { command } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { table } from '../output.ts';
import type { Answer } from '../output.ts';
import { keysOf, keysText } from '../parties/signer-keys.ts';

/** `webhook list`. */
export function addWebhookList(webhook: Command, cli: Cli): void {
  command(
    webhook,
    'list',
    'All webhooks with their state and the number of waiting events.',
  ).action(async (options: { json?: boolean }) => {
    await cli.run(options, async ({ pool, wireTime }) => {
      const keys = await listKeys(pool, ['webhook']);
      const rows = await listWebhooks(pool);
      const time = (at: Date | null): string => (at === null ? '' : wireTime.format(at));
      return {
        json: {
          webhooks: rows.map((row) => ({ ...webhookJson(row), secrets: keysOf(keys, row.vid) })),
        },
        text: table(
          [
            { title: 'VID' },
            { title: 'URL' },
            { title: 'STATUS' },
            { title: 'FAILURES', align: 'right' },
            { title: 'FAILING SINCE' },
            { title: 'WAITING', align: 'right' },
            { title: 'OLDEST' },
            { title: 'OFF TYPES' },
            { title: 'SECRETS' },
          ],
          rows.map((row) => [
            row.vid,
            row.url,
            row.disabledReason === null ? 'active' : `disabled: ${row.disabledReason}`,
            String(row.failureCount),
            time(row.failingSince),
            String(row.waiting),
            time(row.oldestWaitingAt),
            row.offTypes.join(', '),
            keysText(keysOf(keys, row.vid), (at) => wireTime.format(at)),
          ]),
          'no webhooks',
        ),
      };
    });
  });
}

function webhookJson(row: WebhookRow) {
  return {
    vid: row.vid,
    url: row.url,
    allows_private: row.allowsPrivate,
    status: row.disabledAt === null ? 'active' : 'disabled',
    disabled_at: row.disabledAt?.toISOString() ?? null,
    disabled_reason: row.disabledReason,
    off_types: row.offTypes,
    failures: row.failureCount,
    failing_since: row.failingSince?.toISOString() ?? null,
    waiting: row.waiting,
    oldest_waiting_at: row.oldestWaitingAt?.toISOString() ?? null,
  };
}

/** The results of events. */
export function eventsAnswer(
  events: readonly ListedEvent[],
  vid: string,
  options: { readonly wireTime: WireTime; readonly wide: boolean | undefined },
): Answer {
  const { wireTime, wide } = options;
  const rows = events.map((row) => ({
    webhook_id: webhookIdOf(row),
    type: row.type,
    ipay_reference: encodeReference(row.vendorId, row.paymentId),
    occurred_at: row.occurredAt.toISOString(),
    state: row.state,
    attempts: row.attemptCount,
    last_result: row.lastResult,
    due_at: row.dueAt?.toISOString() ?? null,
    ended_at: row.endedAt?.toISOString() ?? null,
  }));
  return {
    json: { vid, events: rows },
    text: table(
      [
        { title: 'WEBHOOK ID', wide: true },
        { title: 'TYPE' },
        { title: 'IPAY REFERENCE' },
        { title: 'HAPPENED' },
        { title: 'STATE' },
        { title: 'ATTEMPTS', align: 'right' },
        { title: 'LAST RESULT' },
      ],
      rows.map((row) => [
        row.webhook_id,
        wide === true ? row.type : row.type.replace('transaction.', ''),
        row.ipay_reference,
        wireTime.format(new Date(row.occurred_at)),
        row.state,
        String(row.attempts),
        row.last_result ?? '',
      ]),
      'no events',
      wide,
    ),
  };
}
