import { DECLARATIONS } from '../../connectors/registry.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { MOBILE_NUMBER } from '../../platform/base/mobile-number.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { isForDisbursements } from '../billers/biller.ts';
import { listRouteRows } from '../billers/routes-store.ts';
import { findBiller, findOperator, listBillers } from '../billers/store.ts';
import type { BillerRow } from '../billers/store.ts';
import { chargeFor } from '../prices/price.ts';
import { feePricesByBiller, listFeePrices } from '../prices/store.ts';

/** The fee of a disbursement through a biller, and the amounts it may have. */
export interface Terms {
  readonly biller: BillerRow | undefined;
  /** Amounts that the operators accept that may execute it. */
  readonly amounts: readonly Amounts[];
  readonly feeCents: bigint;
  readonly vatCents: bigint;
  readonly feePrice: number | null;
}

export interface Amounts {
  readonly minimumCents: bigint;
  readonly maximumCents: bigint | null;
  readonly stepCents: bigint;
}

export async function readTerms(
  db: Queryable,
  of: { readonly vendorId: number; readonly billerCode: string; readonly amountCents: bigint },
): Promise<Terms> {
  const { billerCode } = of;
  const biller = await findBiller(db, billerCode);
  const prices = feePricesByBiller(await listFeePrices(db, 'recent')).get(billerCode) ?? new Map();
  return {
    biller,
    amounts: biller === undefined ? [] : await readAmounts(db, biller),
    ...chargeFor(prices, of, Date.now()),
  };
}

async function readAmounts(db: Queryable, biller: BillerRow): Promise<Amounts[]> {
  const routes = (await listRouteRows(db)).filter((row) => row.billerCode === biller.billerCode);
  const codes = new Set([biller.operatorCode, ...routes.map(({ operatorCode }) => operatorCode)]);
  const { minimumCents, maximumCents } = biller;
  const amounts: Amounts[] = [{ minimumCents, maximumCents, stepCents: 1n }];
  for (const code of codes) {
    const declared = DECLARATIONS[(await findOperator(db, code))?.connector ?? '']?.amounts;
    if (declared === undefined) continue;
    amounts.push({
      minimumCents: BigInt(declared.minimumCents),
      maximumCents: BigInt(declared.maximumCents),
      stepCents: BigInt(declared.stepCents),
    });
  }
  return amounts;
}

/** The only biller for disbursements. Throws: `PlainError` (field `biller`) if there is none, or several. */
export async function onlyBiller(db: Queryable): Promise<string> {
  const [first, ...others] = (await listBillers(db)).filter((row) => isForDisbursements(row));
  if (first !== undefined && others.length === 0) return first.billerCode;
  throw new PlainError(
    first === undefined
      ? 'There is no biller of the category disbursements.'
      : 'There are several billers of the category disbursements: name one.',
    { field: 'biller' },
  );
}

/** Throws: `PlainError` with the field, for what no operator would take. Pure. */
export function requireTerms(
  { biller, amounts, ...terms }: Terms,
  asked: { readonly amountCents: bigint; readonly feeCents: bigint; readonly phone: string },
): void {
  if (biller === undefined || !isForDisbursements(biller)) {
    throw new PlainError('It is no biller for disbursements.', { field: 'biller' });
  }
  if (!MOBILE_NUMBER.test(asked.phone)) {
    throw new PlainError('It is not a Kenyan mobile number.', { field: 'phone' });
  }
  for (const { minimumCents, maximumCents, stepCents } of amounts) {
    if (asked.amountCents < minimumCents) refuseAmount(`at least ${formatMoney(minimumCents)}`);
    if (maximumCents !== null && asked.amountCents > maximumCents) {
      refuseAmount(`at most ${formatMoney(maximumCents)}`);
    }
    if (asked.amountCents % stepCents !== 0n) {
      refuseAmount(
        stepCents === 100n ? 'whole shillings' : `a multiple of ${formatMoney(stepCents)}`,
      );
    }
  }
  if (asked.feeCents === terms.feeCents) return;
  throw new PlainError(
    `The fee is ${formatMoney(terms.feeCents)} now. Reject it, and propose it again.`,
  );
}

function refuseAmount(rule: string): never {
  throw new PlainError(`The amount must be ${rule}.`, { field: 'amount' });
}
