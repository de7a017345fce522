import { PlainError } from '../../platform/base/plain-error.ts';
import { requirePerson } from '../../platform/base/person.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { changeSettings } from '../../platform/db/settings-watch.ts';
import type { FeeFormula, OperatorTerms } from '../prices/price.ts';
import { requireFormula } from '../prices/rules.ts';
import { insertFeePrice, insertOperatorPrice } from '../prices/store.ts';
import type { NewSetting } from '../prices/store.ts';
import type { RouteKey } from './routes-store.ts';
import { findBiller, findOperator } from './store.ts';

/** Whose fee it is: a vendor's own, or with null that of every vendor without one of its own. */
export interface FeeKey {
  readonly billerCode: string;
  readonly vendorId: number | null;
}

/**
 * Sets the fee of a biller's payments, from now or from a later time. Existing payments keep their fee.
 * Returns the version of the price. Throws: `PlainError` if it cannot be set.
 */
export async function setFeePrice(
  db: Queryable,
  key: FeeKey,
  formula: FeeFormula,
  setting: NewSetting,
): Promise<number> {
  requireFormula(formula);
  return await addFeePrice(db, key, formula, setting);
}

/** Ends a fee price. After a vendor's own price the general one applies, after a general one no fee. */
export async function endFeePrice(
  db: Queryable,
  key: FeeKey,
  setting: NewSetting,
): Promise<number> {
  return await addFeePrice(db, key, NO_FEE, setting);
}

const NO_FEE: FeeFormula = {
  tiers: [],
  minimumCents: null,
  maximumCents: null,
  vatBps: 0,
  vatIncluded: false,
};

async function addFeePrice(
  db: Queryable,
  key: FeeKey,
  formula: FeeFormula,
  setting: NewSetting,
): Promise<number> {
  const checked = checkSetting(setting);
  return await changeSettings(db, 'billers', async (client) => {
    if ((await findBiller(client, key.billerCode)) === undefined) throw noBiller(key);
    return await insertFeePrice(client, key, formula, checked);
  });
}

/**
 * Sets what an operator charges and gives us for a biller's payments. Attempts that were claimed before
 * keep the price of that time. Returns the version. Throws: `PlainError` if it cannot be set.
 */
export async function setOperatorPrice(
  db: Queryable,
  key: RouteKey,
  terms: OperatorTerms,
  setting: NewSetting,
): Promise<number> {
  const checked = checkSetting(setting);
  return await changeSettings(db, 'billers', async (client) => {
    if ((await findBiller(client, key.billerCode)) === undefined) throw noBiller(key);
    if ((await findOperator(client, key.operatorCode)) === undefined) {
      throw new PlainError(`Operator ${key.operatorCode} does not exist.`);
    }
    return await insertOperatorPrice(client, key, terms, checked);
  });
}

/** Payments of the past were made without it. */
function checkSetting({ validFrom, setBy }: NewSetting): NewSetting {
  if (validFrom !== null && validFrom.getTime() < Date.now()) {
    throw new PlainError('A price cannot begin in the past.', { field: 'from' });
  }
  return { validFrom, setBy: requirePerson(setBy) };
}

function noBiller({ billerCode }: { readonly billerCode: string }): PlainError {
  return new PlainError(`Biller ${billerCode} does not exist.`, { field: 'biller' });
}
