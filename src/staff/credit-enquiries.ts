import { Type } from 'typebox';
import { CREDIT_OPERATIONS } from '../credit/bureaus/bureau.ts';
import { NO_ANSWER } from '../credit/enquiries/disclosure.ts';
import { ENQUIRY_OUTCOMES } from '../credit/enquiries/record.ts';
import { PlainError } from '../platform/base/plain-error.ts';
import { readEnd, readStart } from '../platform/base/period.ts';
import { Refusal } from '../platform/base/errors.ts';
import { endingOf } from './credit-fields.ts';
import { enquiryReport } from './credit-report-schema.ts';
import { action, view } from './definition.ts';
import type { Noun } from './definition.ts';
import * as fields from './fields.ts';
import { inputOf, text, textOrNull, time, vid, titled } from './fields.ts';
import { byPlace, list } from './lists.ts';
import type { PageOf } from './lists.ts';
import { fit, wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../credit/enquiries/read-enquiries.ts')),
  ...(await import('../credit/enquiries/read-kept.ts')),
  ...(await import('../credit/matching/match.ts')),
  ...(await import('../credit/operations/ask.ts')),
  ...(await import('../credit/reports/enquiry-report.ts')),
  ...(await import('../parties/require-vendor.ts')),
});

const OPERATIONS = Type.Enum([...CREDIT_OPERATIONS], {
  title: 'Operation',
  description: 'the operation',
});

interface Row {
  readonly erased: boolean;
}

const listed = Type.Object({
  /** In the vendor’s chain. */
  ...titled({ number: Type.Integer, enquired_at: time }),
  operation: OPERATIONS,
  /** The vendor’s `requestReference`. */
  reference: text({ title: 'Reference' }),
  /** The code of the purpose, 1 to 12. */
  report_reason: Type.Integer({ title: 'Reason' }),
  outcome: Type.Enum([...ENQUIRY_OUTCOMES], {
    title: 'Outcome',
    text: (outcome: string, { erased }: Row) => (erased ? `${outcome} (erased)` : outcome),
  }),
  /** The last digits of the customer’s reference; null: nobody was found. */
  customer: textOrNull({ title: 'Customer' }),
  /** The customer was found under another name than the one on file. */
  name_differs: Type.Boolean(),
  grade: textOrNull({ title: 'Grade' }),
  /** Who asked in the console; null: the vendor’s system did. */
  person: textOrNull({ title: 'Asked by', nullText: 'the vendor’s system', wide: true }),
  scorecard: textOrNull({ title: 'Scorecard', wide: true }),
  source: text(),
  duration_ms: Type.Integer(),
  /** Retention has erased request and answer. */
  erased: Type.Boolean(),
});
export type EnquiryList = PageOf<'enquiries', typeof listed>;

const BY_SEQUENCE = byPlace(/^(\d{1,18})$/, ([sequence = '']) => BigInt(sequence));

const NAME = /^[a-zA-Z0-9]{1,40}$/;

function readField(given: string): object | undefined {
  const [name = '', ...rest] = given.split('=');
  return NAME.test(name) && rest.length > 0 ? { [name]: rest.join('=') } : undefined;
}

const reference = fields.line(64, { description: 'requestReference of the enquiry' });

export const CREDIT_ENQUIRIES: Noun = {
  command: 'credit enquiries',
  summary: 'Enquiries about customers: who asked, when, why, and what was answered.',
  definitions: [
    list(core, BY_SEQUENCE, {
      name: 'credit-enquiry.list',
      summary: 'A vendor’s enquiries, newest first, without personal data.',
      route: 'GET /credit/enquiries',
      permission: 'enquiries.read',
      isUsual: true,
      input: {
        vid: vid(),
        from: Type.Optional(fields.moment({ description: 'made then or later' })),
        to: Type.Optional(
          fields.moment({
            description: 'made until the end of that day, or before that time',
            option: 'until',
          }),
        ),
        outcome: Type.Optional(
          Type.Enum([...ENQUIRY_OUTCOMES], { description: 'only those with this outcome' }),
        ),
        reference: Type.Optional(
          fields.line(64, { description: 'only those with this requestReference' }),
        ),
      },
      rows: 'enquiries',
      row: listed,
      empty: 'no enquiries',
      read: async ({ core: loaded, input, deps: { pool, wireTime } }, page) => {
        const { vendorId } = await loaded.requireVendor(pool, input.vid);
        return await loaded.listEnquiries(pool, vendorId, {
          from: readStart(input.from, 'from', wireTime),
          until: readEnd(input.to, 'to', wireTime),
          outcomes: input.outcome && [input.outcome],
          requestReference: input.reference,
          ...page,
        });
      },
      placeOf: ({ sequence }) => [sequence],
      show: (shown, { core: { nameDiffers, personOf } }) =>
        shown.map((row) => {
          const { enquiredAt, operation, reportReason, outcome, grade, scorecard, source } = row;
          const { sequence, crn, durationMs, erased } = row;
          return {
            ...wireOf({ enquiredAt, operation, reportReason, outcome, grade, scorecard, source }),
            ...{ ...wireOf({ durationMs, erased }), number: Number(sequence) },
            reference: row.requestReference,
            customer: crn === null ? null : endingOf(crn),
            name_differs: nameDiffers(row.matchRule),
            person: personOf(row.keyId) ?? null,
          };
        }),
    }),
    view(core, {
      name: 'credit-enquiry.show',
      summary: 'What was answered about a customer.',
      route: 'GET /credit/enquiries/:vid/:operation/:reference',
      permission: 'credit.reports',
      isNoted: true,
      input: inputOf({ vid: vid(), operation: OPERATIONS, reference }),
      output: enquiryReport,
      handle: async ({ core: loaded, input, deps }) => {
        const desk = await deps.credit();
        const { vendorId } = await loaded.requireVendor(deps.pool, input.vid);
        const asked = { vendorId, operation: input.operation, requestReference: input.reference };
        const found = await loaded.readAnswered(desk.pool, desk.vault, asked);
        if (found === undefined) throw new Refusal('not_found', { text: 'No such report' });
        const person = loaded.personOf(found.keyId);
        const answered = await loaded.reportOnEnquiry(desk.pool, found);
        return fit(enquiryReport, { ...wireOf({ ...found, ...answered }), ...input, person });
      },
    }),
    action(core, {
      name: 'credit-enquiry.ask',
      summary: 'Ask about a customer, who has consented and can see it in the own report.',
      route: 'POST /credit/enquiries',
      permission: 'credit.act',
      // Stops a person who looks up one customer after another.
      limit: {
        perPerson: {
          ...{ count: 60, seconds: 3_600 },
          text: 'You have made 60 enquiries within an hour, which is the limit.',
        },
      },
      outcomes: NO_ANSWER,
      input: inputOf({
        vid: vid({ description: 'for this vendor' }),
        operation: OPERATIONS,
        fields: Type.Record(Type.String({ maxLength: 40 }), Type.String({ maxLength: 200 }), {
          description: 'a parameter of the operation; repeatable',
          spelt: [
            {
              option: 'field',
              placeholder: 'name=value',
              form: 'name=value, such as nationalID=12345678',
              read: readField,
            },
          ],
        }),
        reason: fields.reasonWith({ option: 'reason' }),
      }),
      output: Type.Object({ reference: text({ title: 'Reference' }) }),
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const { vid: name, operation, fields: given } = input;
        const desk = await deps.credit();
        if (desk.enquiryService === undefined) throw new PlainError(ASKS_SERVICE);
        const row = await loaded.requireVendor(deps.pool, name);
        const vendor = { ...row, suspended: row.status === 'suspended', keys: [] };
        const asked = { fields: given, vendor, login: viewer.login };
        await loaded.askForPerson(desk, operation, asked);
        const made = given['requestReference'] ?? '';
        // No personal data: that is sealed in the record of the enquiry.
        const audit = {
          target: `${vendor.vid} ${operation} ${made}`,
          after: { purpose: given['reportReason'] },
        };
        return { result: { reference: made }, audit };
      },
    }),
  ],
};

const ASKS_SERVICE = 'Only the running service asks. Set MALIPO_URL, or ask in the console.';
