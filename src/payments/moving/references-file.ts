import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { newId } from '../../platform/base/ids.ts';
import { parseMoney } from '../../platform/base/money.ts';
import { phoneNumber } from '../../platform/base/mobile-number.ts';
import { parseSenderTime } from '../../platform/base/clock.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { readCsv } from '../../platform/csv-file.ts';
import { normaliseAccount } from '../billers/account.ts';
import type { Biller } from '../billers/biller.ts';
import { MERCHANT_REFERENCE } from '../create/payment.ts';
import { LineProblem, readLine, requireColumns } from './problem.ts';
import type { Problem } from './problem.ts';
import type { UsedReference } from './store.ts';

const NEEDED = ['vid', 'reference', 'status'] as const;
const KNOWN = [...NEEDED, 'time', 'biller', 'account', 'amount', 'fee', 'phone'] as const;

const BILLER = /^[a-z0-9_]{1,40}$/;
/** Billers of the other system may be unknown here, with their formats. */
const ACCOUNT = /^\P{C}{1,200}$/u;

/** What a file of references is read against. */
export interface Known {
  /** Vendors that came from another system. */
  readonly vendors: ReadonlyMap<string, number>;
  readonly billers: ReadonlyMap<string, Pick<Biller, 'accountFormat'>>;
  readonly wireTime: WireTime;
  readonly now: Date;
}

/** The SHA-256 of a file’s bytes, which two people approve. */
export async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

export type ReadReference =
  | { readonly line: number; readonly row: UsedReference }
  | { readonly line: number; readonly problem: Problem };

/** The lines of a file one by one, in constant memory. */
export async function* readReferences(file: string, known: Known): AsyncGenerator<ReadReference> {
  let columns: readonly string[] | undefined;
  for await (const line of readCsv(file)) {
    if (columns === undefined) {
      const head = readLine(line, line.values, () =>
        requireColumns(line, { needed: NEEDED, known: KNOWN }),
      );
      if ('problem' in head) {
        yield { line: line.line, problem: head.problem };
        return;
      }
      columns = head.row;
      continue;
    }
    const read = readLine(line, columns, (cell) => referenceOf(cell, known));
    yield { line: line.line, ...read };
  }
}

const OUTCOMES: Readonly<Record<string, UsedReference['outcome']>> = {
  ...{ SUCCESS: 'success', FAILED: 'failed', PENDING: null, QUEUED: null },
};

function referenceOf(cell: (column: string) => string, known: Known): UsedReference {
  const vendorId = known.vendors.get(cell('vid'));
  if (vendorId === undefined) throw new LineProblem('vid', 'no vendor with this vid was imported');
  const merchantReference = cell('reference');
  if (!MERCHANT_REFERENCE.test(merchantReference)) {
    throw new LineProblem('reference', 'must be 1 to 64 printable ASCII characters');
  }
  const outcome = OUTCOMES[cell('status').toUpperCase()];
  if (outcome === undefined) {
    throw new LineProblem('status', `must be one of ${Object.keys(OUTCOMES).join(', ')}`);
  }
  return {
    ...{ vendorId, merchantReference, outcome, paymentId: newId() },
    createdAt: timeOf(cell('time'), known),
    feeCents: parseMoney(cell('fee') || '0', 'fee'),
    ...contentOf(cell, known),
  };
}

function timeOf(text: string, { wireTime, now }: Known): Date {
  if (text === '') return now;
  const time = parseSenderTime(text, wireTime);
  if (time === undefined || time > now) {
    throw new LineProblem('time', 'must be a time in the past, such as 2026-10-31 09:15:00');
  }
  return time;
}

/** All of it, or nothing: a create is a repeat only if all of it is the same. */
function contentOf(
  cell: (column: string) => string,
  { billers }: Known,
): Pick<UsedReference, 'billerCode' | 'account' | 'amountCents' | 'phone'> {
  const [billerCode, account, amount] = [
    cell('biller').toLowerCase(),
    cell('account'),
    cell('amount'),
  ];
  const phone = cell('phone') === '' ? null : phoneNumber(cell('phone'));
  if (phone === undefined) throw new LineProblem('phone', 'is no phone number');
  if (billerCode === '' && account === '' && amount === '') {
    return { billerCode: null, account: null, amountCents: null, phone };
  }
  const missing = ['biller', 'account', 'amount'].find((column) => cell(column) === '');
  if (missing !== undefined) {
    throw new LineProblem(missing, 'is missing; give biller, account and amount, or none of them');
  }
  const amountCents = parseMoney(amount, 'amount');
  if (amountCents === 0n) throw new LineProblem('amount', 'must be above zero');
  if (!BILLER.test(billerCode)) throw new LineProblem('biller', 'is no code of a biller');
  if (!ACCOUNT.test(account)) {
    throw new LineProblem('account', 'must be 1 to 200 printable characters');
  }
  return {
    ...{ billerCode, amountCents, phone },
    account: normaliseAccount(account, billers.get(billerCode)),
  };
}
