import { PRODUCT_TYPES, RISK_CLASSES } from '../facts.ts';
import type { AccountStatus, RiskClass } from '../facts.ts';
import { inShillings, readAmounts } from './amounts.ts';
import type { Amounts } from './amounts.ts';
import { LineReader } from './fields.ts';
import { readIdentity } from './identity.ts';
import type { Day, State, Terms } from '../registry/account.ts';
import type { Finding, SubmittedAccount } from './record.ts';
import { UNREAD } from './template.ts';
import type { Column } from './template.ts';
import { IN_SHILLINGS } from './unit.ts';
import type { AmountForm } from './unit.ts';

/** H holds the account, G guarantees it. */
const ROLES = ['H', 'G'] as const;

/** N is the bureau's own (not updated); lenders do not submit it. */
const STATUSES = [
  'A',
  'B',
  'C',
  'D',
  'E',
  'F',
  'G',
  'H',
  'J',
  'K',
  'L',
  'M',
  'P',
] as const satisfies readonly AccountStatus[];

/**
 * Maximum days in arrears of classes A to D (prudential guideline CBK/PG/04, by the data template).
 */
const CLASS_DAYS = [30, 90, 180, 360] as const;
/**
 * In these statuses lenders may use a worse class than the days imply: write-off, legal, collection,
 * rescheduled, called up.
 */
const CLASSED_BY_JUDGEMENT: ReadonlySet<string> = new Set(['C', 'D', 'E', 'G', 'J']);
/** Written off, called up: the whole balance is due. In collection or legal action, arrears may be paid. */
const ALL_DUE: ReadonlySet<string> = new Set(['C', 'J']);

const NUMBER_LENGTH = 40;

export type Validated =
  | {
      readonly account: SubmittedAccount;
      readonly findings?: undefined;
      /** Unusual values in the line. */
      readonly remarks: readonly Finding[];
    }
  | { readonly account?: undefined; readonly findings: readonly Finding[] };

export interface Validator {
  /**
   * One record of the file: the account it submits, or all of its problems. Pure.
   * @param line the line of the file that the record begins on.
   * @param numbers places of the cells that an Excel file has as numbers.
   */
  validate(line: number, values: readonly string[], numbers?: ReadonlySet<number>): Validated;
}

/**
 * @param asOf as-of date of the submission, `YYYY-MM-DD`.
 * @param places of the columns in a row.
 */
export function createValidator(
  places: ReadonlyMap<Column, number>,
  asOf: Day,
  form: AmountForm = IN_SHILLINGS,
  columnCount = places.size,
): Validator {
  const read = [...places.keys()].filter((column) => !UNREAD.has(column));
  return {
    validate: (line, values, numbers) => {
      const cleaned = values.map(oneLine);
      const reader = new LineReader({ line, values: cleaned, numbers }, places, form);
      if (values.length !== columnCount) {
        reader.fault('', 'columns', `a line must have ${columnCount} values`);
        return { findings: reader.findings };
      }
      reader.findDamaged(read);
      if (reader.findings.length > 0) return { findings: reader.findings };
      const profile = readIdentity(reader, asOf);
      const account = readAccount(reader, asOf, profile.dateOfBirth);
      if (account === undefined || reader.findings.length > 0) {
        return { findings: reader.findings };
      }
      return { account: { line, profile, ...account }, remarks: reader.remarks };
    },
  };
}

/** A cell of a spreadsheet may have several lines. */
function oneLine(value: string): string {
  const trimmed = value.trim();
  return trimmed.includes('\n') ? trimmed.replaceAll(/\s*\n\s*/g, ' ') : trimmed;
}

function readAccount(
  reader: LineReader,
  asOf: Day,
  bornOn: Day,
): Omit<SubmittedAccount, 'line' | 'profile'> | undefined {
  const { clientNumber, accountNumber } = readNumbers(reader);
  const product = reader.code('AccountProductType', PRODUCT_TYPES);
  const riskClass = reader.code('PrudentialRiskClassification', RISK_CLASSES);
  const status = reader.code('AccountStatus', STATUSES);
  const amounts = readAmounts(reader);
  const arrears = readArrears(reader, amounts.overdue);
  const days = readDays(reader, asOf, bornOn);
  const repaymentMonths = reader.count('RepaymentPeriod') ?? null;
  if (riskClass !== undefined && status !== undefined && arrears.days !== undefined) {
    checkClass(reader, riskClass, status, arrears.days);
  }
  if (status !== undefined) checkStatus(reader, status, amounts);
  if ((amounts.lastPayment ?? 0n) > 0n && reader.text('LatestPaymentDate') === '') {
    reader.fault(
      'LatestPaymentDate',
      'payment_needs_date',
      'LatestPaymentDate is required when LastPaymentAmount is more than 0',
    );
  }
  const money = inShillings(reader, amounts);
  if (
    product === undefined ||
    riskClass === undefined ||
    status === undefined ||
    money === undefined ||
    arrears.days === undefined ||
    arrears.instalments === undefined ||
    days.statusOn === undefined ||
    days.openedOn === undefined
  ) {
    return undefined;
  }
  const terms: Terms = {
    product,
    openedOn: days.openedOn,
    originalCents: money.original,
    instalmentCents: money.instalment,
    repaymentMonths,
    jointHolders: readJoint(reader),
    isGuarantee: readRole(reader),
  };
  const state: State = {
    asOf,
    balanceCents: money.balance,
    overdueCents: money.overdue,
    daysInArrears: arrears.days,
    instalmentsInArrears: arrears.instalments,
    riskClass,
    status,
    statusOn: days.statusOn,
    lastPaymentOn: days.lastPaymentOn ?? null,
    lastPaymentCents: money.lastPayment,
  };
  return { accountNumber, clientNumber, terms, states: [state] };
}

/** Nothing is looked up by the number of the client, so it may be missing. */
function readNumbers(reader: LineReader) {
  if (reader.text('ClientNumber') === '') reader.remarkMissing('ClientNumber');
  reader.required('AccountNumber');
  for (const column of ['AccountNumber', 'ClientNumber'] as const) {
    if (reader.isNumber(column)) {
      reader.remarkChanged(column, 'is a number, so zeros in front of it would be lost');
    }
  }
  return {
    clientNumber: reader.freeText('ClientNumber', NUMBER_LENGTH),
    accountNumber: reader.freeText('AccountNumber', NUMBER_LENGTH),
  };
}

/** Null: the lender does not say. J means that there is somebody else. */
function readJoint(reader: LineReader): number | null {
  if (reader.text('JointOrSingle') === '') return reader.count('JointHolders') ?? null;
  return reader.code('JointOrSingle', ['J', 'S']) === 'J' ? 1 : 0;
}

/** Null: the lender does not say. */
function readRole(reader: LineReader): boolean | null {
  return reader.text('Role') === '' ? null : reader.code('Role', ROLES) === 'G';
}

/** Arrears must be given completely or not at all. */
function readArrears(
  reader: LineReader,
  overdue: bigint | undefined,
): { readonly days: number | undefined; readonly instalments: number | undefined } {
  const days = reader.requiredCount('DaysInArrears');
  const instalments = reader.requiredCount('InstalmentsInArrears');
  if (overdue !== undefined && overdue > 0n) {
    if (reader.text('OverdueDate') === '') {
      reader.fault(
        'OverdueDate',
        'overdue_needs_date',
        'OverdueDate is required when OverdueBalance is more than 0',
      );
    }
    if (days === 0) {
      reader.fault(
        'DaysInArrears',
        'overdue_needs_days',
        'DaysInArrears must be more than 0 when OverdueBalance is',
      );
    }
    if (instalments === 0) {
      reader.fault(
        'InstalmentsInArrears',
        'overdue_needs_instalments',
        'InstalmentsInArrears must be more than 0 when OverdueBalance is',
      );
    }
  }
  if (overdue === 0n && days !== undefined && days > 0) {
    reader.fault(
      'OverdueBalance',
      'days_need_overdue',
      'OverdueBalance must be more than 0 when DaysInArrears is',
    );
  }
  if (days !== undefined && instalments !== undefined && (days === 0) !== (instalments === 0)) {
    reader.fault(
      'InstalmentsInArrears',
      'instalments_and_days',
      'InstalmentsInArrears and DaysInArrears must both be 0 or both be more',
    );
  }
  return { days, instalments };
}

/** Dates of past events: none later than the submission, none before the disbursement. */
function readDays(reader: LineReader, asOf: Day, bornOn: Day) {
  reader.day('InstalmentDueDate');
  const openedOn = reader.requiredDay('DisbursementDate');
  const statusOn = reader.requiredDay('AccountStatusDate');
  const overdueOn = reader.day('OverdueDate');
  const lastPaymentOn = reader.day('LatestPaymentDate');
  for (const [column, day] of [
    ['DisbursementDate', openedOn],
    ['AccountStatusDate', statusOn],
    ['OverdueDate', overdueOn],
    ['LatestPaymentDate', lastPaymentOn],
  ] as const) {
    if (day === undefined) continue;
    if (day > asOf) {
      reader.fault(column, 'future_date', `${column} must not be after the as-of date`);
    } else if (openedOn !== undefined && day < openedOn) {
      reader.fault(column, 'before_disbursement', `${column} must not be before DisbursementDate`);
    }
  }
  if (openedOn !== undefined && openedOn < bornOn) {
    reader.fault('DisbursementDate', 'before_birth', 'DisbursementDate must be after DateOfBirth');
  }
  return { openedOn, statusOn, lastPaymentOn };
}

/** A closed account owes nothing; one that is written off or called up owes all of its balance. */
function checkStatus(
  reader: LineReader,
  status: AccountStatus,
  { balance, overdue }: Amounts,
): void {
  if (balance === undefined || balance <= 0n) return;
  if (status === 'A') {
    reader.fault(
      'CurrentBalance',
      'closed_balance',
      'CurrentBalance must not be more than 0 when AccountStatus is A (closed)',
    );
  } else if (ALL_DUE.has(status) && overdue === 0n) {
    reader.fault(
      'OverdueBalance',
      'due_needs_overdue',
      'OverdueBalance must be more than 0 when AccountStatus is C or J and CurrentBalance is more than 0',
    );
  }
}

function checkClass(
  reader: LineReader,
  riskClass: RiskClass,
  status: AccountStatus,
  days: number,
): void {
  const least = CLASS_DAYS.filter((max) => days > max).length;
  const given = RISK_CLASSES.indexOf(riskClass);
  if (given === least || (given > least && CLASSED_BY_JUDGEMENT.has(status))) return;
  reader.fault(
    'PrudentialRiskClassification',
    'class_and_days',
    `PrudentialRiskClassification must be ${RISK_CLASSES[least]} for these DaysInArrears (A to 30, B to 90, C to 180, D to 360, E above)`,
  );
}
