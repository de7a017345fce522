import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { decodeReference } from '../../parties/reference.ts';
import {
  changeEventTypes,
  enableWebhook,
  removeWebhook,
  replayEvents,
  requireWebhook,
  stopWebhook,
} from '../../payments/events/administer.ts';
import { WEBHOOK } from '../../payments/settings/vendors.ts';
import { openSecretsOf } from '../../parties/keys.ts';
import { listKeysOf } from '../../parties/store.ts';
import {
  EVENT_STATES,
  EVENT_TYPES,
  OPTIONAL_EVENT_TYPES,
} from '../../payments/events/event-types.ts';
import { sendTestEvent } from '../../payments/events/test-event.ts';
import type { EventState, EventType } from '../../payments/events/event-types.ts';
import { listEvents } from '../../payments/events/webhooks-store.ts';
import {
  command,
  periodEnd,
  periodStart,
  signerName,
  wholeNumber,
  wideOption,
} from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit.ts';
import { UsageError } from '../failure.ts';
import { record, table } from '../output.ts';
import { changeSetting, withSetter } from '../parties/setting.ts';
import type { SetterOptions } from '../parties/setting.ts';
import { addRotation, SECRET_ROTATION } from '../parties/rotate-secret.ts';
import { newKeyText } from '../parties/signer-keys.ts';
import { requireVendor } from '../parties/vendors.ts';
import { addWebhookList, eventsAnswer } from './webhook-view.ts';

const STAFF = { isStaff: true } as const;

interface Common {
  readonly json?: boolean;
}

export function addWebhookCommands(program: Command, cli: Cli): void {
  const webhook = program
    .command('webhook')
    .description('Webhooks: the URLs to which vendors’ events are sent.');
  addSet(webhook, cli);
  addTypes(webhook, cli);
  addWebhookList(webhook, cli);
  addTest(webhook, cli);
  addRotation(webhook, cli, SECRET_ROTATION);
  addEvents(webhook, cli);
  addReplay(webhook, cli);
  addEnable(webhook, cli);
  addDisable(webhook, cli);
  addRemove(webhook, cli);
}

/** Starts a command for one vendor's webhook. */
function about(webhook: Command, name: string, summary: string): Command {
  return command(webhook, name, summary).argument('<vid>', 'vendor ID', signerName);
}

interface SetOptions extends Common, SetterOptions {
  readonly allowPrivate?: boolean;
}

function addSet(webhook: Command, cli: Cli): void {
  const set = about(
    webhook,
    'set',
    'Set the URL to which the vendor’s events are sent, including waiting events. Prints the signing secret once if the vendor has none yet.',
  )
    .argument('<url>', 'https://host[:port][/path]')
    .option('--allow-private', 'allow plain http and private networks');
  withSetter(set).action(async (vid: string, url: string, options: SetOptions) => {
    await cli.run(options, async (session) => {
      const { pool } = session;
      const { vendorId } = await requireVendor(pool, vid);
      const allowsPrivate = options.allowPrivate === true;
      const holder = { holderKind: 'webhook', holder: vid } as const;
      const isNew = (await listKeysOf(pool, holder)).length === 0;
      const asked = {
        ...{ ...options, setting: WEBHOOK, key: { vendorId, vid } },
        ...{ change: { url, allowsPrivate }, action: 'webhook.set' },
      };
      // Only where it is set without a second person: a vendor's secret is not shown to one of several.
      return await changeSetting(cli, session, asked, async () => {
        const { masterKeys } = await session.sealing();
        const [secret] = isNew ? await openSecretsOf(pool, holder, masterKeys) : [];
        return {
          json: { vid, url, allows_private: allowsPrivate, secret: secret ?? null },
          text:
            secret === undefined
              ? `Events of ${vid} are sent to this URL from now on. The signing secret is unchanged.`
              : newKeyText('vendor', vid, secret),
        };
      });
    });
  });
}

interface TypesOptions extends Common {
  readonly on?: readonly EventType[];
  readonly off?: readonly EventType[];
}

function addTypes(webhook: Command, cli: Cli): void {
  about(
    webhook,
    'types',
    'Show or choose the types of events that are sent. By default all are. Events of a type that is off are kept for 30 days, and can be replayed after it is on again.',
  )
    .option('--on <types>', 'send these, separated by commas', eventTypes)
    .option('--off <types>', 'do not send these, separated by commas', eventTypes)
    .action(async (vid: string, { on = [], off = [], ...options }: TypesOptions) => {
      const both = on.filter((type) => off.includes(type));
      if (both.length > 0) throw new UsageError(`--on and --off both name ${both.join(', ')}.`);
      await cli.run(options, async ({ pool }) => {
        const vendor = await requireVendor(pool, vid);
        if (on.length + off.length > 0) await changeEventTypes(pool, vendor, { on, off }, STAFF);
        const webhookNow = await requireWebhook(pool, vendor);
        const types = OPTIONAL_EVENT_TYPES.map((type) => ({
          type,
          sent: !webhookNow.offTypes.includes(type),
        }));
        return {
          json: { vid, types },
          text: table(
            [{ title: 'TYPE' }, { title: 'SENT' }],
            types.map(({ type, sent }) => [type, sent ? 'yes' : 'no']),
            'no types',
          ),
        };
      });
    });
}

function eventTypes(text: string): readonly EventType[] {
  return text.split(',').map((name) => {
    const type = EVENT_TYPES.find((known) => known === name.trim());
    if (type !== undefined) return type;
    throw new InvalidArgumentError(`There are ${EVENT_TYPES.join(', ')}.`);
  });
}

const MAX_ANSWER_LENGTH = 500;

function addTest(webhook: Command, cli: Cli): void {
  about(
    webhook,
    'test',
    'Send one signed event of type webhook.test to the vendor’s URL and show the answer. Exits with 1 unless it is a 2xx.',
  ).action(async (vid: string, options: Common) => {
    await cli.run(options, async ({ pool, sealing }) => {
      const vendor = await requireVendor(pool, vid);
      const sent = await sendTestEvent(pool, vendor, (await sealing()).masterKeys);
      const answer = sent.answer?.toString('utf8').slice(0, MAX_ANSWER_LENGTH);
      return {
        json: {
          vid,
          url: sent.url,
          webhook_id: sent.webhookId,
          result: sent.kind,
          detail: sent.text,
          answer: answer ?? null,
          duration_ms: sent.durationMs,
          disabled: sent.disabled,
        },
        text: record([
          ['url', sent.url],
          ['webhook-id', sent.webhookId],
          ['result', `${sent.kind === 'delivered' ? 'delivered' : 'not delivered'}: ${sent.text}`],
          ['answer', answer ?? ''],
          ['took', `${sent.durationMs} ms`],
          ...(sent.disabled ? [['note', 'the webhook is disabled; events wait'] as const] : []),
        ]),
        exitCode: sent.kind === 'delivered' ? EXIT.done : EXIT.failed,
      };
    });
  });
}

const stateOption = (summary: string): Option =>
  new Option('--state <state>', summary).choices(EVENT_STATES);

interface EventsOptions extends Common {
  readonly state?: EventState;
  readonly limit?: number;
  readonly wide?: boolean;
}

function addEvents(webhook: Command, cli: Cli): void {
  about(webhook, 'events', 'The vendor’s events of the last 30 days, newest first.')
    .addOption(stateOption('only events in this state'))
    .option('--limit <count>', 'at most this many (default 20)', wholeNumber(1, 1000))
    .addOption(wideOption())
    .action(async (vid: string, options: EventsOptions) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const vendor = await requireVendor(pool, vid);
        const limit = options.limit ?? 20;
        const events = await listEvents(pool, vendor.vendorId, { state: options.state, limit });
        return eventsAnswer(events, vid, { wireTime, wide: options.wide });
      });
    });
}

interface ReplayOptions extends Common {
  readonly reference?: string;
  readonly since?: string;
  readonly until?: string;
  readonly state?: EventState;
}

function addReplay(webhook: Command, cli: Cli): void {
  about(
    webhook,
    'replay',
    'Send events again with the same ids. Choose them by at least one option.',
  )
    .option('--reference <reference>', 'ipay_reference of the payment')
    .option('--since <time>', 'events at or after this day or time')
    .option('--until <time>', 'events up to the end of this day, or before this time')
    .addOption(stateOption('only events in this state, such as given_up'))
    .action(async (vid: string, options: ReplayOptions) => {
      const { reference, since, until, state } = options;
      if ((reference ?? since ?? until ?? state) === undefined) {
        throw new UsageError(
          'At least one of --reference, --since, --until and --state is required.',
        );
      }
      await cli.run(options, async ({ pool, wireTime }) => {
        const vendor = await requireVendor(pool, vid);
        const location = reference === undefined ? undefined : decodeReference(reference);
        if (reference !== undefined && location?.vendorId !== vendor.vendorId) {
          throw new UsageError('--reference is not a payment of this vendor.');
        }
        const count = await replayEvents(pool, vendor, {
          paymentId: location?.paymentId,
          since: since === undefined ? undefined : periodStart(since, '--since', wireTime),
          until: until === undefined ? undefined : periodEnd(until, '--until', wireTime),
          state,
        });
        return { json: { vid, replayed: count }, text: `${count} events will be sent again.` };
      });
    });
}

function addEnable(webhook: Command, cli: Cli): void {
  about(webhook, 'enable', 'Enable a disabled webhook. Waiting events are sent at once.').action(
    async (vid: string, options: Common) => {
      await cli.run(options, async ({ pool }) => {
        const waiting = await enableWebhook(pool, await requireVendor(pool, vid), STAFF);
        const text = `The webhook of ${vid} is enabled. Waiting events: ${waiting}.`;
        return { json: { vid, enabled: true, waiting }, text };
      });
    },
  );
}

function addDisable(webhook: Command, cli: Cli): void {
  about(webhook, 'disable', 'Stop calling the webhook. New events are kept and wait.').action(
    async (vid: string, options: Common) => {
      await cli.run(options, async ({ pool }) => {
        const changed = await stopWebhook(pool, await requireVendor(pool, vid), STAFF);
        const text = `The webhook of ${vid} ${changed ? 'is disabled' : 'was already disabled'}.`;
        return { json: { vid, enabled: false, changed }, text };
      });
    },
  );
}

function addRemove(webhook: Command, cli: Cli): void {
  about(
    webhook,
    'remove',
    'Remove the webhook and its secrets. Waiting events are given up.',
  ).action(async (vid: string, options: Common) => {
    await cli.run(options, async ({ pool }) => {
      const givenUp = await removeWebhook(pool, await requireVendor(pool, vid), STAFF);
      const text = `The webhook of ${vid} is removed. Waiting events given up: ${givenUp}.`;
      return { json: { vid, removed: true, given_up: givenUp }, text };
    });
  });
}
