/** Dimensions by which a margin can be listed. */
export const DIMENSIONS = ['biller', 'operator', 'vendor', 'day'] as const;
export type Dimension = (typeof DIMENSIONS)[number];
