import { askForPerson } from '../../src/credit/operations/ask.ts';
import type { ReportOptions } from '../../src/credit/reports/subject-report.ts';
import { findVendor } from '../../src/parties/read-vendors.ts';
import { DAY_MS, isoDay } from '../../src/platform/base/days.ts';
import { Refusal } from '../../src/platform/base/errors.ts';
import { openEnquiryService } from '../credit.ts';
import type { Subject } from '../population/population.ts';

const DAYS = 14;
/** When the first enquiry of a day is made, and the time to the next one. */
const FIRST_MINUTE = 7 * 60;
const EVERY_MINUTES = 47;

/**
 * Enquiries of two shops in the two weeks before today. Some find nobody, some have the names of
 * somebody else.
 */
export async function askOften(
  options: ReportOptions,
  subjects: readonly Subject[],
): Promise<void> {
  const { pool, timeZone } = options;
  const today = Math.floor(options.clock.now().getTime() / DAY_MS) * DAY_MS;
  let now = new Date(today);
  const clock = { now: () => now };
  const enquiryService = await openEnquiryService({ ...options, clock });
  const vendors = [await findVendor(pool, 'savanna-stores'), await findVendor(pool, 'ziwa-mart')];
  for (const [index, at] of timesBefore(today).entries()) {
    now = at;
    const vendor = vendors[index % 3 === 0 ? 1 : 0];
    const subject = subjects[(index * 7) % subjects.length];
    if (vendor === undefined || subject === undefined) continue;
    const asked = {
      fields: fieldsOf(subject, index, now),
      // A person asks, so nothing is signed.
      vendor: { ...vendor, suspended: false, keys: [] },
      login: index % 5 === 0 ? 'risk2' : 'risk',
    };
    const operation = index % 4 === 0 ? 'mobile-loan-score' : 'generic-score';
    try {
      await askForPerson({ enquiryService, clock, timeZone }, operation, asked);
    } catch (error) {
      // Nobody was found, which is on record as well; or it was asked before the last stop.
      if (!(error instanceof Refusal)) throw error;
    }
  }
  await enquiryService.idle();
}

/** Oldest first; four to ten a day. */
function timesBefore(today: number): Date[] {
  return Array.from({ length: DAYS }, (_, index) => DAYS - index).flatMap((daysAgo) =>
    Array.from(
      { length: 4 + ((daysAgo * 5) % 7) },
      (_, number) =>
        new Date(today - daysAgo * DAY_MS + (FIRST_MINUTE + number * EVERY_MINUTES) * 60_000),
    ),
  );
}

function fieldsOf({ profile }: Subject, index: number, at: Date): Record<string, string> {
  const document = profile.documents.find(({ type }) => type === 'nationalID');
  const [name1 = '', name2 = profile.name.surname] = profile.name.forenames;
  const isUnknown = index % 19 === 11 || document === undefined;
  const isOther = index % 23 === 13;
  return {
    requestReference: `DEMO${String(index).padStart(4, '0')}`,
    reportReason: '2',
    reportSector: '2',
    nationalID: isUnknown ? String(999_000_000 + index) : document.number,
    name1: isOther ? 'Somebody' : name1,
    name2: isOther ? 'Else' : name2,
    consentReference: `FORM-${index}`,
    consentDate: isoDay(at),
  };
}
