import { Type } from 'typebox';
import { filledText, orNull, strict } from '../../platform/base/json-fields.ts';
import { DAY_MS } from '../../platform/base/days.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { findTerms, insertTerms, insertVendorName, listVendorNames } from '../invoices/store.ts';
import { setting } from './setting.ts';

const optional = Type.Optional;
const legalName = filledText(200);
/** Of the tax authority; `PIN` in src/staff/invoices.ts has the Kenyan form. */
const pin = filledText(40);
const address = filledText(400);

/** Throws: `PlainError` if it was never given. */
function need(field: string, value: string | undefined): string {
  if (value !== undefined) return value;
  throw new PlainError('It is needed before the first invoice.', { field });
}

/** Days before and after now that invoicing may begin. */
const START_DAYS = { before: 6 * 366, after: 92 };

/**
 * It cannot be changed afterwards: with a wrong year, runs of each hour since then would take days, or none would come.
 * Throws: `PlainError` (field `from`). Pure.
 */
export function requireStart(startsAt: Date, now: Date): void {
  const days = (startsAt.getTime() - now.getTime()) / DAY_MS;
  if (days >= -START_DAYS.before && days <= START_DAYS.after) return;
  throw new PlainError('It must be within the last six years or the next three months.', {
    field: 'from',
  });
}

/** The company on its invoices, and how it invoices. */
export const COMPANY = setting({
  ...{ name: 'company', label: 'Invoices', topic: 'billers', key: strict({}) },
  change: strict({
    legalName: optional(legalName),
    pin: optional(pin),
    address: optional(address),
    per: optional(Type.Enum(['month', 'payment'])),
    needsControl: optional(Type.Boolean()),
    /** ISO 8601. Only once. */
    startsAt: optional(filledText(40)),
  }),
  target: () => 'the company',
  read: async (db) => {
    const terms = await findTerms(db);
    if (terms === undefined) return null;
    return {
      ...{ 'Legal name': terms.legalName, PIN: terms.pin, Address: terms.address },
      'One invoice for each': terms.per,
      'Control unit': terms.needsControl ? 'invoices wait for its number' : 'none',
      'Fees since': terms.startsAt.toISOString(),
    };
  },
  apply: async (db, { change, by: setBy }) => {
    const before = await findTerms(db);
    const { startsAt } = change;
    if (startsAt !== undefined && before !== undefined) {
      const says = 'Invoicing has begun. From when fees are invoiced cannot be changed.';
      throw new PlainError(says, { field: 'from' });
    }
    if (startsAt !== undefined) requireStart(new Date(startsAt), new Date());
    await insertTerms(db, {
      version: (before?.version ?? 0) + 1,
      startsAt: before?.startsAt ?? new Date(need('from', startsAt)),
      per: change.per ?? before?.per ?? 'month',
      needsControl: change.needsControl ?? before?.needsControl ?? false,
      legalName: need('legal_name', change.legalName ?? before?.legalName),
      pin: need('pin', change.pin ?? before?.pin),
      address: need('address', change.address ?? before?.address),
      setBy,
    });
  },
});

/** How invoices name a vendor. */
export const INVOICE_NAME = setting({
  ...{ name: 'invoice_name', label: 'Name on invoices', topic: 'billers' },
  key: strict({ vendorId: Type.Integer(), vid: filledText(64) }),
  change: strict({ legalName, pin: orNull(pin), address }),
  target: ({ vid }) => vid,
  vendorId: ({ vendorId }) => vendorId,
  read: async (db, { vendorId }) => {
    const found = (await listVendorNames(db)).find((row) => row.vendorId === vendorId);
    if (found === undefined) return null;
    return { 'Legal name': found.legalName, PIN: found.pin ?? '', Address: found.address };
  },
  apply: async (db, { key: { vendorId }, change, by: setBy }) => {
    const names = await listVendorNames(db);
    const version = (names.find((row) => row.vendorId === vendorId)?.version ?? 0) + 1;
    await insertVendorName(db, { vendorId, version, ...change, setBy });
  },
});
