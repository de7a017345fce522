import type { Mac } from '../../platform/base/mac.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { confirmEntry, listUnconfirmed } from './entries-store.ts';
import { matchEntered, sidesOf } from './entry.ts';
import type { ListedKind, ListedMovement } from './entry.ts';
import { postHouseTransfer, readConsumed, readFloatBeginning } from './store.ts';

/** The movements and balances of our float in an operator's statement, without payments and reversals. */
export interface StatementContent {
  readonly statementId: string;
  readonly operatorCode: string;
  readonly from: Date;
  /** Null: the statement does not say. */
  readonly openingCents: bigint | null;
  /** These, and the charges: those that no earlier statement listed. */
  readonly topUps: readonly ListedMovement[];
  readonly charges: readonly ListedMovement[];
}

/** Sums that were booked, in cents. */
export interface Booked {
  /** Null: the books of the float had begun. */
  readonly openingCents: bigint | null;
  readonly topUpCents: bigint;
  readonly chargeCents: bigint;
  /** Listed, and booked before because two people entered them. */
  readonly topUpConfirmedCents: bigint;
  readonly chargeConfirmedCents: bigint;
}

/**
 * Books the top-ups and charges of a statement, and the opening balance if it is the first one. The
 * caller holds the operator's lock (`beginImport`), so that nothing is booked twice.
 */
export async function bookStatement(
  db: Queryable,
  mac: Mac,
  content: StatementContent,
): Promise<Booked> {
  const { operatorCode } = content;
  const openingCents = await bookOpening(db, mac, content);
  const { beganAt } = await readFloatBeginning(db, operatorCode);
  const counts = ({ at }: { readonly at: Date }): boolean => beganAt === null || at >= beganAt;
  const topUps = await bookTopUps(db, mac, {
    operatorCode,
    topUps: content.topUps.filter((row) => counts(row)),
  });
  const charges = await bookCharges(db, mac, {
    ...content,
    charges: content.charges.filter((row) => counts(row)),
  });
  return { openingCents, ...topUps, ...charges };
}

/** Vendors' payments of the time before have consumed their part of it already. */
async function bookOpening(
  db: Queryable,
  mac: Mac,
  { statementId, operatorCode, from, openingCents }: StatementContent,
): Promise<bigint | null> {
  if (openingCents === null) return null;
  if ((await readFloatBeginning(db, operatorCode)).isBooked) return null;
  const amountCents = openingCents + (await readConsumed(db, operatorCode, from));
  if (amountCents <= 0n) return null;
  const sides = sidesOf('opening', operatorCode, null);
  const source = { source: 'opening', sourceId: statementId, part: 1 } as const;
  const people = { proposedBy: null, approvedBy: null, texts: null };
  await postHouseTransfer(db, mac, { ...source, ...sides, ...people, amountCents, movedAt: from });
  return openingCents;
}

/** Confirms entries that people made before. Only `rest` is left to book. */
async function confirmEntered(
  db: Queryable,
  { operatorCode, kind }: { readonly operatorCode: string; readonly kind: ListedKind },
  listed: readonly ListedMovement[],
): Promise<{ readonly confirmedCents: bigint; readonly rest: readonly ListedMovement[] }> {
  if (listed.length === 0) return { confirmedCents: 0n, rest: [] };
  const matches = matchEntered(kind, listed, await listUnconfirmed(db, operatorCode, kind));
  for (const [rowId, entryId] of matches) await confirmEntry(db, entryId, rowId);
  return {
    confirmedCents: sumOf(listed.filter(({ rowId }) => matches.has(rowId))),
    rest: listed.filter(({ rowId }) => !matches.has(rowId)),
  };
}

function sumOf(movements: readonly ListedMovement[]): bigint {
  return movements.reduce((sum, { amountCents }) => sum + amountCents, 0n);
}

async function bookTopUps(
  db: Queryable,
  mac: Mac,
  { operatorCode, topUps }: Pick<StatementContent, 'operatorCode' | 'topUps'>,
): Promise<Pick<Booked, 'topUpCents' | 'topUpConfirmedCents'>> {
  const entered = await confirmEntered(db, { operatorCode, kind: 'top_up' }, topUps);
  for (const { rowId, amountCents, at } of entered.rest) {
    await postHouseTransfer(db, mac, {
      source: 'top_up',
      sourceId: rowId,
      part: 1,
      ...sidesOf('top_up', operatorCode, null),
      amountCents,
      movedAt: at,
      proposedBy: null,
      approvedBy: null,
      texts: null,
    });
  }
  return { topUpCents: sumOf(entered.rest), topUpConfirmedCents: entered.confirmedCents };
}

/** One transfer for each statement: an operator may charge for every payment. */
async function bookCharges(
  db: Queryable,
  mac: Mac,
  { statementId, operatorCode, charges }: StatementContent,
): Promise<Pick<Booked, 'chargeCents' | 'chargeConfirmedCents'>> {
  const entered = await confirmEntered(db, { operatorCode, kind: 'charge' }, charges);
  const chargeCents = sumOf(entered.rest);
  const booked = { chargeCents, chargeConfirmedCents: entered.confirmedCents };
  if (chargeCents === 0n) return booked;
  await postHouseTransfer(db, mac, {
    source: 'charges',
    sourceId: statementId,
    part: 1,
    ...sidesOf('charge', operatorCode, null),
    amountCents: chargeCents,
    movedAt: new Date(Math.max(...entered.rest.map(({ at }) => Number(at)))),
    proposedBy: null,
    approvedBy: null,
    texts: null,
  });
  return booked;
}
