import type {
  AccountStatus,
  CreditAccount,
  CreditFile,
  PastEnquiry,
} from '../../src/credit/facts.ts';
import { SECTORS } from '../../src/parties/vendor.ts';
import type { Calendar } from './calendar.ts';
import { MOBILE_OFFERS, OTHER_OFFERS, REASON_OF_PRODUCT } from './lenders.ts';
import type { Offer } from './lenders.ts';
import { liveLoan } from './loan.ts';
import type { MonthsEvent, Standing } from './loan.ts';
import type { Random } from './random.ts';

/** The simulation's facts about somebody's life with credit; the known default model rests on them. */
export interface Behaviour {
  /** Hidden proneness to trouble, standard normal. In no file. */
  readonly proneness: number;
  readonly historyMonths: number;
  /** Days the worst account is late now. */
  readonly daysLateNow: number;
  /** Months of the last 12 in which any account ended in arrears, counted per account. */
  readonly lateAccountMonths12: number;
  /** Days the worst account was late at any month’s end in the last 24. */
  readonly daysLate24: number;
  readonly loansRepaidWell: number;
  readonly openLoans: number;
  readonly applications90Days: number;
}

export interface Life {
  readonly file: CreditFile;
  readonly behaviour: Behaviour;
}

const MAX_HISTORY_MONTHS = 96;
const MAX_OPEN_MOBILE = 4;
const MAX_OPEN_OTHER = 3;
const ENQUIRY_MONTHS = 12;

/** Somebody’s habits, drawn once. */
interface Habits {
  readonly proneness: number;
  readonly historyMonths: number;
  readonly mobileLoansPerMonth: number;
  readonly otherLoansPerMonth: number;
}

/** Events up to the month being lived. */
interface Diary {
  readonly accounts: CreditAccount[];
  readonly enquiries: PastEnquiry[];
  /** Per account: the months ago in which it ended, or −1 while it is open. */
  readonly endedMonthsAgo: number[];
  lateAccountMonths12: number;
  daysLate24: number;
  repaidWell: { readonly monthsAgo: number; readonly shillings: number }[];
}

/**
 * Lives through somebody’s borrowing up to the calendar’s as-of date: loans taken, paid, missed,
 * caught up with, written off; applications refused. About one in twelve has no account at all.
 * @param accountStem begins the person’s account numbers; no two people may share one.
 */
export function liveLife(calendar: Calendar, random: Random, accountStem: string): Life {
  const habits = drawHabits(random);
  const diary: Diary = {
    accounts: [],
    enquiries: [],
    endedMonthsAgo: [],
    lateAccountMonths12: 0,
    daysLate24: 0,
    repaidWell: [],
  };
  for (let monthsAgo = habits.historyMonths; monthsAgo >= 0; monthsAgo--) {
    liveMonth({ habits, diary, calendar, random, accountStem }, monthsAgo);
  }
  diary.enquiries.sort((a, b) => a.at.getTime() - b.at.getTime());
  return {
    file: { asOf: calendar.asOf, accounts: diary.accounts, enquiries: diary.enquiries },
    behaviour: behaviourOf(habits, diary, calendar),
  };
}

interface Scene {
  readonly habits: Habits;
  readonly diary: Diary;
  readonly calendar: Calendar;
  readonly random: Random;
  readonly accountStem: string;
}

function drawHabits(random: Random): Habits {
  const without = random.chance(0.08);
  const kind = random.next();
  return {
    proneness: random.normal(),
    historyMonths: Math.min(MAX_HISTORY_MONTHS, 2 + Math.floor(random.exponential(38))),
    mobileLoansPerMonth: without || kind > 0.88 ? 0 : random.exponential(0.14),
    otherLoansPerMonth: without || kind < 0.4 ? 0 : random.exponential(0.045),
  };
}

function liveMonth(scene: Scene, monthsAgo: number): void {
  const { habits, diary, random } = scene;
  const open = diary.accounts.filter((_, index) => isOpenIn(diary, index, monthsAgo));
  const openMobile = open.filter(({ product }) => product === 'I').length;
  // People who borrow at all get their first loan in the first month.
  const first = monthsAgo === habits.historyMonths ? 1 : 0;
  const mobile = habits.mobileLoansPerMonth;
  const other = habits.otherLoansPerMonth;
  const mobileFirst = mobile > 0 ? first : 0;
  if (openMobile < MAX_OPEN_MOBILE && random.chance(Math.max(mobile, mobileFirst))) {
    takeLoan(scene, drawOffer(MOBILE_OFFERS, random), monthsAgo);
  }
  const otherFirst = other > 0 && mobile === 0 ? first : 0;
  if (open.length - openMobile < MAX_OPEN_OTHER && random.chance(Math.max(other, otherFirst))) {
    takeLoan(scene, drawOffer(OTHER_OFFERS, random), monthsAgo);
  }
  if (monthsAgo < ENQUIRY_MONTHS) drawEnquiries(scene, monthsAgo);
}

/** Applications that came to nothing are more frequent in trouble; checks happen to everyone. */
function drawEnquiries({ habits, diary, calendar, random }: Scene, monthsAgo: number): void {
  const refused = random.poisson(0.12 * Math.exp(0.6 * habits.proneness));
  const checks = random.poisson(0.08);
  for (let index = 0; index < refused + checks; index++) {
    diary.enquiries.push({
      at: calendar.day(monthsAgo, random.whole(1, 28)),
      reason: index < refused ? random.pick([2, 7, 12, 12, 12]) : random.pick([3, 4]),
      sector: random.pick(SECTORS),
    });
  }
}

function takeLoan(scene: Scene, offer: Offer, monthsAgo: number): void {
  const { diary, calendar, random } = scene;
  const openedDay = random.whole(1, 25);
  if (monthsAgo < ENQUIRY_MONTHS) {
    diary.enquiries.push({
      at: calendar.day(monthsAgo, openedDay),
      reason: REASON_OF_PRODUCT[offer.product],
      sector: offer.sector,
    });
  }
  const shillings = drawShillings(scene, offer, monthsAgo);
  const account = liveLoan(
    {
      lender: offer.lender,
      sector: offer.sector,
      product: offer.product,
      accountNumber: `${offer.product}${scene.accountStem}${String(diary.accounts.length).padStart(3, '0')}`,
      openedMonthsAgo: monthsAgo,
      openedDay,
      principalCents: BigInt(shillings) * 100n,
      termMonths: random.pick(offer.termMonths),
      chargePercent: offer.chargePercent,
    },
    calendar,
    (standing) => liveInstalment(scene, offer, standing),
  );
  remember(diary, mishap(account, random), calendar);
}

/** A tenth of a percent belong to a deceased, about one in a hundred is disputed. */
function mishap(account: CreditAccount, random: Random): CreditAccount {
  if (random.chance(0.008)) return { ...account, disputed: true };
  if (!random.chance(0.001) || account.current.status === 'A' || account.current.status === 'H')
    return account;
  return { ...account, current: { ...account.current, status: 'L' } };
}

/** Pays, misses or catches up; the longer in arrears, the less likely is a payment. */
function liveInstalment({ habits, random }: Scene, offer: Offer, standing: Standing): MonthsEvent {
  const { unpaid, daysLate, status } = standing;
  const z = habits.proneness;
  if (unpaid <= 0) return { paid: 0 };
  if (status === 'C') {
    if (random.chance(0.02)) return { paid: standing.left };
    return random.chance(0.03) ? { paid: 0, status: 'H' } : { paid: 0 };
  }
  const behind = daysLate > 31;
  const mobile = offer.product === 'I';
  const missed = behind
    ? sigmoid(-0.7 + 0.7 * z + Math.min(daysLate, 360) / 180)
    : sigmoid((mobile ? -2.5 : -3.1) + 1.15 * z);
  if (!random.chance(missed)) return { paid: random.chance(0.75) ? unpaid : 1 };
  const next = abandonment(offer, daysLate, random);
  return next === undefined ? { paid: 0 } : { paid: 0, status: next };
}

function abandonment(offer: Offer, daysLate: number, random: Random): AccountStatus | undefined {
  const writeOffDays = offer.product === 'I' ? 180 : 540;
  if (daysLate > writeOffDays && random.chance(0.4)) return 'C';
  if (daysLate > 270 && offer.sector === 'bank' && random.chance(0.1)) return 'D';
  if (daysLate > 120 && random.chance(0.08)) return 'E';
  return undefined;
}

/** Lenders raise the limit of those who repaid; the step differs from person to person. */
function drawShillings({ diary, random }: Scene, offer: Offer, monthsAgo: number): number {
  const span = offer.toShillings - offer.fromShillings;
  const first = offer.fromShillings + span * random.next() ** 2;
  const repaid = diary.repaidWell.filter((loan) => loan.monthsAgo >= monthsAgo);
  const grown = offer.product === 'I' ? first * 1.25 ** Math.min(10, repaid.length) : first;
  return Math.max(100, Math.round(grown / 50) * 50);
}

function remember(diary: Diary, account: CreditAccount, calendar: Calendar): void {
  const states = [...account.history, account.current];
  const [yearAgo, twoYearsAgo] = [calendar.monthEnd(12), calendar.monthEnd(24)];
  for (const { asOf, daysInArrears } of states) {
    if (asOf > yearAgo && daysInArrears > 0) diary.lateAccountMonths12++;
    if (asOf > twoYearsAgo) diary.daysLate24 = Math.max(diary.daysLate24, daysInArrears);
  }
  const { current } = account;
  const ended = current.balanceCents === 0n || current.status === 'H';
  const endedMonthsAgo = ended ? monthsBefore(current.asOf, calendar.asOf) : -1;
  diary.accounts.push(account);
  diary.endedMonthsAgo.push(endedMonthsAgo);
  if (ended && states.every(({ daysInArrears }) => daysInArrears <= 30)) {
    diary.repaidWell.push({
      monthsAgo: endedMonthsAgo,
      shillings: Number(account.originalCents / 100n),
    });
  }
}

function behaviourOf(habits: Habits, diary: Diary, calendar: Calendar): Behaviour {
  const open = diary.accounts.filter((_, index) => isOpenIn(diary, index, 0));
  const recent = calendar.asOf.getTime() - 90 * 86_400_000;
  return {
    proneness: habits.proneness,
    historyMonths: habits.historyMonths,
    daysLateNow: open.reduce((worst, { current }) => Math.max(worst, current.daysInArrears), 0),
    lateAccountMonths12: diary.lateAccountMonths12,
    daysLate24: diary.daysLate24,
    loansRepaidWell: diary.repaidWell.length,
    openLoans: open.length,
    applications90Days: diary.enquiries.filter(
      ({ at, reason }) => reason !== 3 && reason !== 4 && at.getTime() >= recent,
    ).length,
  };
}

function isOpenIn(diary: Diary, index: number, monthsAgo: number): boolean {
  return diary.endedMonthsAgo[index]! < monthsAgo;
}

function monthsBefore(earlier: Date, later: Date): number {
  return (
    (later.getUTCFullYear() - earlier.getUTCFullYear()) * 12 +
    later.getUTCMonth() -
    earlier.getUTCMonth()
  );
}

function drawOffer(offers: readonly Offer[], random: Random): Offer {
  const total = offers.reduce((sum, { weight }) => sum + weight, 0);
  let left = random.next() * total;
  return offers.find(({ weight }) => (left -= weight) < 0) ?? offers.at(-1)!;
}

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
