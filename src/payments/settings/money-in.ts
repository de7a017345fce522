import { filledText, orNull, strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import { readVids } from '../../parties/read-vendors.ts';
import { addAccount, removeAccount, setSource, setSourceKey } from '../receipts/administer.ts';
import { SOURCE_KINDS } from '../../connectors/source.ts';
import { findSource, listAccounts } from '../receipts/sources-store.ts';
import { keyHolders } from '../receipts/sources.ts';
import { code, settingsOf, settingsText } from './fields.ts';
import { keyFields, openSecret, requireMasterKeys, sealedSecret } from './sealed.ts';
import { setting } from './setting.ts';

const optional = Type.Optional;
const key = strict({ sourceCode: code });

/** Where money in is reported, and how its files are read. */
export const SOURCE = setting({
  ...{ name: 'source', label: 'Source', topic: 'billers', key },
  change: strict({
    name: optional(filledText(200)),
    kind: optional(Type.Enum([...SOURCE_KINDS])),
    collector: optional(filledText(64)),
    bank: optional(code),
    status: optional(Type.Enum(['active', 'suspended'])),
    settings: Type.Record(Type.String(), Type.Unknown()),
    /** Names of settings. */
    removed: Type.Array(filledText(64)),
  }),
  target: ({ sourceCode }) => sourceCode,
  read: async (db, { sourceCode }) => {
    const row = await findSource(db, sourceCode);
    if (row === undefined) return null;
    const { name, kind, collector, bank, status } = row;
    return {
      ...{ Name: name, Kind: kind, Collector: collector, Bank: bank, Status: status },
      ...settingsText(row.settings),
    };
  },
  apply: async (db, { key: { sourceCode }, change }) => {
    const { removed: _, ...rest } = change;
    return await setSource(db, sourceCode, { ...rest, settings: settingsOf(change) });
  },
});

/** The secret from the provider of a source. */
export const SOURCE_KEY = setting({
  ...{ name: 'source_key', label: 'Key of a source', topic: 'billers', key },
  change: strict({ secret: sealedSecret }),
  target: ({ sourceCode }) => sourceCode,
  read: async (db, { sourceCode }, tools) => {
    const holder = keyHolders(sourceCode).provider;
    return await keyFields(db, { holderKind: 'source', holder }, tools);
  },
  apply: async (db, { key: { sourceCode }, change }, tools) =>
    await setSourceKey(db, sourceCode, {
      secret: openSecret(change.secret, sourceSealed(sourceCode), tools),
      sealing: { masterKeys: requireMasterKeys(tools), certain: true },
    }),
});

/** Location that `sealSecret` binds a source's secret to. */
export const sourceSealed = (sourceCode: string): string => `source ${sourceCode}`;

/** Whose an account number is that customers pay to. A vendor of null takes it out of use. */
export const ACCOUNT = setting({
  ...{ name: 'account', label: 'Account number', topic: 'billers' },
  key: strict({ sourceCode: code, account: filledText(64) }),
  change: strict({ vid: orNull(filledText(64)) }),
  target: ({ sourceCode, account }) => `${account} at ${sourceCode}`,
  read: async (db, { sourceCode, account }) => {
    const row = (await listAccounts(db, sourceCode)).find((one) => one.account === account);
    if (row === undefined) return null;
    return { Vendor: (await readVids(db)).get(row.vendorId) ?? String(row.vendorId) };
  },
  apply: async (db, { key: account, change: { vid }, by }, { ledgerMac }) => {
    const deps = { pool: db, ledgerMac };
    if (vid === null) return await removeAccount(deps, { ...account, by });
    return await addAccount(deps, { ...account, vid, by });
  },
});
