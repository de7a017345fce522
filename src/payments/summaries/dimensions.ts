/** What the lines of a summary journal may be summed by besides their account. */
export const SUMMARY_DIMENSIONS = ['vendor', 'biller', 'operator'] as const;
export type SummaryDimension = (typeof SUMMARY_DIMENSIONS)[number];
