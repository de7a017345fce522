import { createWireTime } from '../../../platform/base/clock.ts';
import { centsOf, objectOf, readContradictory, readJson, textOf } from '../../values.ts';
import { cleanMessage } from '../../../platform/base/clean-text.ts';
import { readReceiptNumber } from '../../source.ts';
import type { PulledPage, ReportedPayment } from '../../source.ts';

/** Daraja's times have no zone; they are taken as those of East Africa. */
export const darajaTime = createWireTime('Africa/Nairobi');

/** `YYYYMMDDHHMMSS`, of a time. */
export function stampOf(time: Date): string {
  return darajaTime.format(time).replaceAll(/[^\d]/g, '');
}

/** `YYYY-MM-DD HH:MM:SS`, of a time. */
export function darajaTimeOf(time: Date): string {
  return darajaTime.format(time);
}

/** A time such as `20260105101530`, `2026-01-05 10:15:30` or `2026-01-05T10:15:30+03:00`. */
export function readDarajaTime(text: string | undefined): Date | undefined {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})-?(\d\d)-?(\d\d)[ T]?(\d\d):?(\d\d):?(\d\d)(?:\.\d{1,9})?(?:Z|\+\d\d:?\d\d)?$/.exec(
      text ?? '',
    ) ?? [];
  if (second === undefined) return undefined;
  return darajaTime.parse(`${year}-${month}-${day} ${hour}:${minute}:${second}`);
}

/** The body of validation and confirmation. */
export interface C2bReport extends ReportedPayment {
  /** To this short code. */
  readonly isOurs: boolean;
  /** A name occurs twice: what the body says depends on the reader. */
  readonly isContradictory: boolean;
}

/** Undefined unless it is a payment. */
export function readC2bPayment(body: Buffer, shortCode: string): C2bReport | undefined {
  const contradictory = readContradictory(body);
  const content = objectOf(contradictory ?? readJson(body));
  if (content === undefined) return undefined;
  const read = (name: string): string => cleanMessage(textOf(content[name]) ?? '').trim();
  const receipt = readReceiptNumber(read('TransID'));
  const amountCents = centsOf(read('TransAmount'));
  const paidAt = readDarajaTime(read('TransTime'));
  if (receipt === undefined || amountCents === undefined || paidAt === undefined) return undefined;
  return {
    receipt,
    amountCents,
    paidAt,
    account: read('BillRefNumber') || null,
    payer: payerOf([read('MSISDN'), read('FirstName'), read('MiddleName'), read('LastName')]),
    isReversal: isReversal(read('TransactionType')),
    isOurs: read('BusinessShortCode') === shortCode,
    isContradictory: contradictory !== undefined,
  };
}

/** The answer of the pull: an array, or an array in an array. Undefined: not an answer. */
export function readPulled(body: Buffer): PulledPage | undefined {
  const content = objectOf(readJson(body));
  const code = textOf(content?.['ResponseCode']);
  const given = content?.['Response'];
  // 1000: done. 1001: nothing found.
  if (code === '1001' && given === undefined) return { payments: [], unreadable: 0 };
  if ((code !== '1000' && code !== '1001') || !Array.isArray(given)) return undefined;
  const rows = given.flat(1) as readonly unknown[];
  const payments = rows.map(readPulledRow).filter((row) => row !== undefined);
  return { payments, unreadable: rows.length - payments.length };
}

function readPulledRow(row: unknown): ReportedPayment | undefined {
  const content = objectOf(row);
  if (content === undefined) return undefined;
  const read = (name: string): string => cleanMessage(textOf(content[name]) ?? '').trim();
  const receipt = readReceiptNumber(read('transactionId'));
  const amountCents = centsOf(read('amount'));
  const paidAt = readDarajaTime(read('trxDate'));
  if (receipt === undefined || amountCents === undefined || paidAt === undefined) return undefined;
  return {
    receipt,
    amountCents,
    paidAt,
    account: read('billreference') || null,
    payer: payerOf([read('msisdn'), read('sender')]),
    isReversal: isReversal(read('transactiontype')),
  };
}

const PAYER_LENGTH = 100;

function payerOf(parts: readonly string[]): string | null {
  const payer = parts.filter((part) => part !== '').join(' ');
  return payer === '' ? null : payer.slice(0, PAYER_LENGTH).toWellFormed();
}

/** The kind of movement says so. */
function isReversal(type: string): boolean {
  return /revers/i.test(type);
}
