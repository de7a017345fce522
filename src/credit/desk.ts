import type { EnquiryService } from './enquiries/service.ts';
import type { ReportOptions } from './reports/subject-report.ts';

/** Everything but the database that surfaces pass to functions of this wing. */
export interface CreditDesk extends ReportOptions {
  /** Undefined: this process makes no enquiries. */
  readonly enquiryService: EnquiryService | undefined;
  /** Where people open their own reports. */
  readonly accessUrl: string;
  /** Whom the recipient of a letter may ask. */
  readonly contact: string;
}
