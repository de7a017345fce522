import type { EnquiryService } from './enquiries/service.ts';
import type { ReportOptions } from './reports/subject-report.ts';

/** Everything of the registry that surfaces call. */

/** What their calls need besides the database. */
export interface CreditDesk extends ReportOptions {
  /** Undefined: this process makes no enquiries. */
  readonly enquiryService: EnquiryService | undefined;
  /** Where people open their own reports. */
  readonly accessUrl: string;
  /** Whom the recipient of a letter may ask. */
  readonly contact: string;
}

export type { AccountState, CreditAccount } from './facts.ts';
export { CREDIT_KIND_NAMES, isAboutPeople, ruleOf } from './decisions/content.ts';
export type { Content, Grounded } from './decisions/content.ts';
export type { ImportDeps, ProposedFile } from './decisions/imports.ts';
export { approveImport, importOf, proposeImport } from './decisions/imports.ts';
export { previewAccount, previewDispute, previewMerge, viewPeople } from './decisions/preview.ts';
export * from './decisions/propose.ts';
export { readAnswered } from './enquiries/read-kept.ts';
export type { AnsweredEnquiry } from './enquiries/read-kept.ts';
export { listEnquiries } from './enquiries/read-enquiries.ts';
export { nameDiffers } from './matching/match.ts';
export { askForPerson, personOf } from './operations/ask.ts';
export { draftAdverseAction, draftConsentReceipt, draftPreListing } from './reports/drafts.ts';
export type { PreListingNotices } from './reports/drafts.ts';
export type { ReportDocument } from './reports/document.ts';
export { rendered } from './reports/rendered.ts';
export { reasonTexts, subjectDocument } from './reports/subject-document.ts';
export type { SubjectReport } from './reports/subject-report.ts';
export { reportOf } from './reports/subject-report.ts';
export { factsOf as cardFacts } from './scorecards/card-facts.ts';
export { readFileOfToday } from './bureaus/registry.ts';
export { makeAccessLink } from './reports/access-links-store.ts';
export { explainScore, scoreFile } from './scorecards/score.ts';
export { findImport, listImports, readFindings } from './importing/imports-store.ts';
export type { ListedImport } from './importing/imports-store.ts';
export { importFile } from './importing/import.ts';
export { addCard, listCardChanges } from './governance/cards-store.ts';
export { readAllCards, readCardsInForce } from './governance/cards.ts';
export { plotsOf } from './monitoring/card-plots.ts';
export { readKeptMonths } from './monitoring/months-store.ts';
export type { Override } from './monitoring/overrides-store.ts';
export { listOverrides } from './monitoring/overrides-store.ts';
export { readMonthsWithOverrides, recordOverride } from './monitoring/overrides.ts';
export { readUsage } from './monitoring/read-usage.ts';
export { findCase, listCases } from './registry/cases-store.ts';
export type { CreditCase } from './registry/cases-store.ts';
export { findOpenDispute, listOpenDisputes, openDispute } from './registry/disputes-store.ts';
export { findLender, setAmountUnit } from './registry/lenders-store.ts';
export { listMerges } from './registry/read-merges.ts';
export { crnOf } from './registry/named-subject.ts';
export type { SuppressionRule } from './registry/suppression.ts';
export { listSuppressionChanges, readSuppressionRules } from './registry/read-suppression.ts';
export { listRecipients, listWithdrawals, readShownSpans } from './registry/withdrawals-store.ts';
export { characteristic } from './scorecards/characteristics.ts';
export { isDeceased, isOriginalKnown } from './scorecards/standing.ts';
export { cardName, readScorecard } from './scorecards/scorecard.ts';
export type { Scorecard } from './scorecards/scorecard.ts';
export { listVendorWatches, listWatchesDuring } from './watches/lists-store.ts';
