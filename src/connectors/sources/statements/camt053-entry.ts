import { createHash } from 'node:crypto';
import { CURRENCY } from '../../../platform/base/money.ts';
import { childrenOf, elementAt, textAt } from '../../../platform/base/xml.ts';
import type { XmlElement } from '../../../platform/base/xml.ts';
import { unsignedAmount } from './amounts.ts';
import { effectCents } from './line.ts';
import type { LineKind, LineProblem, StatementLine } from '../../source-statements.ts';
import type { AccountRules } from './settings.ts';

export interface EntryRules extends Pick<AccountRules, 'identifiedBy'> {
  readonly timeOf: (element: XmlElement) => Date | undefined;
}

/** The bank's words for a reference that the payer did not give. */
const NO_REFERENCE = /^(?:NOTPROVIDED|NOREF|NONREF)$/i;

/**
 * The movements of one entry: its payments if the bank lists them, itself otherwise. The reference
 * is the bank’s own. The payer’s EndToEndId never is: anybody may repeat one.
 */
export function* readEntry(
  entry: XmlElement,
  rules: EntryRules,
): Generator<StatementLine | LineProblem> {
  const { line } = entry;
  const whole = movementOf(entry, entry, rules);
  if (whole === undefined) return;
  if ('problem' in whole) return yield whole;
  const payments = childrenOf(entry, 'NtryDtls').flatMap((part) => childrenOf(part, 'TxDtls'));
  const references = referencesOf(entry, payments, rules.identifiedBy);
  // What is pending is not taken, and many banks number no charges of theirs.
  if (references === undefined && (whole.kind === 'credit' || whole.kind === 'credit_returned')) {
    return yield { line, problem: `${rules.identifiedBy}, the bank’s reference, is missing` };
  }
  if (isPart(entry, payments, rules)) {
    return yield { line, problem: 'the payments of the entry do not add up to its amount' };
  }
  if (payments.length < 2) {
    const text = textOf([...payments, entry]);
    return yield { ...whole, reference: references?.shared ?? '', text };
  }
  const parts = payments.map((payment) => {
    const part = movementOf(payment, entry, rules);
    if (part === undefined) return { line: payment.line, problem: 'the amount is zero' };
    return 'problem' in part ? part : { ...part, text: textOf([payment, entry]) };
  });
  const read = parts.filter((part) => 'kind' in part);
  if (read.length < parts.length) return yield* parts.filter((part) => 'problem' in part);
  const movements = withReferences(read, payments, references);
  let cents = 0n;
  for (const movement of movements) cents += effectCents(movement);
  if (cents === effectCents(whole)) return yield* movements;
  yield { line, problem: 'the payments of the entry do not add up to its amount' };
}

/** The only payment that the bank lists is not all of the entry: the rest is of other payers. */
function isPart(entry: XmlElement, payments: readonly XmlElement[], rules: EntryRules): boolean {
  const [payment] = payments;
  if (payment === undefined || payments.length > 1) return false;
  const count = childrenOf(entry, 'NtryDtls').map((part) => textAt(part, 'Btch', 'NbOfTxs'));
  if (count.some((text) => text !== undefined && Number(text) > 1)) return true;
  const amount = elementAt(payment, 'Amt');
  if (amount?.attributes.get('Ccy') !== CURRENCY) return false;
  const [part, whole] = [payment, entry].map((element) => movementOf(element, entry, rules));
  return part !== undefined && whole !== undefined && 'kind' in part && 'kind' in whole
    ? effectCents(part) !== effectCents(whole)
    : part !== whole;
}

interface References {
  /** The reference of the entry as a whole. */
  readonly shared: string;
  /** One for each payment of the entry, if each has one of its own. */
  readonly own: readonly string[] | undefined;
}

/** Undefined: the bank gives none. */
function referencesOf(
  entry: XmlElement,
  payments: readonly XmlElement[],
  identifiedBy: AccountRules['identifiedBy'],
): References | undefined {
  const each = payments.map((payment) =>
    identifiedBy === 'AcctSvcrRef' ? usable(textAt(payment, 'Refs', identifiedBy)) : undefined,
  );
  const own = each.filter((reference) => reference !== undefined);
  const shared = usable(textAt(entry, identifiedBy)) ?? own[0];
  if (shared === undefined) return undefined;
  const isEach = payments.length > 1 && new Set(own).size === payments.length;
  return { shared, own: isEach ? own : undefined };
}

/** References that distinguish an entry's payments, in whatever order a corrected statement lists them. */
const IDENTIFYING = ['AcctSvcrRef', 'EndToEndId', 'InstrId'] as const;

/** Longer references are shortened, so that a receipt number is at most 40 characters long. */
const MAX_SHARED = 24;

/** The payments of an entry with their references. Equal payments are distinguished by position. */
function withReferences(
  parts: readonly StatementLine[],
  payments: readonly XmlElement[],
  references: References | undefined,
): StatementLine[] {
  // Only what credits nothing may have none.
  if (references === undefined) return [...parts];
  const { shared, own } = references;
  const seen = new Map<string, number>();
  return parts.map((part, index) => {
    const refs = IDENTIFYING.map((name) => textAt(payments[index], 'Refs', name) ?? null);
    const content = digest(JSON.stringify([...refs, part.kind, String(part.amountCents)]));
    const nth = (seen.get(content) ?? 0) + 1;
    seen.set(content, nth);
    const batch = shared.length <= MAX_SHARED ? shared : digest(shared).slice(0, MAX_SHARED);
    const made = `${batch}P${content.slice(0, 10)}${String(nth).padStart(3, '0')}`;
    return { ...part, reference: own?.[index] ?? made, batch: shared };
  });
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').toUpperCase();
}

/** Undefined: nothing moved. */
function movementOf(
  element: XmlElement,
  entry: XmlElement,
  { timeOf }: EntryRules,
): StatementLine | LineProblem | undefined {
  const { line } = element;
  const amount = elementAt(element, 'Amt') ?? elementAt(element, 'AmtDtls', 'TxAmt', 'Amt');
  const amountCents = unsignedAmount(amount?.text ?? '');
  if (amountCents === undefined) return { line, problem: 'the amount is missing or not valid' };
  if (amountCents === 0n) return undefined;
  const currency = amount?.attributes.get('Ccy');
  if (currency !== CURRENCY) {
    return { line, problem: `the currency is ${currency ?? 'missing'}, not ${CURRENCY}` };
  }
  const side = textAt(element, 'CdtDbtInd') ?? textAt(entry, 'CdtDbtInd');
  if (side !== 'CRDT' && side !== 'DBIT') return { line, problem: 'CdtDbtInd is not valid' };
  const isReturn = /^(?:true|1)$/.test(textAt(entry, 'RvslInd') ?? '');
  const status =
    textAt(entry, 'Sts', 'Cd') ?? textAt(entry, 'Sts') ?? textAt(entry, 'Sts', 'Prtry');
  if (status === undefined) return { line, problem: 'Sts, the status, is missing' };
  const date = elementAt(entry, 'BookgDt') ?? elementAt(entry, 'ValDt');
  const at = date && timeOf(date);
  if (at === undefined)
    return { line, problem: 'BookgDt, the booking date, is missing or not valid' };
  const isReturned = hasReturn(element) || hasReturn(entry);
  const kind =
    status === 'BOOK' ? kindOf(side, isReturn || (side === 'DBIT' && isReturned)) : 'pending';
  const marked = kind === 'credit' && isReturned ? { isReturn: true as const } : {};
  return { line, at, amountCents, kind, reference: '', text: '', ...marked };
}

/** True if the bank says why a payment came back: then the entry is a payment of its own, with its own reference. */
function hasReturn(element: XmlElement): boolean {
  const payments = childrenOf(element, 'NtryDtls').flatMap((part) => childrenOf(part, 'TxDtls'));
  // Of several, each says it itself.
  const own = payments.length === 1 ? payments : [element];
  return own.some((each) => elementAt(each, 'RtrInf') !== undefined);
}

/** The side is that of the movement itself: what returns a credit is a debit. */
function kindOf(side: 'CRDT' | 'DBIT', isReturn: boolean): LineKind {
  if (side === 'CRDT') return isReturn ? 'debit_returned' : 'credit';
  return isReturn ? 'credit_returned' : 'debit';
}

function usable(reference: string | undefined): string | undefined {
  return reference === undefined || NO_REFERENCE.test(reference) ? undefined : reference;
}

/** The payer's own text, then the payer's name and the bank's additions. */
function textOf(elements: readonly XmlElement[]): string {
  const parts = elements.flatMap((element) => {
    const remittance = childrenOf(element, 'RmtInf');
    const parties = elementAt(element, 'RltdPties', 'Dbtr');
    return [
      ...remittance.flatMap((part) => childrenOf(part, 'Ustrd').map(({ text }) => text)),
      ...remittance.flatMap((part) =>
        childrenOf(part, 'Strd').map((structured) => textAt(structured, 'CdtrRefInf', 'Ref')),
      ),
      usable(textAt(element, 'Refs', 'EndToEndId')),
      textAt(parties, 'Nm') ?? textAt(parties, 'Pty', 'Nm'),
      textAt(element, 'AddtlTxInf'),
      textAt(element, 'AddtlNtryInf'),
    ];
  });
  return parts.filter((part) => part !== undefined && part !== '').join('\n');
}
