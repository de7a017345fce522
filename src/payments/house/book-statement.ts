import type { Mac } from '../../platform/base/mac.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { confirmEntry, listUnconfirmedTopUps } from './entries-store.ts';
import { matchTopUps, sidesOf } from './entry.ts';
import type { ListedTopUp } from './entry.ts';
import { postHouseTransfer, readConsumed, readFloatBeginning } from './store.ts';

/** What an operator's statement says about our float, without payments and reversals. */
export interface StatementContent {
  readonly statementId: string;
  readonly operatorCode: string;
  readonly from: Date;
  /** Null: the statement does not say. */
  readonly openingCents: bigint | null;
  /** Those that no earlier statement listed. */
  readonly topUps: readonly ListedTopUp[];
  readonly charges: readonly { readonly amountCents: bigint; readonly at: Date }[];
}

/** What was booked, in cents. */
export interface Booked {
  /** Null: the books of the float had begun. */
  readonly openingCents: bigint | null;
  readonly topUpCents: bigint;
  /** Listed, and booked before because two people entered them. */
  readonly confirmedCents: bigint;
  readonly chargeCents: bigint;
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
  const booked = await bookTopUps(db, mac, {
    operatorCode,
    topUps: content.topUps.filter((row) => counts(row)),
  });
  const chargeCents = await bookCharges(db, mac, {
    ...content,
    charges: content.charges.filter((row) => counts(row)),
  });
  return { openingCents, ...booked, chargeCents };
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

async function bookTopUps(
  db: Queryable,
  mac: Mac,
  { operatorCode, topUps }: Pick<StatementContent, 'operatorCode' | 'topUps'>,
): Promise<Pick<Booked, 'topUpCents' | 'confirmedCents'>> {
  let [topUpCents, confirmedCents] = [0n, 0n];
  if (topUps.length === 0) return { topUpCents, confirmedCents };
  const matches = matchTopUps(topUps, await listUnconfirmedTopUps(db, operatorCode));
  for (const { rowId, amountCents, at } of topUps) {
    const entryId = matches.get(rowId);
    if (entryId !== undefined) {
      await confirmEntry(db, entryId, rowId);
      confirmedCents += amountCents;
      continue;
    }
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
    topUpCents += amountCents;
  }
  return { topUpCents, confirmedCents };
}

/** One transfer for each statement: an operator may charge for every payment. */
async function bookCharges(
  db: Queryable,
  mac: Mac,
  { statementId, operatorCode, charges }: StatementContent,
): Promise<bigint> {
  const amountCents = charges.reduce((sum, charge) => sum + charge.amountCents, 0n);
  if (amountCents === 0n) return 0n;
  await postHouseTransfer(db, mac, {
    source: 'charges',
    sourceId: statementId,
    part: 1,
    ...sidesOf('charge', operatorCode, null),
    amountCents,
    movedAt: new Date(Math.max(...charges.map(({ at }) => Number(at)))),
    proposedBy: null,
    approvedBy: null,
    texts: null,
  });
  return amountCents;
}
