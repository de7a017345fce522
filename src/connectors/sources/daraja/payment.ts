import { createHash } from 'node:crypto';
import { createWireTime } from '../../../platform/base/clock.ts';
import { centsOf, objectOf, readContradictory, readJson, textOf } from '../../values.ts';
import { cleanMessage } from '../../../platform/base/clean-text.ts';
import { readReceiptNumber } from '../../source.ts';
import { movementTypeOf } from './movement-type.ts';
import { isOurs } from './settings.ts';
import type { OurNumbers } from './settings.ts';
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
  /** To one of our numbers. */
  readonly isOurs: boolean;
  /** A name occurs twice: what the body says depends on the reader. */
  readonly isContradictory: boolean;
}

/** Undefined unless it is a payment. */
export function readC2bPayment(body: Buffer, ours: OurNumbers): C2bReport | undefined {
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
    account: read('BillRefNumber') || ours.till,
    payer: payerOf([read('MSISDN'), read('FirstName'), read('MiddleName'), read('LastName')]),
    isReversal: movementTypeOf(read('TransactionType')) === 'reversal',
    isOurs: isOurs(ours, read('BusinessShortCode')),
    isContradictory: contradictory !== undefined,
  };
}

/**
 * The answer of the pull: an array, or an array in an array. Undefined: not an answer. The code 1001 is “No records found
 * or Organization Name not available”, so that it says nothing about a short code that was never registered.
 */
export function readPulled(body: Buffer, ours: OurNumbers): PulledPage | undefined {
  const content = objectOf(readJson(body));
  const code = textOf(content?.['ResponseCode']);
  const given = content?.['Response'];
  if (code !== '1000' && code !== '1001') return undefined;
  const isNothing = given === undefined || given === null || given === '' || given === '[[]]';
  if (code === '1001' && isNothing) return { payments: [], unreadable: 0, mayBeUnknown: true };
  if (!Array.isArray(given)) return undefined;
  const rows = (given.flat(1) as readonly unknown[]).map((row) => readPulledRow(row, ours));
  const payments = rows.filter((row) => typeof row === 'object');
  const others = rows.filter((row) => typeof row === 'string');
  return {
    payments,
    others,
    digest: createHash('sha256').update(JSON.stringify(given)).digest('hex'),
    unreadable: rows.length - payments.length - others.length,
    ...(code === '1001' && rows.length === 0 && { mayBeUnknown: true }),
  };
}

/** Text: a movement of money of ours. Undefined: it cannot be read. */
function readPulledRow(row: unknown, ours: OurNumbers): ReportedPayment | string | undefined {
  const content = objectOf(row);
  if (content === undefined) return undefined;
  const read = (name: string): string => cleanMessage(textOf(content[name]) ?? '').trim();
  const receipt = readReceiptNumber(read('transactionId'));
  const amountCents = centsOf(read('amount'));
  const paidAt = readDarajaTime(read('trxDate'));
  const type = read('transactiontype');
  const meaning = movementTypeOf(type);
  if (receipt === undefined || amountCents === undefined || paidAt === undefined) return undefined;
  if (meaning === 'movement') return `${receipt}, ${type}, ${read('amount')}`;
  return {
    receipt,
    amountCents,
    paidAt,
    account: read('billreference') || ours.till,
    payer: payerOf([read('msisdn'), read('sender')]),
    isReversal: meaning === 'reversal',
    ...(meaning === 'unknown' && { unknownType: type || 'no type' }),
  };
}

const PAYER_LENGTH = 100;

function payerOf(parts: readonly string[]): string | null {
  const payer = parts.filter((part) => part !== '').join(' ');
  return payer === '' ? null : payer.slice(0, PAYER_LENGTH).toWellFormed();
}
