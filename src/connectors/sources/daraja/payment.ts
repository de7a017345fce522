import { createHash } from 'node:crypto';
import { createWireTime } from '../../../platform/base/clock.ts';
import { centsOf, objectOf, readContradictory, readJson, textOf } from '../../values.ts';
import { cleanMessage, UNDECODED } from '../../../platform/base/clean-text.ts';
import { readReceiptNumber } from '../../source.ts';
import { movementTypeOf } from './movement-type.ts';
import { isOurs } from './settings.ts';
import type { OurNumbers } from './settings.ts';
import type { PulledPage, ReportedPayment, UnreadableRow } from '../../source.ts';

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

/** Returns the problem, as text, unless it is a payment. */
export function readC2bPayment(
  body: Buffer,
  ours: OurNumbers,
  arrivedAt: Date,
): C2bReport | string {
  const contradictory = readContradictory(body);
  const content = objectOf(contradictory ?? readJson(body));
  if (content === undefined) return 'it is no JSON object';
  const read = readerOf(content);
  const receipt = readReceiptNumber(read('TransID'));
  if (receipt === undefined) return 'TransID is no receipt number';
  const amountCents = amountOf(read('TransAmount'));
  if (amountCents === undefined) return 'TransAmount is no amount';
  const type = read('TransactionType');
  return {
    receipt,
    amountCents,
    ...timeOf(read('TransTime'), arrivedAt),
    account: read('BillRefNumber') || ours.till,
    payer: payerOf([read('MSISDN'), read('FirstName'), read('MiddleName'), read('LastName')]),
    isReversal: movementTypeOf(type) === 'reversal',
    // It may be the word for a reversal.
    ...(type.includes(UNDECODED) && { unknownType: type }),
    isOurs: isOurs(ours, read('BusinessShortCode')),
    isContradictory: contradictory !== undefined,
  };
}

/** Reads values of Daraja's messages by their names; empty: there is none. */
function readerOf(content: Readonly<Record<string, unknown>>) {
  return (name: string): string => cleanMessage(textOf(content[name]) ?? '').trim();
}

/** Cents of `500`, `500.00` or `1,500.00`. */
function amountOf(written: string): bigint | undefined {
  const isGrouped = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(written);
  return centsOf(isGrouped ? written.replaceAll(',', '') : written);
}

/** Some messages have no time, or write it in a way that is not documented. */
function timeOf(
  written: string,
  arrivedAt: Date,
): Pick<ReportedPayment, 'paidAt' | 'isArrivalTime'> {
  const paidAt = readDarajaTime(written);
  return paidAt === undefined ? { paidAt: arrivedAt, isArrivalTime: true } : { paidAt };
}

/**
 * The answer of the pull: an array, or an array in an array. Undefined: not an answer. The code 1001 is “No records found
 * or Organization Name not available”, so that it says nothing about a short code that was never registered.
 */
export function readPulled(
  body: Buffer,
  ours: OurNumbers,
  arrivedAt: Date,
): PulledPage | undefined {
  const content = objectOf(readJson(body));
  const code = textOf(content?.['ResponseCode']);
  const given = content?.['Response'];
  if (code !== '1000' && code !== '1001') return undefined;
  const isNothing = given === undefined || given === null || given === '' || given === '[[]]';
  if (code === '1001' && isNothing) return { payments: [], unreadable: [], mayBeUnknown: true };
  if (!Array.isArray(given)) return undefined;
  const rows = (given.flat(1) as readonly unknown[]).map((row) =>
    readPulledRow(row, ours, arrivedAt),
  );
  return {
    payments: rows.filter((row) => typeof row === 'object' && 'receipt' in row),
    others: rows.filter((row) => typeof row === 'string'),
    digest: createHash('sha256').update(JSON.stringify(given)).digest('hex'),
    unreadable: rows.filter((row) => typeof row === 'object' && 'problem' in row),
    ...(code === '1001' && rows.length === 0 && { mayBeUnknown: true }),
  };
}

/** Text: a movement of money of ours. */
function readPulledRow(
  row: unknown,
  ours: OurNumbers,
  arrivedAt: Date,
): ReportedPayment | UnreadableRow | string {
  const body = Buffer.from(JSON.stringify(row));
  const content = objectOf(row);
  if (content === undefined) return { problem: 'it is no JSON object', body };
  const read = readerOf(content);
  const type = read('transactiontype');
  const meaning = movementTypeOf(type);
  if (meaning === 'movement') return `${read('transactionId')}, ${type}, ${read('amount')}`;
  const receipt = readReceiptNumber(read('transactionId'));
  if (receipt === undefined) return { problem: 'transactionId is no receipt number', body };
  const amountCents = amountOf(read('amount'));
  if (amountCents === undefined) return { problem: 'amount is no amount', body };
  return {
    receipt,
    amountCents,
    ...timeOf(read('trxDate'), arrivedAt),
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
