/** Files for accounting software. docs/operating/accounting.md has the source of each layout. */
export const SUMMARY_FORMATS = ['xero', 'quickbooks', 'sage', 'erpnext', 'hledger'] as const;
export type SummaryFormat = (typeof SUMMARY_FORMATS)[number];
