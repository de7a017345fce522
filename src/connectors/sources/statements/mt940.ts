import { startOfNamedDay } from '../../../platform/base/clock.ts';
import type { WireTime } from '../../../platform/base/clock.ts';
import { CURRENCY } from '../../../platform/base/money.ts';
import { unsignedAmount } from './amounts.ts';
import { isSameAccount } from '../../source-statements.ts';
import { balanceProblem } from './account.ts';
import type { LineKind, LineProblem, StatementLine } from '../../source-statements.ts';
import { compareText, FULL_LINE, heldMovements } from './mt940-held.ts';
import type { TextLines } from './mt940-held.ts';
import type { AccountRules } from './settings.ts';

/** Value date, entry date, mark, funds code, amount, type, our reference, the bank’s. */
const MOVEMENT =
  /^(\d{6})(\d{4})?(R?[CD])[A-Z]?(\d{1,12},\d{0,2})[A-Z]([A-Z0-9]{3})(.{0,34}?)(?:\/\/(.{0,34}))?$/;
const BALANCE = /^([CD])\d{6}([A-Z]{3})(\d{1,12},\d{0,2})$/;

const KINDS: Readonly<Record<string, LineKind>> = {
  C: 'credit',
  RC: 'credit_returned',
  D: 'debit',
  RD: 'debit_returned',
};

/** The type of a movement that gives back another one. */
const RETURNED = 'RTI';

interface Field {
  readonly line: number;
  readonly tag: string;
  readonly value: string;
  /** The length of the text line before it, whose rest this line may be; 0: the line before is no text. */
  readonly follows: number;
}

/**
 * The movements of MT940 messages: fields 61 and 86, if the message names our account, is in
 * shillings and adds up.
 */
export function* readMt940(
  content: string,
  rules: AccountRules,
  wireTime: WireTime,
): Generator<StatementLine | LineProblem> {
  const fields = fieldsOf(content);
  const messages = messagesOf(fields);
  const text = textLinesOf(fields);
  if (messages.length === 0) yield { line: 1, problem: 'it has no MT940 statement' };
  for (const message of messages) {
    const lines = [...movementsOf(message, rules, wireTime)];
    yield* lines;
    const movements = lines.filter((line) => 'kind' in line);
    const followed = new Map(message.map(({ line, follows }) => [line, follows]));
    const placed = movements.map((movement) => ({
      movement,
      follows: followed.get(movement.line) ?? 0,
    }));
    const held = heldMovements(placed, text, rules.checksBalances);
    yield* held.filter(({ line }) => rules.acceptedLines?.has(line) !== true);
    // The sum is worth nothing while lines cannot be read.
    const problem = problemOf(message, movements, {
      ...rules,
      checksBalances: rules.checksBalances && movements.length === lines.length,
    });
    if (problem !== undefined) yield problem;
  }
}

function textLinesOf(fields: readonly Field[]): TextLines {
  const texts = fields
    .filter(({ tag }) => tag === '86')
    .map(({ value }) => `:86:${value}`.split('\n'));
  return {
    width: texts.flat().reduce((most, { length }) => (length > most ? length : most), 0),
    isBroken: texts.some((lines) => lines.length > 1),
  };
}

function* movementsOf(
  message: readonly Field[],
  rules: AccountRules,
  wireTime: WireTime,
): Generator<StatementLine | LineProblem> {
  for (const [index, { line, tag, value, follows }] of message.entries()) {
    if (follows >= FULL_LINE && FORGEABLE.test(tag) && rules.acceptedLines?.has(line) !== true) {
      yield { line, problem: heldText(line, tag) };
    }
    if (tag !== '61') continue;
    const next = message[index + 1];
    const purpose = next?.tag === '86' ? next.value : '';
    const [first = '', ...details] = value.split('\n');
    const movement = movementOf({ line, value: first }, rules, wireTime);
    if (movement === undefined) continue;
    yield 'problem' in movement
      ? movement
      : { ...movement, text: [purpose, ...details].join('\n').trim() };
  }
}

/**
 * Fields that would move money if a payer's text contained them: movements, and what begins a statement. A
 * closing balance moves nothing, and there is one in a statement.
 */
const FORGEABLE = /^(?:61|20|25|28|60)/;

function heldText(line: number, tag: string): string {
  return `field ${tag} follows a full line of text, so a payer may have written it. ${compareText(line)}`;
}

/** Undefined: nothing moved. */
function movementOf(
  { line, value }: Pick<Field, 'line' | 'value'>,
  { identifiedBy }: AccountRules,
  wireTime: WireTime,
): StatementLine | LineProblem | undefined {
  const [, valueDate = '', entryDate, mark = '', amount = '', type = '', ours = '', banks = ''] =
    MOVEMENT.exec(value) ?? [];
  // A debit that returns a credit, in a movement of its own.
  const kind = type === RETURNED && mark === 'D' ? 'credit_returned' : KINDS[mark];
  if (kind === undefined) return { line, problem: 'field 61 is not valid' };
  const at = startOfNamedDay(bookingDay(valueDate, entryDate), wireTime);
  const amountCents = centsOf(amount);
  const reference = (banks === '' ? ours : banks).trim().replace(/^NONREF$/, '');
  if (at === undefined) return { line, problem: 'the date is not valid' };
  if (amountCents === undefined) return { line, problem: 'the amount is not valid' };
  if (amountCents === 0n) return undefined;
  // Many banks number no charges of theirs.
  if (reference === '' && (kind === 'credit' || kind === 'credit_returned')) {
    return { line, problem: 'the reference is missing' };
  }
  // What is before the slashes may be the payer’s own, and anybody may repeat it.
  if (kind === 'credit' && banks.trim() === '' && identifiedBy !== 'OwnerRef') {
    return { line, problem: 'the bank’s reference, after //, is missing' };
  }
  const marked = type === RETURNED && kind === 'credit' ? { isReturn: true as const } : {};
  return { line, at, amountCents, kind, reference, text: '', ...marked };
}

function centsOf(amount: string): bigint | undefined {
  return unsignedAmount(amount.replace(',', '.').replace(/\.$/, ''));
}

/**
 * @param valueDate YYMMDD.
 * @param entryDate MMDD, of the same year or of one next to it.
 */
function bookingDay(valueDate: string, entryDate: string | undefined): string {
  const [year, month] = [Number(valueDate.slice(0, 2)), Number(valueDate.slice(2, 4))];
  const day = entryDate ?? valueDate.slice(2);
  const months = Number(day.slice(0, 2)) - month;
  const moved = months > 6 ? year - 1 : months < -6 ? year + 1 : year;
  return `20${String(moved).padStart(2, '0')}-${day.slice(0, 2)}-${day.slice(2)}`;
}

function problemOf(
  message: readonly Field[],
  movements: readonly StatementLine[],
  { account, checksBalances }: AccountRules,
): LineProblem | undefined {
  const line = message[0]?.line ?? 1;
  const find = (pattern: RegExp): string | undefined =>
    message.find(({ tag }) => pattern.test(tag))?.value;
  const named = find(/^25/);
  if (account !== undefined && !isSameAccount(named, account)) {
    return { line, problem: `the statement is of the account ${named ?? ''}, not of ${account}` };
  }
  for (const field of ['60', '62']) {
    const twice = message.filter(({ tag }) => tag.startsWith(field))[1];
    if (twice !== undefined) return { line: twice.line, problem: `field ${field} is there twice` };
  }
  const [opening, closing] = [find(/^60[FM]$/), find(/^62[FM]$/)].map(balanceOf);
  if (opening === undefined)
    return { line, problem: 'field 60, the opening balance, is not valid' };
  if (closing === undefined) {
    return { line, problem: 'field 62, the closing balance, is missing or not valid' };
  }
  const foreign = [opening, closing].find(({ currency }) => currency !== CURRENCY);
  if (foreign) return { line, problem: `the currency is ${foreign.currency}, not ${CURRENCY}` };
  if (!checksBalances) return undefined;
  return balanceProblem(line, { opening: opening.cents, closing: closing.cents, movements });
}

interface Balance {
  readonly currency: string;
  /** Negative: the bank’s claim. */
  readonly cents: bigint;
}

function balanceOf(value: string | undefined): Balance | undefined {
  const [, mark, currency = '', amount = ''] = BALANCE.exec(value?.trim() ?? '') ?? [];
  const cents = centsOf(amount);
  if (cents === undefined) return undefined;
  return { currency, cents: mark === 'D' ? -cents : cents };
}

/** Each begins with field 20. */
function messagesOf(fields: readonly Field[]): Field[][] {
  const messages: Field[][] = [];
  for (const field of fields) {
    const last = messages.at(-1);
    if (last === undefined || field.tag === '20') messages.push([field]);
    else last.push(field);
  }
  return messages;
}

/** Ends a message; a line of a purpose may begin with a dash as well. */
const END = /^(?:-|-?\}.*)?$/;

/** Fields such as `:61:…`, which may go on over several lines. Those for the bank’s use are left out. */
function fieldsOf(content: string): Field[] {
  const fields: { line: number; tag: string; values: string[]; follows: number }[] = [];
  const lines = content.split(/\r\n|\n|\r/);
  for (const [index, text] of lines.entries()) {
    const [, tag, value = ''] = /^:(NS|\d{2}[A-Z]?):(.*)$/.exec(text) ?? [];
    if (tag !== undefined) {
      // Text is in the field before. A movement has its own width.
      const isText = fields.at(-1)?.tag !== '61' || (fields.at(-1)?.values.length ?? 0) > 1;
      const follows = isText ? (lines[index - 1]?.length ?? 0) : 0;
      fields.push({ line: index + 1, tag, values: [value], follows });
    } else if (!END.test(text)) fields.at(-1)?.values.push(text);
  }
  return fields
    .filter(({ tag }) => tag !== 'NS')
    .map(({ values, ...field }) => ({ ...field, value: values.join('\n') }));
}
