import type {
  AccountState,
  AccountStatus,
  CreditAccount,
  ProductType,
  RiskClass,
} from '../../src/credit/facts.ts';
import type { Sector } from '../../src/parties/vendor.ts';
import type { Calendar } from './calendar.ts';

/** Months of earlier states kept with an account. */
const HISTORY_MONTHS = 36;
/** A lender stops submitting an inactive account after this many months. */
const MAX_MONTHS_AFTER_TERM = 36;

export interface Loan {
  readonly lender: string;
  readonly sector: Sector;
  readonly product: ProductType;
  /** Unique with its lender. */
  readonly accountNumber: string;
  readonly openedMonthsAgo: number;
  /** 1 to 25: instalments fall due on it, always before the end of a month. */
  readonly openedDay: number;
  readonly principalCents: bigint;
  readonly termMonths: number;
  /** Cost of the loan, as a share of the principal in percent. */
  readonly chargePercent: number;
}

/** Where a loan stands when a month’s payment is decided. */
export interface Standing {
  readonly monthsAgo: number;
  /** Instalments due and not paid, this month’s included. */
  readonly unpaid: number;
  /** Instalments not paid yet, due or not. */
  readonly left: number;
  readonly status: AccountStatus;
  /** Days the oldest unpaid instalment will be late at the end of the month if nothing is paid. */
  readonly daysLate: number;
}

/**
 * What happens in a month: instalments paid, and a status other than what payment brings. With H
 * (settled) before all is paid the lender gives the rest up, and it is the loan’s last month.
 */
export interface MonthsEvent {
  readonly paid: number;
  readonly status?: AccountStatus;
}

/**
 * A loan lived through, month by month up to the as-of date: each month `live` says what is paid.
 * States obey the cross-field rules of the data template: overdue, days and instalments go together,
 * and the risk class follows the days.
 */
export function liveLoan(
  loan: Loan,
  calendar: Calendar,
  live: (standing: Standing) => MonthsEvent,
): CreditAccount {
  const openedOn = calendar.day(loan.openedMonthsAgo, loan.openedDay);
  const states: AccountState[] = [];
  let paid = 0;
  let status: AccountStatus = 'F';
  let statusOn = openedOn;
  let lastPaymentOn: Date | null = null;
  let lastPaymentCents: bigint | null = null;
  const instalmentCents = instalmentOf(loan);
  const last = Math.max(0, loan.openedMonthsAgo - loan.termMonths - MAX_MONTHS_AFTER_TERM);
  for (let monthsAgo = loan.openedMonthsAgo; monthsAgo >= last; monthsAgo--) {
    const due = Math.min(loan.termMonths, loan.openedMonthsAgo - monthsAgo);
    if (due > 0) {
      const standing: Standing = {
        monthsAgo,
        unpaid: due - paid,
        left: loan.termMonths - paid,
        status,
        daysLate: daysLate(loan, paid, due, { calendar, monthsAgo }),
      };
      const event = live(standing);
      if (event.paid > 0) {
        paid = Math.min(loan.termMonths, paid + event.paid);
        lastPaymentOn = calendar.day(monthsAgo, loan.openedDay);
        lastPaymentCents = instalmentCents * BigInt(event.paid);
      }
      const next: AccountStatus =
        paid === loan.termMonths ? closedStatus(status) : (event.status ?? status);
      if (next !== status) {
        status = next;
        statusOn = calendar.monthEnd(monthsAgo);
      }
    }
    states.push(stateAt(loan, { paid, due, status, statusOn }, { calendar, monthsAgo }));
    if (paid === loan.termMonths || status === 'A' || status === 'H') break;
  }
  const current = states.pop()!;
  const oldest = calendar.monthEnd(HISTORY_MONTHS);
  return {
    key: `${loan.lender}/${loan.accountNumber}`,
    lender: loan.lender,
    sector: loan.sector,
    product: loan.product,
    openedOn,
    originalCents: loan.principalCents,
    instalmentCents,
    repaymentMonths: loan.termMonths,
    lastPaymentOn,
    lastPaymentCents,
    current,
    history: states.filter(({ asOf }) => asOf >= oldest),
    disputed: false,
  };
}

interface Month {
  readonly calendar: Calendar;
  readonly monthsAgo: number;
}

function stateAt(
  loan: Loan,
  now: {
    readonly paid: number;
    readonly due: number;
    readonly status: AccountStatus;
    readonly statusOn: Date;
  },
  month: Month,
): AccountState {
  const days = daysLate(loan, now.paid, now.due, month);
  const balanceCents = principalLeft(loan, now.paid);
  return {
    asOf: month.calendar.monthEnd(month.monthsAgo),
    balanceCents,
    overdueCents: days === 0 ? 0n : balanceCents - principalLeft(loan, now.due),
    daysInArrears: days,
    instalmentsInArrears: days === 0 ? 0 : now.due - now.paid,
    riskClass: riskClassOf(days),
    status: now.status,
    statusOn: now.statusOn,
  };
}

/** Days from the due date of the oldest unpaid instalment to the end of the month. */
function daysLate(loan: Loan, paid: number, due: number, month: Month): number {
  if (paid >= due) return 0;
  const dueOn = month.calendar.day(loan.openedMonthsAgo - paid - 1, loan.openedDay);
  const end = month.calendar.monthEnd(month.monthsAgo);
  return Math.round((end.getTime() - dueOn.getTime()) / 86_400_000);
}

function principalLeft(loan: Loan, paid: number): bigint {
  return (loan.principalCents * BigInt(loan.termMonths - paid)) / BigInt(loan.termMonths);
}

function instalmentOf(loan: Loan): bigint {
  const owedCents = (loan.principalCents * BigInt(100 + loan.chargePercent)) / 100n;
  return owedCents / BigInt(loan.termMonths);
}

/** Abandoned accounts are settled, the others closed. */
function closedStatus(status: AccountStatus): AccountStatus {
  return status === 'F' || status === 'G' ? 'A' : 'H';
}

/** Prudential classes by days in arrears (guideline CBK/PG/04, by the data template). */
function riskClassOf(days: number): RiskClass {
  if (days <= 30) return 'A';
  if (days <= 90) return 'B';
  if (days <= 180) return 'C';
  return days <= 360 ? 'D' : 'E';
}
