import type { Command } from 'commander';
import type { WireTime } from '../../platform/base/clock.ts';
import { encodeReference } from '../../platform/base/ids.ts';
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
            { title: 'SECRETS' },
          ],
          rows.map((row) => [
            row.vid,
            row.url,
            row.disabled_reason === null ? 'active' : `disabled: ${row.disabled_reason}`,
            String(row.failure_count),
            time(row.failing_since),
            String(row.waiting),
            time(row.oldest_waiting_at),
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
    allows_private: row.allows_private,
    status: row.disabled_at === null ? 'active' : 'disabled',
    disabled_at: row.disabled_at?.toISOString() ?? null,
    disabled_reason: row.disabled_reason,
    failures: row.failure_count,
    failing_since: row.failing_since?.toISOString() ?? null,
    waiting: row.waiting,
    oldest_waiting_at: row.oldest_waiting_at?.toISOString() ?? null,
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
    ipay_reference: encodeReference(row.vendor_id, row.payment_id),
    occurred_at: row.occurred_at.toISOString(),
    state: row.state,
    attempts: row.attempt_count,
    last_result: row.last_result,
    due_at: row.due_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
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
