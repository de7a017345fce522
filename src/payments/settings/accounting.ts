import { Type } from 'typebox';
import { filledText, orNull, strict } from '../../platform/base/json-fields.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { accountKinds } from '../house/account.ts';
import { SUMMARY_DIMENSIONS } from '../summaries/dimensions.ts';
import { findTerms, insertCode, insertTerms, readCodes } from '../summaries/store.ts';
import { setting } from './setting.ts';

const optional = Type.Optional;

/** How summary journals are made for the accounting software. */
export const SUMMARY_TERMS = setting({
  ...{ name: 'summary_terms', label: 'Summary journals', topic: 'billers', key: strict({}) },
  change: strict({
    per: optional(Type.Enum(['day', 'month'])),
    dimensions: optional(Type.Array(Type.Enum([...SUMMARY_DIMENSIONS]), { maxItems: 3 })),
    taxCode: optional(filledText(100)),
    company: optional(filledText(200)),
    /** ISO 8601. Only once. */
    startsAt: optional(filledText(40)),
  }),
  target: () => 'the company',
  read: async (db) => {
    const terms = await findTerms(db);
    if (terms === undefined) return null;
    return {
      'One journal for each': terms.per,
      'Summed by': ['account', ...terms.dimensions].join(', '),
      'Tax code': terms.taxCode ?? '',
      'Company there': terms.company ?? '',
      'Postings since': terms.startsAt.toISOString(),
    };
  },
  apply: async (db, { change, by: setBy }) => {
    const before = await findTerms(db);
    const { startsAt } = change;
    if (startsAt !== undefined && before !== undefined) {
      throw new PlainError('Summary journals have begun.', { field: 'from' });
    }
    if (startsAt === undefined && before === undefined) {
      throw new PlainError('It is needed before the first journal.', { field: 'from' });
    }
    await insertTerms(db, {
      version: (before?.version ?? 0) + 1,
      startsAt: before?.startsAt ?? new Date(startsAt ?? 0),
      per: change.per ?? before?.per ?? 'month',
      dimensions: change.dimensions ?? before?.dimensions ?? [],
      taxCode: change.taxCode ?? before?.taxCode ?? null,
      company: change.company ?? before?.company ?? null,
      setBy,
    });
  },
});

const KINDS: ReadonlySet<string> = new Set([...accountKinds('house'), ...accountKinds('vendors')]);

/** The company's own codes of accounts, several at once. */
export const ACCOUNT_CODES = setting({
  ...{ name: 'account_codes', label: 'Codes of accounts', topic: 'billers', key: strict({}) },
  change: strict({
    codes: Type.Array(strict({ account: filledText(80), code: orNull(filledText(100)) }), {
      minItems: 1,
      maxItems: 200,
    }),
  }),
  target: () => 'the company',
  read: async (db) => {
    const codes = await readCodes(db);
    const inForce = Object.entries(codes).map(([account, code]) => `${account} ${code}`);
    return inForce.length === 0 ? null : { 'Codes in force': inForce.join(', ') };
  },
  says: ({ codes }) =>
    codes.map(({ account, code }) => ({ label: 'Code', text: `${account} ${code ?? '–'}` })),
  apply: async (db, { change: { codes }, by: setBy }) => {
    for (const { account, code } of codes) {
      if (!KINDS.has(account.split(':')[0] ?? '')) {
        throw new PlainError(`${account} is no account.`, { field: 'codes' });
      }
      await insertCode(db, { account, code, setBy });
    }
  },
});
