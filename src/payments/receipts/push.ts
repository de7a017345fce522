import { newId } from '../../platform/base/ids.ts';
import { MOBILE_NUMBER } from '../../platform/base/mobile-number.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { PromptState } from '../../connectors/source.ts';
import type { OpenSource } from './sources.ts';
import { findAccountOfVendor } from './sources-store.ts';
import { findPush, insertPush, setPushState } from './pushes-store.ts';
import type { PushRow } from './pushes-store.ts';

export type { PushRow } from './pushes-store.ts';

export interface TopUp {
  readonly vendorId: number;
  /** 12 digits; its owner confirms on the phone. */
  readonly phone: string;
  readonly amountCents: bigint;
  /** Default: a new one. */
  readonly pushId?: string;
}

/** The provider's own limit for one prompt. */
export const MAX_PUSH_CENTS = 25_000_000n;

/** Throws: `PlainError` if the number cannot receive prompts. */
export function requirePhone(phone: string): void {
  if (MOBILE_NUMBER.test(phone)) return;
  throw new PlainError('It must be a mobile number of 12 digits, such as 254712345678.', {
    field: 'phone',
  });
}

/**
 * Sends a phone a prompt to pay to a vendor's account number, so that the vendor tops up its own float.
 * The prompt is recorded before it is sent and never sent twice; one may be open for
 * a vendor, and one for a phone. It credits nothing by itself: the payment is reported as a receipt like any other.
 * Throws: `PlainError` if it cannot be sent.
 */
export async function pushTopUp(pool: Pool, source: OpenSource, topUp: TopUp): Promise<PushRow> {
  const { vendorId, phone, amountCents } = topUp;
  const { sourceCode } = source.row;
  const { sendPush } = source.provider;
  if (sendPush === null) throw new PlainError(`Source ${sourceCode} has no passkey.`);
  requirePhone(phone);
  if (amountCents <= 0n || amountCents % 100n !== 0n || amountCents > MAX_PUSH_CENTS) {
    const max = formatMoney(MAX_PUSH_CENTS);
    throw new PlainError(`It must be whole shillings, at most ${max}.`, { field: 'amount' });
  }
  const account = await findAccountOfVendor(pool, sourceCode, vendorId);
  if (account === undefined) {
    throw new PlainError(
      `The vendor has no account number of at most 12 characters at ${sourceCode}.`,
    );
  }
  const pushId = topUp.pushId ?? newId();
  if (!(await insertPush(pool, { pushId, sourceCode, vendorId, account, phone, amountCents }))) {
    throw new PlainError('A prompt for this vendor or to this phone is already open.');
  }
  const sent = await sendPush({ phone, amountCents, account }, new AbortController().signal);
  const recorded = { pushId, state: 'recorded' } as const;
  const [checkoutId, reason] = sent.kind === 'sent' ? [sent.checkoutId, null] : [null, sent.reason];
  await setPushState(pool, recorded, { state: sent.kind, checkoutId, reason });
  return await requirePush(pool, pushId);
}

/**
 * Asks the provider how a prompt ended. One that was given up may still be known there.
 * Throws: `PlainError` if it is unknown to us, or of another source.
 */
export async function checkTopUp(pool: Pool, source: OpenSource, pushId: string): Promise<PushRow> {
  const row = await requirePush(pool, pushId);
  const { checkoutId } = row;
  const { queryPush } = source.provider;
  if (row.sourceCode !== source.row.sourceCode) {
    throw new PlainError(`The prompt belongs to source ${row.sourceCode}.`, { field: 'source' });
  }
  const isOpen = row.state === 'sent' || row.state === 'unknown';
  if (!isOpen || checkoutId === null || queryPush === null) return row;
  const state: PromptState = await queryPush(checkoutId, new AbortController().signal);
  if (state.kind === 'open') return row;
  const reason = state.kind === 'failed' ? state.reason : null;
  await setPushState(pool, row, { state: state.kind, checkoutId, reason });
  return await requirePush(pool, pushId);
}

async function requirePush(pool: Pool, pushId: string): Promise<PushRow> {
  const row = await findPush(pool, pushId);
  if (row === undefined) throw new PlainError('There is no such prompt.');
  return row;
}
