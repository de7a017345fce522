import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { readPulled } from '../../src/connectors/sources/daraja/payment.ts';
import { listMessages } from '../../src/payments/messages/read-messages.ts';
import type { MessageRow } from '../../src/payments/messages/read-messages.ts';
import { addAccount, setSource } from '../../src/payments/receipts/administer.ts';
import { proposeForMessage } from '../../src/payments/receipts/completion.ts';
import { creditLeftClaims } from '../../src/payments/receipts/left-claims.ts';
import { pullSource } from '../../src/payments/receipts/pull.ts';
import { findSource } from '../../src/payments/receipts/sources-store.ts';
import { importBankStatement } from '../support/import-statements.ts';
import { PlainError } from '../../src/platform/base/plain-error.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import { createRandom } from '../simulation/random.ts';
import type { Random } from '../simulation/random.ts';
import { openDarajaBooks, PAYBILL } from '../support/daraja-books.ts';
import { SHORT_CODE } from '../support/money-in.ts';
import type { DarajaBooks } from '../support/daraja-books.ts';
import { COLLECTOR } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { mortalPool } from '../support/mortal-pool.ts';
import { approveSeen, named } from '../support/payouts.ts';
import { quietProposals } from '../support/quiet-proposals.ts';
import { until } from '../support/until.ts';
import {
  BANK_SETTINGS,
  bankFile,
  drawConfirmation,
  drawPull,
  organisationFile,
  shuffled,
  wireTime,
} from './money-in-channels.ts';
import type { Confirmation, StatementFile } from './money-in-channels.ts';
import { ACCOUNTS, areAlike, drawMonth } from './money-in-truth.ts';
import type { Paid } from './money-in-truth.ts';

// A month of money in through four channels at once, and people who complete what cannot be read.

const log = pino({ level: 'silent' });
const NOW = new Date();
const OURS = { shortCode: SHORT_CODE, till: null };

/** What happened in a run, to see that it examined something. */
export interface Tally {
  payments: number;
  kills: number;
  credited: number;
  waiting: number;
  completed: number;
  mistyped: number;
  refusedFiles: number;
}

export const emptyTally = (): Tally => ({
  ...{ payments: 0, kills: 0, credited: 0, waiting: 0, completed: 0, mistyped: 0, refusedFiles: 0 },
});

interface World {
  readonly books: Books;
  readonly random: Random;
  readonly month: readonly Paid[];
  readonly vendors: readonly number[];
  readonly folder: string;
  readonly tally: Tally;
  /** Payments of which the service has certainly learnt. */
  readonly told: Set<Paid>;
  /** Payments whose receipt waits for people with a reason, or may. */
  readonly doubtful: Set<Paid>;
  /** Numbers that people mistyped. */
  readonly mistyped: Map<string, Paid>;
  readonly confirmations: readonly Confirmation[];
}

/** Runs a month. Returns what is wrong afterwards; none: every shilling is where it belongs. */
export async function runMonth(books: Books, seed: number, tally: Tally): Promise<string[]> {
  const random = createRandom(seed);
  const folder = await mkdtemp(path.join(tmpdir(), 'malipo-month-'));
  const paybill = await openDarajaBooks(books);
  await paybill.close();
  const vendors = [await books.addVendor(), await books.addVendor(), await books.addVendor()];
  const bank = {
    name: 'Bank',
    kind: 'statement' as const,
    collector: COLLECTOR,
    settings: BANK_SETTINGS,
  };
  await setSource(books.pool, 'bank', bank);
  for (const sourceCode of [PAYBILL, 'bank']) {
    for (const [index, account] of ACCOUNTS.entries()) {
      await addAccount(books, { sourceCode, account, vid: `vendor-${vendors[index]}`, by: 'Asha' });
    }
  }
  const month = drawMonth(random, NOW);
  tally.payments += month.length;
  const confirmations = month
    .filter(({ kind }) => kind === 'paybill')
    .flatMap((paid) => {
      const made = drawConfirmation(random, paid);
      return Array.from({ length: random.pick([0, 1, 1, 1, 2]) }, () => made);
    });
  const world: World = {
    ...{ books, random, month, vendors, folder, tally, confirmations },
    ...{
      told: new Set(),
      doubtful: new Set(month.filter(({ vendor }) => vendor === null)),
      mistyped: new Map(),
    },
  };
  try {
    for (const event of shuffled(random, drawEvents(world))) await event();
    await restart(world);
    const problems = await judge(world, 'at the end of the month');
    if (problems.length > 0) return problems;
    await recover(world);
    return await judge(world, 'after people completed what could not be read');
  } finally {
    await rm(folder, { recursive: true });
  }
}

function drawEvents(world: World): (() => Promise<void>)[] {
  const { random, month, confirmations } = world;
  const cut = new Set(month.filter(() => random.chance(0.1)));
  return [
    ...confirmations.map((one) => async () => confirm(world, one)),
    ...Array.from({ length: random.whole(1, 3) }, () => async () => pull(world)),
    ...Array.from(
      { length: random.whole(0, 2) },
      () => async () => take(world, organisationFile(random, month, false)),
    ),
    ...Array.from(
      { length: random.whole(0, 2) },
      () => async () => take(world, bankFile(random, month, cut)),
    ),
  ];
}

/** Runs it in a process that may be killed at any statement. Returns false if it was. */
async function survives(world: World, work: (pool: Pool) => Promise<unknown>): Promise<boolean> {
  const { books, random, tally } = world;
  if (random.chance(0.6)) {
    await work(books.pool);
    return true;
  }
  const kill = { at: random.whole(1, 40), isAfter: random.chance(0.5) };
  const { pool, isDead } = mortalPool(books.pool, kill);
  try {
    await work(pool);
  } catch (error) {
    if (!isDead()) throw error;
  }
  if (!isDead()) return true;
  tally.kills += 1;
  if (random.chance(0.5)) await restart(world);
  return false;
}

/** A process starts, and credits what another one left. */
async function restart(world: World): Promise<void> {
  await creditLeftClaims({ ...world.books, log });
}

async function confirm(world: World, one: Confirmation): Promise<void> {
  const { told, doubtful } = world;
  if (one.isDoubtful) doubtful.add(one.of);
  const isTaken = await survives(world, async (pool) => {
    const paybill = await openReceiver(world, pool);
    const answer = await paybill.receive(one.body);
    await paybill.close();
    if (answer.kind !== 'answer') throw new Error(`a confirmation was ${answer.kind}`);
  });
  if (isTaken) told.add(one.of);
}

async function openReceiver({ books }: World, pool: Pool): Promise<DarajaBooks> {
  return await openDarajaBooks({ ...books, pool }, { isKnown: true });
}

async function pull(world: World): Promise<void> {
  const { random, month, told } = world;
  const { listed, body } = drawPull(random, month);
  const isTaken = await survives(world, async (pool) => await pullOnce(world, pool, body));
  if (isTaken) for (const paid of listed) told.add(paid);
}

async function pullOnce({ books }: World, pool: Pool, body: Buffer): Promise<void> {
  const page = readPulled(body, OURS, NOW);
  if (page === undefined) throw new Error('the pull cannot be read');
  const row = await findSource(books.pool, PAYBILL);
  const provider = { issuer: 'mpesa', confirmFromCents: null, pull: async () => page };
  const { signal } = new AbortController();
  const turn = { now: NOW, pulledUntil: NOW, signal };
  await pullSource({ ...books, pool, log }, { row, provider } as never, turn);
}

async function take(world: World, file: StatementFile): Promise<void> {
  const { books, folder, tally, told, doubtful } = world;
  const at = path.join(folder, 'statement');
  await writeFile(at, file.content);
  for (const paid of file.renumbered) doubtful.add(paid);
  const source = await findSource(books.pool, file.source);
  if (source === undefined) throw new Error('there is no source');
  let isRefused = false;
  const isTaken = await survives(world, async (pool) => {
    try {
      await importBankStatement({ ...books, pool, log }, source, { file: at, wireTime });
    } catch (error) {
      if (!(error instanceof PlainError)) throw error;
      isRefused = true;
    }
  });
  if (isRefused) tally.refusedFiles += 1;
  else if (isTaken) for (const paid of file.listed) told.add(paid);
}

/** People look each message up in the portal; then the organisation statement of the whole month is imported. */
async function recover(world: World): Promise<void> {
  const { books, random, tally } = world;
  const messages = await listMessages(books.pool, { state: 'open', after: null, limit: 1_000 });
  const [first, later] = [messages.filter(() => random.chance(0.7)), messages];
  for (const message of first) await complete(world, message);
  await take(world, organisationFile(random, world.month, true));
  await restart(world);
  for (const message of later) if (!first.includes(message)) await complete(world, message);
  const whole = organisationFile(random, world.month, true);
  await writeFile(path.join(world.folder, 'statement'), whole.content);
  await restart(world);
  const source = await findSource(books.pool, PAYBILL);
  if (source === undefined) throw new Error('there is no source');
  const file = path.join(world.folder, 'statement');
  // PostgreSQL ends the sessions of a killed process a moment later.
  await until('the lock of the killed import is released', async () => {
    await importBankStatement({ ...books, log }, source, { file, wireTime });
    return true;
  });
  for (const paid of whole.listed) world.told.add(paid);
  tally.completed += messages.length;
}

async function complete(world: World, message: MessageRow): Promise<void> {
  const { books, random, tally, mistyped, doubtful } = world;
  const of = meantBy(world, message);
  const isKnown = message.body.toString('latin1').includes(of.number);
  const isMistyped = !isKnown && random.chance(0.3);
  const receipt = isMistyped ? `${of.number.slice(0, -2)}ZZ` : of.number;
  if (isMistyped) {
    tally.mistyped += 1;
    mistyped.set(receipt, of);
    for (const paid of world.month) if (areAlike(paid, of)) doubtful.add(paid);
  } else if (!isKnown) {
    // A number that people entered makes payments that are alike wait.
    for (const paid of world.month) if (areAlike(paid, of)) doubtful.add(paid);
  }
  const read = { receipt, amountCents: of.cents, account: of.written, paidAt: of.at };
  const asked = { messageId: message.messageId, by: named('Asha'), note: 'the portal shows it' };
  const proposals = quietProposals(books);
  try {
    const row = await proposeForMessage({ ...books, proposals }, { ...asked, read });
    await approveSeen(books, row.proposalId);
  } catch (error) {
    if (!(error instanceof PlainError)) throw error;
    const row = await proposeForMessage({ ...books, proposals }, { ...asked, read: null });
    await approveSeen(books, row.proposalId);
  }
}

/** The payment that a message is about, as the provider's portal would show. */
function meantBy({ month, confirmations }: World, { body }: MessageRow): Paid {
  const one = confirmations.find((each) => each.body.equals(body));
  const text = body.toString('latin1');
  const found =
    one?.of ??
    month.find(({ number }) => text.includes(number)) ??
    month.find(({ at }) => text.includes(wireTime.format(at)));
  if (found === undefined) throw new Error(`nobody knows what a message is about: ${text}`);
  return found;
}

interface Stored {
  readonly issuer: string;
  readonly receipt: string;
  readonly state: string;
  readonly vendorId: number | null;
  readonly cents: bigint;
}

async function judge(world: World, when: string): Promise<string[]> {
  const { books, month, vendors, told, doubtful, mistyped, tally } = world;
  const { rows } = await books.pool.query<Stored>(
    `select issuer, receipt, state, vendor_id as "vendorId", amount_cents as cents from receipts`,
  );
  const open = await listMessages(books.pool, { state: 'open', after: null, limit: 1_000 });
  const waits = new Set(open.map((message) => meantBy(world, message)));
  const of = (row: Stored): Paid | undefined =>
    mistyped.get(row.receipt) ??
    month.find(
      (paid) =>
        paid.number === row.receipt || (row.issuer === 'bank' && paid.bankNumber === row.receipt),
    );
  const problems: string[] = [];
  const sums = new Map(vendors.map((vendorId) => [vendorId, 0n]));
  for (const row of rows) if (of(row) === undefined) problems.push(`nobody paid ${row.receipt}`);
  for (const paid of month) {
    const { number } = paid;
    const own = rows.filter((row) => of(row) === paid);
    const credited = own.filter(({ state }) => state === 'credited' || state === 'claimed');
    const right = paid.vendor === null ? null : (vendors[paid.vendor] ?? null);
    if (credited.length > 1) problems.push(`${number} is credited ${credited.length} times`);
    for (const { vendorId, cents } of credited) {
      if (vendorId !== right) problems.push(`${number} is credited to vendor ${vendorId}`);
      if (cents !== paid.cents) problems.push(`${number} is credited with ${cents}`);
      if (vendorId !== null) sums.set(vendorId, (sums.get(vendorId) ?? 0n) + cents);
    }
    const isListed = own.length > 0 || waits.has(paid);
    if (told.has(paid) && !isListed) problems.push(`${number} is lost`);
    const mustBe = own.length > 0 && isClear(world, paid, doubtful) && !waits.has(paid);
    if (mustBe && credited.length === 0) problems.push(`${number} waits without a reason`);
    if (credited.length === 1) tally.credited += 1;
    else if (isListed) tally.waiting += 1;
  }
  for (const [vendorId, cents] of sums) {
    const collected = (await books.balances(vendorId))['collected'] ?? 0n;
    if (collected !== cents)
      problems.push(`vendor ${vendorId} has ${collected} instead of ${cents}`);
  }
  return problems.map((problem) => `${problem} ${when}`);
}

/** Nothing about it, or about a payment that is alike, is a reason to ask people. */
function isClear({ month }: World, paid: Paid, doubtful: ReadonlySet<Paid>): boolean {
  if (doubtful.has(paid)) return false;
  return month.every(
    (other) =>
      other === paid ||
      !areAlike(paid, other) ||
      (!doubtful.has(other) && other.kind === paid.kind),
  );
}
