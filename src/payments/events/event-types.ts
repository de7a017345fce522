/**
 * `corrected`: two people corrected a result that had already been reported. `details_received`: details of a
 * payment came after its success was reported.
 */
export const EVENT_TYPES = [
  'transaction.succeeded',
  'transaction.failed',
  'transaction.corrected',
  'transaction.details_received',
  'credit.default',
  'credit.enquiry',
  'credit.score_drop',
  'float.low',
  'float.recovered',
  'invoice.issued',
  'account.changed',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Staff could otherwise switch it off, and then change what it reports. */
const ALWAYS_SENT = 'account.changed' satisfies EventType;

/** The types that can be switched off. */
export const OPTIONAL_EVENT_TYPES: readonly EventType[] = EVENT_TYPES.filter(
  (type) => type !== ALWAYS_SENT,
);

/**
 * `given_up`: delivery failed for days, or the webhook was removed. `off`: the vendor did not want
 * events of its type.
 */
export const EVENT_STATES = ['waiting', 'delivered', 'given_up', 'off'] as const;
export type EventState = (typeof EVENT_STATES)[number];
