import { filledText, orNull, strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { changeVendor } from '../../parties/administer.ts';
import { findVendor } from '../../parties/read-vendors.ts';
import type { VendorRow } from '../../parties/read-vendors.ts';
import {
  DUPLICATE_CHECKS,
  DUPLICATE_WINDOWS,
  ENQUIRY_POLICIES,
  SECTORS,
  SIGNATURE_VERSIONS,
  STATUS_TEXTS,
} from '../../parties/vendor.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { MOBILE_NUMBER } from '../../platform/base/mobile-number.ts';
import { findPayoutPhone } from '../payouts/phones-store.ts';
import { setPayoutPhone } from '../payouts/phones.ts';
import { setWebhook } from '../events/administer.ts';
import { tellVendor } from '../events/tell-vendor.ts';
import { findWebhook } from '../events/read-webhooks.ts';
import { endTopUpRule, setTopUpRule } from '../vendor-floats/administer.ts';
import type { TopUpRule } from '../vendor-floats/rule.ts';
import { listActiveRules } from '../vendor-floats/read-rules.ts';
import { cents, code } from './fields.ts';
import { fingerprint, openSecret, requireMasterKeys, sealedSecret, sealSecret } from './sealed.ts';
import { setting } from './setting.ts';
import type { Fields, Tools } from './setting.ts';

const optional = Type.Optional;
const vendorKey = { vendorId: Type.Integer(), vid: filledText(64) };
const key = strict(vendorKey);

export const vendorName = filledText(200);
export const vendorSector = Type.Enum([...SECTORS]);
export const vendorSettings = {
  duplicateCheck: optional(Type.Enum([...DUPLICATE_CHECKS])),
  duplicateWindowSeconds: optional(Type.Union(DUPLICATE_WINDOWS.map((one) => Type.Literal(one)))),
  referenceRequired: optional(Type.Boolean()),
  enquiryPolicy: optional(Type.Enum([...ENQUIRY_POLICIES])),
  statusText: optional(Type.Enum([...STATUS_TEXTS])),
  signature: optional(Type.Enum([...SIGNATURE_VERSIONS])),
};

/** A vendor's settings in words. */
export const vendorFields = (row: VendorRow): Fields => ({
  Name: row.name,
  Sector: row.sector,
  'Duplicate check': row.duplicateCheck,
  'Duplicate window': `${row.duplicateWindowSeconds} s`,
  References: row.referenceRequired ? 'required' : 'optional',
  Enquiries: row.enquiryPolicy,
  'Status text': row.statusText,
  Signature: row.signature,
});

/** A vendor's protection from paying twice, and its permissions and notices. */
export const VENDOR = setting({
  ...{ name: 'vendor', label: 'Vendor', topic: 'vendors', key },
  change: strict({
    name: optional(vendorName),
    sector: optional(vendorSector),
    ...vendorSettings,
  }),
  target: ({ vid }) => vid,
  vendorId: ({ vendorId }) => vendorId,
  read: async (db, { vid }) => {
    const row = await findVendor(db, vid);
    return row === undefined ? null : vendorFields(row);
  },
  apply: async (db, { key: { vid }, change }) => await changeVendor(db, vid, change),
});

const terms = { thresholdCents: cents, pauseSeconds: Type.Integer({ minimum: 0 }) };
const fundRule = strict({ kind: Type.Literal('fund'), ...terms });
const pushRule = strict({
  ...{ kind: Type.Literal('push'), ...terms },
  ...{ targetCents: cents, maximumCents: cents, dailyCents: cents, sourceCode: code },
  /** Encrypted, because the content is kept for good. */
  phone: sealedSecret,
});
const rule = Type.Union([fundRule, pushRule]);

/** A rule that tops up a vendor's float automatically. A rule of null ends it. */
export const TOP_UP = setting({
  ...{ name: 'top_up', label: 'Automatic top-up', topic: 'vendors' },
  key: strict({ ...vendorKey, kind: Type.Enum(['fund', 'push']) }),
  change: strict({ rule: orNull(rule) }),
  target: ({ vid, kind }) => `${vid} by ${kind}`,
  vendorId: ({ vendorId }) => vendorId,
  read: async (db, { vendorId, kind }, tools) => {
    const rules = await listActiveRules(db);
    const row = rules.find((one) => one.vendorId === vendorId && one.kind === kind);
    if (row === undefined) return null;
    return {
      Below: formatMoney(row.thresholdCents),
      'Pause in seconds': String(row.pauseSeconds),
      Target: moneyText(row.targetCents),
      'At most at once': moneyText(row.maximumCents),
      'Limit of a day': moneyText(row.dailyCents),
      Source: row.sourceCode ?? '',
      'Phone number': row.phone === null ? '' : phoneText(row.phone, tools),
    };
  },
  apply: async (db, { key: { vendorId, vid, kind }, change, by }, tools) => {
    if (change.rule === null) return await endTopUpRule(db, { vendorId, kind, by });
    return await setTopUpRule(db, { vendorId, terms: ruleOf(change.rule, vid, tools), by });
  },
});

const SHOWN_DIGITS = 3;
/** Not the number, but two numbers with the same last digits differ: people approve what they see. */
const phoneText = (phone: string, tools: Tools): string =>
  `…${phone.slice(-SHOWN_DIGITS)}, fingerprint ${fingerprint(phone, tools)}`;
const phoneSealed = (vid: string): string => `phone of ${vid}`;

const moneyText = (amount: bigint | null): string => (amount === null ? '' : formatMoney(amount));

function ruleOf(given: Static<typeof rule>, vid: string, tools: Tools): TopUpRule {
  const thresholdCents = BigInt(given.thresholdCents);
  if (given.kind === 'fund') return { ...given, thresholdCents };
  const { targetCents, maximumCents, dailyCents } = given;
  return {
    ...{ ...given, thresholdCents },
    targetCents: BigInt(targetCents),
    maximumCents: BigInt(maximumCents),
    dailyCents: BigInt(dailyCents),
    phone: openSecret(given.phone, phoneSealed(vid), tools),
  };
}

/** As the content of a proposal. */
export function ruleJson(
  given: TopUpRule,
  vid: string,
  tools: Pick<Tools, 'masterKeys'>,
): Static<typeof rule> {
  const thresholdCents = String(given.thresholdCents);
  if (given.kind === 'fund') return { ...given, thresholdCents };
  return {
    ...{ ...given, thresholdCents },
    targetCents: String(given.targetCents),
    maximumCents: String(given.maximumCents),
    dailyCents: String(given.dailyCents),
    phone: sealSecret(given.phone, phoneSealed(vid), requireMasterKeys(tools)),
  };
}

/** Where a vendor’s events go, when staff set it. */
export const WEBHOOK = setting({
  ...{ name: 'webhook', label: 'Webhook', topic: 'vendors', key },
  change: strict({ url: filledText(2_000), allowsPrivate: Type.Boolean() }),
  target: ({ vid }) => vid,
  vendorId: ({ vendorId }) => vendorId,
  read: async (db, { vendorId }) => {
    const row = await findWebhook(db, vendorId);
    if (row === undefined) return null;
    return {
      Address: row.url,
      'Private networks': row.allowsPrivate ? 'allowed' : 'not allowed',
    };
  },
  // It may be stopped at any time, also by its failures.
  remarks: async (db, { vendorId }) => {
    const row = await findWebhook(db, vendorId);
    if (row === undefined || row.disabledAt === null) return [];
    return [{ label: 'Stopped at present', text: 'events are sent again from the approval on' }];
  },
  apply: async (db, { key: vendor, change }, tools) => {
    const sealing = async () => ({ masterKeys: requireMasterKeys(tools), certain: true });
    // Before: the first address needs no event.
    await tellVendor(db, vendor.vendorId, { change: 'webhook' });
    await setWebhook(db, vendor, { ...change, sealing });
  },
});

/** The phone that the vendor’s payouts go to. Null: it has none. */
export const PAYOUT_PHONE = setting({
  ...{ name: 'payout_phone', label: 'Phone of payouts', topic: 'vendors', key },
  change: strict({ phone: orNull(Type.String({ pattern: MOBILE_NUMBER.source })) }),
  target: ({ vid }) => vid,
  vendorId: ({ vendorId }) => vendorId,
  read: async (db, { vendorId }) => {
    const row = await findPayoutPhone(db, vendorId);
    return row === undefined ? null : { 'Phone number': row.phone ?? '' };
  },
  apply: async (db, { key: { vendorId }, change: { phone }, by }, { ledgerMac }) =>
    await setPayoutPhone({ db, ledgerMac }, { vendorId, phone, by }),
});
