import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { BillerHealth } from '../payments/billers/health.ts';
import type { ActivitySums } from '../payments/overview/activity.ts';
import { sums, sumsOf, sumsText } from './activity-view.ts';
import { text, textOrNull, timeOrNull } from './fields.ts';

/** Whether a biller can be paid, and how well that goes. */

interface Row {
  readonly offline_reason: string | null;
  readonly offline_until: string | null;
}

const states = Type.Enum(['ONLINE', 'OFFLINE']);

function statusText(
  status: string,
  { offline_reason: reason, offline_until: until }: Row,
  time: (iso: string) => string,
): string {
  if (reason === null) return status;
  return `${status} (${reason}${until === null ? '' : `, until ${time(until)}`})`;
}

export const billerStatus = {
  /** The one that vendors see. */
  status: Type.Enum(['ONLINE', 'OFFLINE'], { title: 'Status', text: statusText }),
  /** The one that people set. */
  set_status: states,
  /** Why vendors see it OFFLINE. */
  offline_reason: textOrNull(),
  /** When it is ONLINE again by itself. */
  offline_until: timeOrNull(),
};

export function statusOf({ biller, availability, offlineReason }: BillerHealth) {
  return {
    status: availability,
    set_status: biller.status,
    offline_reason: offlineReason,
    offline_until: biller.offlineUntil?.toISOString() ?? null,
  };
}

/** As the first page shows it. */
export const billerState = Type.Object({
  biller: text({ title: 'Biller' }),
  name: text(),
  ...billerStatus,
  last_hour: sums({ title: 'Last hour', text: sumsText }),
});
export type BillerState = Static<typeof billerState>;

export function billerStateOf(health: BillerHealth, lastHour: ActivitySums): BillerState {
  const { billerCode, name } = health.biller;
  return { biller: billerCode, name, ...statusOf(health), last_hour: sumsOf(lastHour) };
}
