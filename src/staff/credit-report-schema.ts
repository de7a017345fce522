import { Type } from 'typebox';
import type { Static } from 'typebox';
import { CREDIT_OPERATIONS } from '../credit/bureaus/bureau.ts';
import { orNull, text, textOrNull, time, titled } from './fields.ts';

/** What was answered about a customer, in parts for people. */

/** A figure for the vendor's sector and for all others. */
const sectorFigures = Type.Object({ my_sector: textOrNull(), other_sectors: textOrNull() });

const report = Type.Object({
  full_name: text({ title: 'Name' }),
  date_of_birth: text({ title: 'Born' }),
  customer: text({ title: 'CRN' }),
  /** Those of the request: one that was not given is not shown. */
  documents: Type.Array(
    Type.Object({ type: text({ title: 'Document' }), number: text({ title: 'Number' }) }),
    { title: 'Documents' },
  ),
  gender: textOrNull(),
  nationality: textOrNull(),
  phones: Type.Array(text()),
  deceased: Type.Boolean({ title: 'Deceased' }),
  /** The customer was found under another name than the one on file. */
  name_differs: Type.Boolean({ title: 'Name differs' }),
  /** Given by identity decisions; null: the product does not say. */
  credit_active: orNull(Type.Boolean()),
  figures: Type.Array(Type.Object({ name: text(), value: sectorFigures })),
  accounts: Type.Array(
    Type.Object({
      ...titled({ status: text, type: text, opened: text }),
      original_amount: text(),
      ...titled({ balance: text, days_in_arrears: text, as_of: text, disputed: Type.Boolean }),
    }),
    { title: 'Accounts' },
  ),
  /** Null: an identity decision, or nothing that a score could rest on. */
  score: orNull(
    Type.Object({
      ...titled({ score: text, grade: text }),
      /** The probability of a default, in per cent. */
      probability: text({ title: 'Probability of default' }),
      /** The strongest reasons for a lower score, in words. */
      reasons: Type.Object({ en: Type.Array(text()), sw: Type.Array(text()) }),
    }),
    { title: 'Score' },
  ),
  notice: text(),
  remarks: Type.Array(text()),
});
export type CustomerReport = Static<typeof report>;

export const enquiryReport = Type.Object({
  vid: text({ title: 'Vendor' }),
  operation: Type.Enum([...CREDIT_OPERATIONS], { title: 'Operation' }),
  ...titled({ reference: text, enquired_at: time }),
  /** Null: the vendor’s system asked. */
  person: textOrNull({ title: 'Asked by', nullText: 'the vendor’s system' }),
  report_reason: Type.Integer({ title: 'Reason' }),
  consent_reference: textOrNull({ title: 'Consent' }),
  consent_date: textOrNull({ title: 'Consented' }),
  /** As `id@version`. */
  scorecard: textOrNull({ title: 'Scorecard' }),
  /** Null: it is an upstream bureau’s. */
  card: orNull(
    Type.Object({
      card: text(),
      /** Not made from what became of real loans. */
      is_example: Type.Boolean(),
      horizon_months: Type.Integer(),
      default_days: Type.Integer(),
      population: text(),
    }),
  ),
  source: text({ title: 'Source' }),
  /** Null: retention has erased it. */
  report: orNull(report, { title: 'Answer' }),
});
export type EnquiryReport = Static<typeof enquiryReport>;
