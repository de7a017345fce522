import { Type } from 'typebox';
import type { Static } from 'typebox';
import { EVENT_STATES, EVENT_TYPES } from '../payments/events/event-types.ts';
import type { EventType } from '../payments/events/event-types.ts';
import { LIMITS } from '../platform/base/limits.ts';
import { PlainError } from '../platform/base/plain-error.ts';
import { action, view } from './definition.ts';
import type { AnyAction, Noun, Spelt } from './definition.ts';
import * as fields from './fields.ts';
import { inputOf, NOTHING, text } from './fields.ts';
import { BY_ID, list } from './lists.ts';
import type { PageOf } from './lists.ts';
import { keysOf, settingReason as reason } from './signer-schema.ts';
import { secretActions } from './vendor-keys.ts';
import type { Viewer } from './viewer.ts';
import {
  eventView,
  listedWebhook,
  testView,
  webhookSet,
  webhookView,
  webhookViewOf,
} from './webhook-view.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../parties/read-keys.ts')),
  ...(await import('../parties/reference.ts')),
  ...(await import('../payments/events/administer.ts')),
  ...(await import('../payments/events/test-event.ts')),
  ...(await import('../payments/events/read-events.ts')),
  ...(await import('../payments/events/read-webhooks.ts')),
  ...(await import('../platform/base/period.ts')),
  ...(await import('../parties/require-vendor.ts')),
  ...(await import('./webhook-core.ts')),
});

const vid = fields.vid({ argument: true });
const CHANGES = { permission: 'integration.act', ownVendor: true } as const;
const LOOKS = { permission: 'integration.read', ownVendor: true } as const;

/** The vendor's own people need not be told. */
const handOf = ({ vendor }: Viewer) => ({ isStaff: vendor === undefined });

const spelt = (option: string): Spelt => ({
  ...{ option, placeholder: 'types', form: `some of ${EVENT_TYPES.join(', ')}` },
  read: (given) => {
    const names = given.split(',').map((name) => name.trim());
    return names.every((name) => EVENT_TYPES.some((type) => type === name)) ? names : undefined;
  },
});
const typesIn = (option: string, description: string) =>
  Type.Optional(
    Type.Array(Type.Enum([...EVENT_TYPES]), {
      ...{ uniqueItems: true, description, spelt: [spelt(option)] },
    }),
  );

const state = Type.Optional(
  Type.Enum([...EVENT_STATES], { description: 'only events in this state, such as given_up' }),
);
const MAX_ANSWER_LENGTH = 500;
const FIVE_TESTS = {
  count: 5,
  seconds: 60,
  text: 'At most five test events may be sent in a minute. Wait a minute.',
};
const FIVE_SELECTIONS = {
  count: 5,
  seconds: 60,
  text: 'At most five selections of events may be sent again in a minute.',
};
const REPLAYS = {
  count: 30,
  seconds: 60,
  text: 'You have had events sent again 30 times within a minute, which is the limit.',
};
const replayed = Type.Object({
  vid: text({ title: 'Vendor' }),
  replayed: Type.Integer({ title: 'Events that are sent again' }),
});

export type Replayed = Static<typeof replayed>;

export type EventList = PageOf<'events', typeof eventView>;

export const WEBHOOKS: Noun = {
  command: 'webhook',
  summary: 'Webhooks: the URLs to which vendors’ events are sent.',
  definitions: [
    action(core, {
      ...CHANGES,
      name: 'webhook.set',
      summary:
        'Set the URL to which the vendor’s events are sent, including waiting events. Shows the signing secret once if the vendor has none yet.',
      route: 'POST /vendors/:vid/webhook',
      proposes: 'party_setting',
      actsAlone: true,
      input: inputOf({
        vid,
        url: Type.String({
          maxLength: 2_000,
          argument: true,
          description: 'https://host[:port][/path]',
        }),
        allows_private: Type.Boolean({
          default: false,
          option: 'allow-private',
          description: 'allow plain http and private networks',
        }),
        reason,
      }),
      output: webhookSet,
      handle: async ({ core: { requireVendor, setUrl }, ...asked }) =>
        await setUrl(asked, await requireVendor(asked.deps.pool, asked.input.vid)),
    }),
    action(core, {
      ...CHANGES,
      name: 'webhook.types',
      summary:
        'Choose the types of events that are sent. By default all are. Events of a type that is off are kept for 30 days, and can be replayed after it is on again.',
      route: 'POST /vendors/:vid/webhook/types',
      actsAlone: 'always',
      needsOne: ['on', 'off'],
      input: inputOf({
        vid,
        on: typesIn('on', 'send these, separated by commas'),
        off: typesIn('off', 'do not send these, separated by commas'),
        reason,
      }),
      output: webhookView,
      handle: async ({ core: loaded, input, deps: { pool }, viewer }) => {
        const on: readonly EventType[] = input.on ?? [];
        const off: readonly EventType[] = input.off ?? [];
        const both = on.filter((type) => off.includes(type));
        if (both.length > 0) {
          throw new PlainError(`on and off both name ${both.join(', ')}.`, { field: 'off' });
        }
        const vendor = await loaded.requireVendor(pool, input.vid);
        const before = await loaded.oneWebhook(pool, vendor);
        await loaded.changeEventTypes(pool, vendor, { on, off }, handOf(viewer));
        const result = await loaded.oneWebhook(pool, vendor);
        const audit = { before: { off: before.off_types }, after: { off: result.off_types } };
        return { result, audit };
      },
    }),
    view(core, {
      name: 'webhook.list',
      summary: 'All webhooks with their state and the number of waiting events.',
      route: 'GET /webhooks',
      permission: 'integration.read',
      input: NOTHING,
      output: Type.Object({ webhooks: Type.Array(listedWebhook) }),
      rows: 'webhooks',
      empty: 'no webhooks',
      handle: async ({ core: { listKeys, listWebhooks }, deps: { pool } }) => {
        const keys = await listKeys(pool, ['webhook']);
        const rows = await listWebhooks(pool);
        return {
          webhooks: rows.map((row) => ({
            ...webhookViewOf(row, keysOf(keys, row.vid)),
            oldest_waiting_at: row.oldestWaitingAt?.toISOString() ?? null,
          })),
        };
      },
    }),
    view(core, {
      ...LOOKS,
      name: 'webhook.show',
      summary: 'A vendor’s webhook, its secrets, and whether events arrive.',
      route: 'GET /vendors/:vid/webhook',
      input: inputOf({ vid }),
      output: webhookView,
      handle: async ({ core: { oneWebhook, requireVendor }, input, deps: { pool } }) =>
        await oneWebhook(pool, await requireVendor(pool, input.vid)),
    }),
    action(core, {
      ...CHANGES,
      name: 'webhook.test',
      summary:
        'Send one signed event of type webhook.test to the vendor’s URL and show the answer. It fails unless that is a 2xx.',
      route: 'POST /vendors/:vid/webhook/test',
      actsAlone: 'always',
      // Each calls somebody else's server.
      limit: { perTarget: FIVE_TESTS, perPerson: FIVE_TESTS },
      input: inputOf({ vid, reason }),
      output: testView,
      failed: ({ result }) => result !== 'delivered',
      handle: async ({ core: { requireVendor, sendTestEvent }, input, deps }) => {
        const vendor = await requireVendor(deps.pool, input.vid);
        const sent = await sendTestEvent(deps.pool, vendor, await deps.masterKeys());
        const { url, webhookId, kind: outcome, text: detail, durationMs, disabled } = sent;
        const made = { vid: vendor.vid, url, webhookId, result: outcome, detail, durationMs };
        const answer = sent.answer?.toString('utf8').slice(0, MAX_ANSWER_LENGTH) ?? null;
        const result = { ...wireOf(made), answer, disabled };
        return { result, audit: { after: { url: sent.url, result: sent.text } } };
      },
    }),
    ...secretActions({
      ...{ of: 'webhook', noun: 'webhook', what: 'secret', path: '/vendors/:vid/webhook/secrets' },
      rotates:
        'Create a new signing secret. It is shown once, after another person approved it: then repeat this.',
      overlap: 'how long events are also signed with the former secret',
      retires: 'End a former signing secret before its time.',
    }),
    list(core, BY_ID, {
      ...LOOKS,
      name: 'webhook.events',
      summary: 'The vendor’s events of the last 30 days, newest first.',
      route: 'GET /vendors/:vid/events',
      isLong: 'for vendors',
      input: {
        ...{ vid, state },
        type: Type.Optional(Type.Enum([...EVENT_TYPES], { description: 'only of this type' })),
      },
      page: 20,
      rows: 'events',
      row: eventView,
      empty: 'no events',
      read: async ({ core: loaded, input, deps: { pool } }, { after: beforeId, limit }) => {
        const { vendorId } = await loaded.requireVendor(pool, input.vid);
        const { state: wanted, type } = input;
        return await loaded.listEvents(pool, vendorId, { state: wanted, type, beforeId, limit });
      },
      placeOf: ({ eventId }) => eventId,
      show: (shown, { core: { eventViewOf }, input, deps: { wireTime } }) =>
        shown.map((each) => eventViewOf(each, input.vid, wireTime)),
    }),
    action(core, {
      ...CHANGES,
      name: 'webhook.replay',
      summary: 'Send events again with the same ids. Choose them by at least one option.',
      route: 'POST /vendors/:vid/events/replay',
      actsAlone: 'always',
      // Each may concern all events of a month.
      limit: { perTarget: FIVE_SELECTIONS, perPerson: REPLAYS },
      needsOne: ['reference', 'from', 'to', 'state'],
      input: inputOf({
        vid,
        reference: Type.Optional(
          Type.String({ maxLength: 64, description: 'ipay_reference of the payment' }),
        ),
        from: Type.Optional(
          fields.moment({ option: 'since', description: 'events at or after this day or time' }),
        ),
        to: Type.Optional(
          fields.moment({
            option: 'until',
            description: 'events up to the end of this day, or before this time',
          }),
        ),
        state,
        reason,
      }),
      output: replayed,
      handle: async ({ core: loaded, input, deps, turns }) => {
        const { reference, state: wanted, from, to } = input;
        const vendor = await loaded.requireVendor(deps.pool, input.vid);
        const place = reference === undefined ? undefined : loaded.decodeReference(reference);
        if (reference !== undefined && place?.vendorId !== vendor.vendorId) {
          const problem = 'reference is not a payment of this vendor.';
          throw new PlainError(problem, { field: 'reference' });
        }
        const selection = {
          paymentId: place?.paymentId,
          state: wanted,
          since: loaded.readStart(from, 'from', deps.wireTime),
          until: loaded.readEnd(to, 'to', deps.wireTime),
        };
        const isServed = deps.longReads !== undefined;
        const most = isServed ? LIMITS.replayedEvents : Number.POSITIVE_INFINITY;
        const count = await loaded.replayEvents(deps.pool, vendor, selection, { ...turns, most });
        const after = { count, state: wanted, from, to };
        return { result: { vid: vendor.vid, replayed: count }, audit: { after } };
      },
    }),
    action(core, {
      ...CHANGES,
      name: 'webhook.replay-event',
      summary: 'Send one event again with the same id.',
      route: 'POST /vendors/:vid/events/:event_id/replay',
      actsAlone: 'always',
      limit: { perPerson: REPLAYS },
      input: inputOf({ vid, event_id: fields.idOf('event'), reason }),
      output: replayed,
      handle: async ({ core: loaded, input, deps: { pool } }) => {
        const vendor = await loaded.requireVendor(pool, input.vid);
        const chosen = { paymentId: undefined, since: undefined, until: undefined };
        const selection = { ...chosen, state: undefined, eventId: input.event_id };
        const count = await loaded.replayEvents(pool, vendor, selection);
        if (count === 0) {
          throw new PlainError('There is no such event any more, or its type is switched off.');
        }
        return { result: { vid: vendor.vid, replayed: count }, audit: { after: { count } } };
      },
    }),
    switchAction('enable', 'Enable a disabled webhook. Waiting events are sent at once.'),
    switchAction('disable', 'Stop calling the webhook. New events are kept and wait.'),
    action(core, {
      ...CHANGES,
      name: 'webhook.remove',
      summary: 'Remove the webhook and its secrets. Waiting events are given up.',
      route: 'POST /vendors/:vid/webhook/remove',
      actsAlone: 'always',
      input: inputOf({ vid, reason }),
      output: Type.Object({
        vid: text({ title: 'Vendor' }),
        given_up: Type.Integer({ title: 'Waiting events given up' }),
      }),
      handle: async ({ core: loaded, input, deps: { pool }, viewer }) => {
        const vendor = await loaded.requireVendor(pool, input.vid);
        const { url } = await loaded.oneWebhook(pool, vendor);
        const givenUp = await loaded.removeWebhook(pool, vendor, handOf(viewer));
        const audit = { before: { url }, after: { givenUp } };
        return { result: { vid: vendor.vid, given_up: givenUp }, audit };
      },
    }),
  ],
};

function switchAction(verb: 'enable' | 'disable', summary: string): AnyAction {
  return action(core, {
    ...CHANGES,
    name: `webhook.${verb}`,
    summary,
    route: `POST /vendors/:vid/webhook/${verb}`,
    actsAlone: 'always',
    input: inputOf({ vid, reason }),
    output: webhookView,
    handle: async ({ core: loaded, input, deps: { pool }, viewer }) => {
      const vendor = await loaded.requireVendor(pool, input.vid);
      const { status: before } = await loaded.oneWebhook(pool, vendor);
      const change = verb === 'enable' ? loaded.enableWebhook : loaded.stopWebhook;
      await change(pool, vendor, handOf(viewer));
      const result = await loaded.oneWebhook(pool, vendor);
      const { status } = result;
      return { result, audit: { before: { status: before }, after: { status } } };
    },
  });
}
