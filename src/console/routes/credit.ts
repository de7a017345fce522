import { Type } from 'typebox';
import type { VendorDirectory } from '../../parties/directory.ts';
import type { Vendor } from '../../parties/vendor.ts';
import { CREDIT_OPERATIONS } from '../../credit/bureaus/bureau.ts';
import { readAnswered } from '../../credit/enquiries/kept-store.ts';
import { listEnquiries } from '../../credit/enquiries/list-store.ts';
import { NO_ANSWER } from '../../credit/enquiries/disclosure.ts';
import { ENQUIRY_OUTCOMES } from '../../credit/enquiries/record.ts';
import type { EnquiryService } from '../../credit/enquiries/service.ts';
import { nameDiffers } from '../../credit/matching/match.ts';
import { askForPerson, personOf } from '../../credit/operations/ask.ts';
import type { ReportOptions } from '../../credit/reports/subject-report.ts';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { readAllCards } from '../../credit/governance/cards.ts';
import { factsOf } from '../../credit/scorecards/card-facts.ts';
import type { CreditEnquiriesAnswer, CreditReportAnswer } from '../credit-answers.ts';
import { Audited, route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import { reportOf } from './credit-report.ts';
import { readEnd, readStart, time } from './period.ts';
import { pageOf } from '../../staff/pages.ts';
import { reason } from './reason.ts';

const PAGE = 50;
/** Digits of a customer's reference that a list shows. */
const SHOWN_DIGITS = 3;

/** Stops a person who looks up one customer after another. Each look-up is in the audit log. */
const ENQUIRY_LIMIT = {
  perPerson: {
    count: 60,
    seconds: 3_600,
    text: 'You have made 60 enquiries within an hour, which is the limit.',
  },
} as const;

export interface CreditRoutesOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly wireTime: WireTime;
  readonly directory: Pick<VendorDirectory, 'vendor'>;
  /** Undefined when the credit registry is not configured. */
  readonly enquiryService: EnquiryService | undefined;
  /** Undefined when the credit registry is not configured. */
  readonly reports: ReportOptions | undefined;
  readonly config: { readonly timeZone: string };
}

const vid = Type.String({ maxLength: 64 });
const operation = Type.Enum([...CREDIT_OPERATIONS]);

/** Credit information: asking about a customer, what was answered, and who asked. */
export function creditRoutes(options: CreditRoutesOptions): AnyRoute[] {
  return [listRoute(options), askRoute(options), reportRoute(options)];
}

function listRoute({ pool, directory, wireTime }: CreditRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/credit/enquiries',
    permission: 'enquiries.read',
    query: Type.Object(
      {
        vid,
        outcome: Type.Optional(Type.Enum([...ENQUIRY_OUTCOMES])),
        reference: Type.Optional(Type.String({ maxLength: 64 })),
        from: Type.Optional(time),
        to: Type.Optional(time),
        cursor: Type.Optional(Type.String({ pattern: String.raw`^\d{1,18}$` })),
      },
      { additionalProperties: false },
    ),
    handle: async ({ query }): Promise<CreditEnquiriesAnswer> => {
      const { vendorId } = requireVendor(directory, query.vid);
      const found = await listEnquiries(pool, vendorId, {
        from: readStart(query.from, 'from', wireTime),
        until: readEnd(query.to, 'to', wireTime),
        outcomes: query.outcome && [query.outcome],
        requestReference: query.reference,
        after: query.cursor === undefined ? undefined : BigInt(query.cursor),
        limit: PAGE + 1,
      });
      const { shown, next } = pageOf(found, PAGE, ({ sequence }) => String(sequence));
      return {
        enquiries: shown.map((row) => ({
          sequence: String(row.sequence),
          enquiredAt: row.enquiredAt.toISOString(),
          operation: row.operation,
          reference: row.requestReference,
          reportReason: row.reportReason,
          outcome: row.outcome,
          customer: row.crn === null ? null : row.crn.slice(-SHOWN_DIGITS),
          nameDiffers: nameDiffers(row.matchRule),
          grade: row.grade,
          person: personOf(row.keyId) ?? null,
          erased: row.erased,
        })),
        next,
      };
    },
  });
}

function askRoute(options: CreditRoutesOptions): AnyRoute {
  return route({
    method: 'POST',
    path: '/credit/enquiries',
    permission: 'credit.act',
    action: 'credit.enquire',
    limit: ENQUIRY_LIMIT,
    outcomes: NO_ANSWER,
    body: Type.Object(
      {
        vid,
        operation,
        /** The parameters of the operation, by their names. */
        fields: Type.Record(Type.String({ maxLength: 40 }), Type.String({ maxLength: 200 })),
        /** Why the person asks, in addition to the code of the purpose. */
        reason,
      },
      { additionalProperties: false },
    ),
    handle: async ({ body }, { viewer }) => {
      const vendor = requireVendor(options.directory, body.vid);
      const { fields } = body;
      const deps = { ...options, timeZone: options.config.timeZone };
      await askForPerson(deps, body.operation, { fields, vendor, login: viewer.login });
      const reference = fields['requestReference'] ?? '';
      // No personal data: that is sealed in the record of the enquiry.
      const target = `${vendor.vid} ${body.operation} ${reference}`;
      return new Audited({ reference }, { target, after: { purpose: fields['reportReason'] } });
    },
  });
}

function reportRoute({ pool, directory, reports }: CreditRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/credit/enquiries/:vid/:operation/:reference',
    permission: 'credit.reports',
    look: 'credit.report',
    params: Type.Object({ vid, operation, reference: Type.String({ maxLength: 64 }) }),
    handle: async ({ params }): Promise<CreditReportAnswer> => {
      if (reports === undefined) throw new Refusal('scoring_unavailable');
      const { vendorId } = requireVendor(directory, params.vid);
      const found = await readAnswered(pool, reports.vault, {
        vendorId,
        operation: params.operation,
        requestReference: params.reference,
      });
      if (found === undefined) throw new Refusal('not_found', { text: 'No such report' });
      const { scorecard } = found;
      const card = scorecard === null ? undefined : (await readAllCards(pool)).get(scorecard);
      return {
        ...params,
        enquiredAt: found.enquiredAt.toISOString(),
        person: personOf(found.keyId) ?? null,
        reportReason: found.reportReason,
        consentReference: found.consentReference,
        consentDate: found.consentDate,
        scorecard,
        card: card === undefined ? null : factsOf(card),
        source: found.source,
        report: reportOf(found),
      };
    },
  });
}

/** Throws: `not_found`. */
function requireVendor(directory: CreditRoutesOptions['directory'], name: string): Vendor {
  const vendor = directory.vendor(name);
  if (vendor !== undefined) return vendor;
  throw new Refusal('not_found', { field: 'vid', text: `There is no vendor ${name}` });
}
