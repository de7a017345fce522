import { randomInt, randomUUID } from 'node:crypto';
import type { AccountState, CreditAccount } from '../../src/credit/facts.ts';
import { readCardsInForce } from '../../src/credit/governance/cards.ts';
import { askForPerson } from '../../src/credit/operations/ask.ts';
import type { ReportOptions } from '../../src/credit/reports/subject-report.ts';
import { watchAll } from '../../src/credit/watches/job.ts';
import { endWatch, findAnsweredSubject, putWatch } from '../../src/credit/watches/store.ts';
import { findVendor } from '../../src/parties/read-vendors.ts';
import type { Vendor } from '../../src/parties/vendor.ts';
import type { EventType } from '../../src/payments/events/event-types.ts';
import { listEvents } from '../../src/payments/events/read-events.ts';
import { Refusal } from '../../src/platform/base/errors.ts';
import { DAY_MS, isoDay } from '../../src/platform/base/days.ts';
import { EXAMPLES, importMobileFile, openEnquiryService } from '../credit.ts';
import { DEMO_VENDORS } from '../data.ts';
import { lastMonthEnd } from '../population/calendar.ts';
import { mobileLines } from '../population/mobile-template.ts';
import type { Subject } from '../population/population.ts';
import { sandboxPopulation } from '../registry.ts';

const BY = 'Sandbox, triggered';
const LENDER = 'SANDBOX_EVENTS';
const PEOPLE = 300;
/** People whose score does not fall any further are passed over. */
const MAX_PEOPLE = 5;
const HOUR_MS = 3_600_000;
/** Larger than any fall of a score. */
const NEVER = 999;

export type CreditEventType = Extract<EventType, `credit.${string}`>;

type Change = (credit: ReportOptions, customer: Subject, vendor: Vendor) => Promise<void>;

/** Changes to the watched customer, by the event that they cause. */
const CHANGES: Readonly<Record<CreditEventType, Change>> = {
  'credit.enquiry': async (credit, customer, vendor) => {
    const { vid } = DEMO_VENDORS.find((one) => one.vid !== vendor.vid) ?? DEMO_VENDORS[0];
    const other = await findVendor(credit.pool, vid);
    if (other === undefined) throw new Error('the sandbox has the demo vendors');
    await enquire(credit, customer, { ...other, suspended: false, keys: [] });
  },
  'credit.default': async (credit, customer) => {
    await submitLoan(credit, customer, { daysInArrears: 120, riskClass: 'C', cents: 8_000_00n });
  },
  // Too little to be listed as a default.
  'credit.score_drop': async (credit, customer) => {
    await submitLoan(credit, customer, { daysInArrears: 80, riskClass: 'B', cents: 900_00n });
  },
};

/**
 * Watches somebody of the registry for the vendor, lets the change happen that the event reports, and
 * ends the watch. Returns the `requestReference` that names the watch in the event.
 */
export async function triggerCreditEvent(
  credit: ReportOptions,
  vendor: Vendor,
  type: CreditEventType,
): Promise<string> {
  const { pool, clock } = credit;
  const { vendorId } = vendor;
  const scoreDrop = type === 'credit.score_drop' ? 1 : NEVER;
  for (let tried = 0; tried < MAX_PEOPLE; tried += 1) {
    const customer = findCustomer();
    const requestReference = await enquire(credit, customer, vendor);
    const crn = await findAnsweredSubject(pool, { vendorId, requestReference });
    if (crn === undefined) throw new Error('an answered enquiry has a subject');
    const watch = { vendorId, requestReference, crn, scoreDrop };
    await look(credit, watch);
    await CHANGES[type](credit, customer, vendor);
    await look(credit, watch);
    await endWatch(pool, { ...watch, at: clock.now() });
    const [last] = await listEvents(pool, vendorId, { state: undefined, type, limit: 1 });
    if (last?.details?.['requestReference'] === requestReference) return requestReference;
  }
  throw new Refusal('changed_meanwhile', { text: `Nobody was found for ${type}; try again` });
}

/** Checks the customer now. The service may be checking the watch, too; then `putWatch` waits for it. */
async function look(
  credit: ReportOptions,
  watch: Omit<Parameters<typeof putWatch>[1], 'at'>,
): Promise<void> {
  const { champions } = await readCardsInForce(credit.pool);
  const options = { ...credit, cards: () => champions, everyMs: HOUR_MS };
  do {
    await putWatch(credit.pool, { ...watch, at: credit.clock.now() });
  } while ((await watchAll(options)) === 0);
}

/** Somebody who pays on time, so that what happens now is news. */
function findCustomer(): Subject {
  const punctual = [...sandboxPopulation(EXAMPLES + PEOPLE)]
    .slice(EXAMPLES)
    .filter(
      ({ profile, file }) =>
        profile.documents.some(({ type }) => type === 'nationalID') &&
        file.accounts.length > 0 &&
        file.accounts.every(({ current }) => current.daysInArrears === 0),
    );
  const chosen = punctual[randomInt(punctual.length)];
  if (chosen === undefined) throw new Error('somebody in the sandbox pays on time');
  return chosen;
}

/** An application for credit. Returns its reference. */
async function enquire(
  credit: ReportOptions,
  { profile }: Subject,
  vendor: Vendor,
): Promise<string> {
  const [name1 = '', name2 = profile.name.surname] = profile.name.forenames;
  const requestReference = `TRIGGER${randomUUID().replaceAll('-', '')}`;
  const enquiryService = await openEnquiryService(credit);
  await askForPerson({ ...credit, enquiryService }, 'generic-score', {
    fields: {
      requestReference,
      ...{ reportReason: '2', reportSector: '2', name1, name2 },
      nationalID: profile.documents.find(({ type }) => type === 'nationalID')?.number ?? '',
      consentReference: BY,
      consentDate: isoDay(credit.clock.now()),
    },
    vendor,
    login: 'sandbox',
  });
  await enquiryService.idle();
  return requestReference;
}

/** A lender’s file with one more loan of the customer, who is late with it. */
async function submitLoan(
  credit: ReportOptions,
  customer: Subject,
  late: Pick<AccountState, 'daysInArrears' | 'riskClass'> & { readonly cents: bigint },
): Promise<void> {
  const { cents, daysInArrears, riskClass } = late;
  const asOf = lastMonthEnd(credit.clock.now());
  const number = randomUUID();
  const openedOn = new Date(asOf.getTime() - (daysInArrears + 30) * DAY_MS);
  const loan: CreditAccount = {
    ...{ key: `${LENDER}/${number}`, lender: LENDER, sector: 'mobile_lender', product: 'I' },
    ...{ openedOn, originalCents: cents, instalmentCents: cents, repaymentMonths: 1 },
    ...{ lastPaymentOn: null, lastPaymentCents: null, history: [], disputed: false },
    current: {
      ...{ asOf, balanceCents: cents, overdueCents: cents, daysInArrears, riskClass },
      ...{ instalmentsInArrears: 1, status: 'F', statusOn: openedOn },
    },
  };
  const one = { ...customer, file: { ...customer.file, accounts: [loan] } };
  const lines = [...mobileLines([one], { lender: LENDER, asOf })];
  const file = { name: `${number}.csv`, lender: LENDER, lines, asOf, by: BY };
  const { findings } = await importMobileFile(credit, file);
  if (findings.length > 0) throw new Error(`the loan has findings: ${JSON.stringify(findings)}`);
}
