import { Type } from 'typebox';
import { SOURCE_KINDS } from '../connectors/source.ts';
import { action, view } from './definition.ts';
import type { Noun } from './definition.ts';
import * as fields from './fields.ts';
import { inputOf, NOTHING, orNull, text, textOrNull, titled, vid } from './fields.ts';
import { BY_TEXT, list } from './lists.ts';
import { ASKS_PROVIDERS } from './limits.ts';
import { setting } from './proposing.ts';
import { settings, settingsOf } from './settings-input.ts';
import { STATUSES } from './signer-schema.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../payments/receipts/administer.ts')),
  ...(await import('../payments/receipts/ask-source.ts')),
  ...(await import('../payments/settings/fields.ts')),
  ...(await import('../payments/settings/money-in.ts')),
  ...(await import('../payments/settings/sealed.ts')),
});

const SETS = { permission: 'finance.act', proposes: 'money_in_setting' } as const;

const sourceView = Type.Object({
  source: text({ title: 'Code' }),
  ...titled({ name: text, kind: text, collector: text, bank: text }),
  status: Type.Enum([...STATUSES], { title: 'Status' }),
  pulled_until: fields.timeOrNull({ title: 'Pulled until' }),
  settings: Type.Record(Type.String(), Type.Unknown()),
});

const source = fields.code({ description: 'code of the source' });

export const RECEIPT_SOURCES: Noun = {
  command: 'receipts source',
  summary: 'Where receipts are reported: a short code at Safaricom, a bank account.',
  definitions: [
    view(core, {
      name: 'receipt-source.list',
      summary: 'All sources.',
      route: 'GET /receipt-sources',
      permission: 'receipts.read',
      input: NOTHING,
      output: Type.Object({ sources: Type.Array(sourceView) }),
      rows: 'sources',
      empty: 'no sources',
      handle: async ({ core: { listSources }, deps: { pool } }) => ({
        sources: (await listSources(pool)).map(({ settings: given, ...row }) => ({
          ...{ ...wireOf(row), settings: { ...given } },
        })),
      }),
    }),
    setting(core, {
      ...SETS,
      actsAlone: true,
      name: 'receipt-source.set',
      summary: 'Add a source, or change the settings that are given.',
      route: 'POST /receipt-sources/:source',
      needsOne: ['name', 'kind', 'collector', 'bank', 'status', 'settings'],
      input: {
        source,
        name: Type.Optional(fields.displayName()),
        kind: Type.Optional(Type.Enum([...SOURCE_KINDS], { description: 'of a new source' })),
        collector: Type.Optional(
          vid({ description: 'in whose name its receipts are collected', form: 'a collector' }),
        ),
        bank: Type.Optional(
          fields.code({
            description: 'the account of ours where its money is; a new source has one of its own',
          }),
        ),
        status: Type.Optional(Type.Enum([...STATUSES], { description: 'whether it is used' })),
        settings,
      },
      change: async ({ core: loaded, input }) => {
        const { name, kind, collector, bank, status, source: sourceCode } = input;
        const terms = loaded.present({ name, kind, collector, bank, status });
        const change = { ...terms, ...loaded.settingsJson(settingsOf(input.settings)) };
        return { setting: loaded.SOURCE, key: { sourceCode }, change };
      },
    }),
    setting(core, {
      ...SETS,
      actsAlone: true,
      name: 'receipt-source.set-key',
      summary: 'Set the secret from the provider.',
      route: 'POST /receipt-sources/:source/key',
      input: {
        source,
        key: Type.String({
          ...{ minLength: 1, maxLength: 16_384, typed: true, placeholder: 'secret' },
          description:
            'JSON with consumer_key, consumer_secret and, for STK push, passkey; - reads it from standard input',
        }),
      },
      change: async ({ core: loaded, input: { source: sourceCode, key: given }, deps }) => {
        const masterKeys = await deps.masterKeys();
        const secret = loaded.sealSecret(given, loaded.sourceSealed(sourceCode), masterKeys);
        return { setting: loaded.SOURCE_KEY, key: { sourceCode }, change: { secret } };
      },
    }),
    view(core, {
      name: 'receipt-source.urls',
      summary: 'Our URLs for the provider’s confirmations and validations.',
      route: 'GET /receipt-sources/:source/urls',
      permission: 'finance.act',
      input: inputOf({ source }),
      output: Type.Object({
        // Null for programs: these URLs are secret, because a request to them reports a payment.
        confirmation: textOrNull({ title: 'Confirmation', secret: true }),
        validation: textOrNull({ title: 'Validation', secret: true }),
      }),
      handle: async ({ core: { askSource }, input, deps }) => {
        const asking = { ...deps, masterKeys: await deps.masterKeys() };
        return await askSource(asking, input.source, async ({ provider }) => ({
          ...provider.urls,
        }));
      },
    }),
    action(core, {
      name: 'receipt-source.register',
      summary: 'Register the pull and our URLs for confirmation and validation with the provider.',
      route: 'POST /receipt-sources/:source/register',
      permission: 'finance.act',
      actsAlone: 'always',
      limit: ASKS_PROVIDERS,
      input: inputOf({ source }),
      output: Type.Object({
        is_registered: Type.Boolean({ title: 'Registered' }),
        message: text({ title: 'Answer' }),
        /** Null: it lists no payments. */
        is_pull_registered: orNull(Type.Boolean(), { title: 'Pull registered', isOptional: true }),
        pull_message: textOrNull({ title: 'Answer about the pull', isOptional: true }),
      }),
      failed: (answer) => !answer.is_registered || answer.is_pull_registered === false,
      handle: async ({ core: { askSource, registerSource }, input, deps }) => {
        const asking = { ...deps, masterKeys: await deps.masterKeys() };
        return await askSource(asking, input.source, async (open) => {
          const { urls, pull } = await registerSource(open);
          const done = {
            ...{ is_registered: urls.isDone, message: urls.message },
            ...{ is_pull_registered: pull?.isDone ?? null, pull_message: pull?.message ?? null },
          };
          return { result: done, audit: { after: done } };
        });
      },
    }),
  ],
};

const account = Type.String({
  ...{ argument: true, pattern: '^[^\\p{C}]{1,40}$', form: '1 to 20 letters and digits' },
  description: 'the number',
});

const accountView = Type.Object({
  ...titled({ account: text, vid: text, added_at: fields.time }),
  added_by: text({ title: 'By' }),
});

export const RECEIPT_ACCOUNTS: Noun = {
  command: 'receipts account',
  summary: 'The account numbers that customers pay to, and their vendors.',
  definitions: [
    list(core, BY_TEXT, {
      name: 'receipt-account.list',
      summary: 'The account numbers of a source.',
      route: 'GET /receipt-sources/:source/accounts',
      permission: 'receipts.read',
      input: { source },
      page: 200,
      rows: 'accounts',
      row: accountView,
      empty: 'no accounts',
      read: async ({ core: { listNumbers }, input, deps: { pool } }, page) =>
        await listNumbers(pool, input.source, page),
      placeOf: (row) => [row.account],
      show: (shown) => shown.map(wireOf),
    }),
    setting(core, {
      ...SETS,
      name: 'receipt-account.add',
      summary: 'Give a vendor an account number.',
      route: 'POST /receipt-sources/:source/accounts',
      input: { source, account, vid: vid() },
      change: async ({ core: { ACCOUNT, requireAccount }, input }) => ({
        setting: ACCOUNT,
        key: { sourceCode: input.source, account: requireAccount(input.account) },
        change: { vid: input.vid },
      }),
    }),
    setting(core, {
      ...SETS,
      name: 'receipt-account.remove',
      summary: 'Take an account number out of use.',
      route: 'POST /receipt-sources/:source/accounts/remove',
      input: { source, account },
      change: async ({ core: { ACCOUNT, requireAccount }, input }) => ({
        setting: ACCOUNT,
        key: { sourceCode: input.source, account: requireAccount(input.account) },
        change: { vid: null },
      }),
    }),
  ],
};
