import { CURRENCY } from '../../../platform/base/money.ts';
import { childrenOf, elementAt, textAt } from '../../../platform/base/xml.ts';
import type { XmlElement } from '../../../platform/base/xml.ts';
import { unsignedAmount } from './amounts.ts';
import { effectCents } from './line.ts';
import type { LineKind, LineProblem, StatementLine } from './line.ts';
import type { AccountRules } from './settings.ts';

export interface EntryRules extends Pick<AccountRules, 'identifiedBy'> {
  readonly timeOf: (element: XmlElement) => Date | undefined;
}

/** What the bank says about a reference that the payer did not give. */
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
  // What is pending is not taken, and may have no reference yet.
  if (references === undefined && whole.kind !== 'pending') {
    return yield { line, problem: `${rules.identifiedBy}, the bank’s reference, is missing` };
  }
  if (payments.length < 2) {
    return yield { ...whole, reference: references?.[0] ?? '', text: textOf([...payments, entry]) };
  }
  const parts = payments.map((payment, index) => {
    const part = movementOf(payment, entry, rules);
    if (part === undefined) return { line: payment.line, problem: 'the amount is zero' };
    if ('problem' in part) return part;
    return { ...part, reference: references?.[index] ?? '', text: textOf([payment, entry]) };
  });
  const movements = parts.filter((part) => 'kind' in part);
  if (movements.length < parts.length) return yield* parts.filter((part) => 'problem' in part);
  let cents = 0n;
  for (const movement of movements) cents += effectCents(movement);
  if (cents === effectCents(whole)) return yield* movements;
  yield { line, problem: 'the payments of the entry do not add up to its amount' };
}

/** One for each payment of the entry, or one for the entry. Undefined: the bank gives none. */
function referencesOf(
  entry: XmlElement,
  payments: readonly XmlElement[],
  identifiedBy: AccountRules['identifiedBy'],
): readonly string[] | undefined {
  const own = payments.map((payment) =>
    identifiedBy === 'AcctSvcrRef' ? usable(textAt(payment, 'Refs', identifiedBy)) : undefined,
  );
  const shared = usable(textAt(entry, identifiedBy)) ?? own[0];
  if (payments.length < 2) return shared === undefined ? undefined : [shared];
  const given = own.filter((reference) => reference !== undefined);
  if (new Set(given).size === payments.length) return given;
  return shared === undefined ? undefined : payments.map((_, index) => numbered(shared, index + 1));
}

/**
 * A part of a batch. Receipt numbers lose their punctuation, so the number has a letter before it and a
 * fixed width: otherwise part 11 of batch 1 would be part 1 of batch 11, and be taken for a repeat.
 */
function numbered(shared: string, part: number): string {
  return `${shared}-P${String(part).padStart(6, '0')}`;
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
  const kind = status === 'BOOK' ? kindOf(side, isReturn) : 'pending';
  return { line, at, amountCents, kind, reference: '', text: '' };
}

/** The side is that of the movement itself: what returns a credit is a debit. */
function kindOf(side: 'CRDT' | 'DBIT', isReturn: boolean): LineKind {
  if (side === 'CRDT') return isReturn ? 'debit_returned' : 'credit';
  return isReturn ? 'credit_returned' : 'debit';
}

function usable(reference: string | undefined): string | undefined {
  return reference === undefined || NO_REFERENCE.test(reference) ? undefined : reference;
}

/** What the payer wrote, then the payer’s name and what the bank adds. */
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
  return parts.filter((part) => part !== undefined && part !== '').join(' ');
}
