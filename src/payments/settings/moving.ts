import { Type } from 'typebox';
import type { Static } from 'typebox';
import { changeVendor } from '../../parties/administer.ts';
import { findVendor } from '../../parties/read-vendors.ts';
import { filledText, strict } from '../../platform/base/json-fields.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { addVendor } from '../ledger/add-vendor.ts';
import { bookOpening } from '../moving/openings.ts';
import { findOpening, findReferenceFile } from '../moving/read-references.ts';
import { insertReferenceFile } from '../moving/store.ts';
import { MAX_VENDORS } from '../moving/vendors-file.ts';
import type { MovedVendor } from '../moving/vendors-file.ts';
import type { Line } from '../../proposals/kind.ts';
import { cents } from './fields.ts';
import { keyFields, openSecret, requireMasterKeys, sealedSecret, sealSecret } from './sealed.ts';
import { setting } from './setting.ts';
import type { Fields, Tools } from './setting.ts';
import { vendorName, vendorSector } from './vendors.ts';

const vid = filledText(64);
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const moved = strict({
  ...{ vid, name: vendorName, sector: vendorSector },
  /** Encrypted for its holder: the content is kept for good. */
  key: sealedSecret,
  ...{ collectedCents: cents, floatCents: cents },
  ...{ hasReferences: Type.Boolean(), referenceRequired: Type.Boolean() },
});
const importKey = strict({ vids: Type.Array(vid, { minItems: 1, maxItems: MAX_VENDORS }) });
const importChange = strict({
  valuedAt: Type.String({ format: 'date-time' }),
  vendors: Type.Array(moved, { minItems: 1, maxItems: MAX_VENDORS }),
});
type Moved = Static<typeof moved>;

const holderOf = (of: string): string => `vendor ${of}`;
const sumOf = (vendors: readonly Moved[], column: 'collectedCents' | 'floatCents'): bigint =>
  vendors.reduce((sum, vendor) => sum + BigInt(vendor[column]), 0n);

/** As the content of a proposal. */
export const movedJson = (
  { key, collectedCents, floatCents, ...vendor }: MovedVendor,
  tools: Pick<Tools, 'masterKeys'>,
): Moved => ({
  ...vendor,
  key: sealSecret(key, holderOf(vendor.vid), requireMasterKeys(tools)),
  ...{ collectedCents: String(collectedCents), floatCents: String(floatCents) },
});

/**
 * Vendors of another system with the keys that they sign with and the balances that they have. They begin suspended:
 * the company resumes each when that system accepts its requests no more.
 */
export const MOVED_VENDORS = setting({
  ...{ name: 'moved_vendors', label: 'Vendors of another system', topic: 'vendors' },
  ...{ key: importKey, change: importChange },
  target: ({ vids: [first = '', ...others] }) =>
    others.length === 0 ? first : `${first} and ${others.length} more`,
  says: ({ vendors, valuedAt }): readonly Line[] => [
    { label: 'Date of the balances', text: valuedAt },
    { label: 'Collected in all', cents: String(sumOf(vendors, 'collectedCents')) },
    { label: 'Float in all', cents: String(sumOf(vendors, 'floatCents')) },
  ],
  read: async (db, { vids }, tools) => {
    const found: [vid: string, text: string][] = [];
    for (const each of vids) {
      const text = await textOf(db, each, tools);
      if (text !== undefined) found.push([each, text]);
    }
    // Not by assignment: a vendor named `__proto__` would be approved without being seen.
    return found.length === 0 ? null : Object.fromEntries(found);
  },
  apply: async (db, { change: { vendors, valuedAt }, id: importId }, tools) => {
    if (new Date(valuedAt) > new Date()) {
      throw new PlainError('The date of the balances is in the future.', { field: 'at' });
    }
    const sealing = { masterKeys: requireMasterKeys(tools), certain: true };
    for (const { key, collectedCents, floatCents, hasReferences, ...vendor } of vendors) {
      const secret = openSecret(key, holderOf(vendor.vid), tools);
      const { vendorId } = await addVendor(db, vendor, { ...sealing, secret });
      await changeVendor(db, vendor.vid, { status: 'suspended' });
      await bookOpening(
        { db, ledgerMac: tools.ledgerMac },
        {
          ...{ vendorId, importId, hasReferences, valuedAt: new Date(valuedAt) },
          ...{ collectedCents: BigInt(collectedCents), floatCents: BigInt(floatCents) },
        },
      );
    }
  },
});

/** What approvers see of a vendor, in one line. */
async function textOf(db: Queryable, of: string, tools: Tools): Promise<string | undefined> {
  const row = await findVendor(db, of);
  if (row === undefined) return undefined;
  const opening = await findOpening(db, row.vendorId);
  const key = await keyFields(db, { holderKind: 'vendor', holder: of }, tools);
  const parts = [
    ...[JSON.stringify(row.name), row.sector, `key ${key?.['Fingerprint'] ?? 'none'}`],
    `collected ${formatMoney(opening?.collectedCents ?? 0n)}`,
    `float ${formatMoney(opening?.floatCents ?? 0n)}`,
    opening?.hasReferences === true ? 'with references used before' : 'no references used before',
    row.referenceRequired ? 'references required' : 'references optional',
  ];
  return parts.join(' · ');
}

const counted = strict({ vendorId: Type.Integer(), vid, references: Type.Integer({ minimum: 1 }) });

/** A file of references that vendors used at another system: exactly this file may be imported then. */
export const USED_REFERENCES = setting({
  ...{ name: 'used_references', label: 'References used at another system', topic: 'vendors' },
  key: strict({ sha256 }),
  change: strict({ vendors: Type.Array(counted, { minItems: 1 }), isLast: Type.Boolean() }),
  target: (key) => key.sha256,
  says: ({ vendors, isLast }) => [
    ...vendors.map((each) => ({ label: each.vid, text: `${each.references} references` })),
    { label: 'With this file', text: isLast ? 'all are here' : 'others are still missing' },
  ],
  read: async (db, key, { ledgerMac }): Promise<Fields | null> => {
    const found = await findReferenceFile(db, ledgerMac, key.sha256);
    return found === undefined ? null : { File: 'may be imported' };
  },
  apply: async (db, { key, change: { vendors, isLast }, id: proposalId }, { ledgerMac }) => {
    if ((await findReferenceFile(db, ledgerMac, key.sha256)) !== undefined) {
      throw new PlainError('This file was approved before. Import it.');
    }
    const vendorIds = vendors.map(({ vendorId }) => vendorId);
    await insertReferenceFile(db, ledgerMac, { sha256: key.sha256, proposalId, isLast, vendorIds });
  },
});
