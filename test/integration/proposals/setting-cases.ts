import { setFeePrice } from '../../../src/payments/billers/administer-prices.ts';
import { kindOfSetting } from '../../../src/payments/settings/kinds.ts';
import { FEE, formulaJson } from '../../../src/payments/settings/prices.ts';
import { contentNow } from '../../../src/payments/settings/setting.ts';
import type { AnySetting } from '../../../src/payments/settings/setting.ts';
import { BILLER } from '../../support/new-transaction.ts';
import type { Case, Given } from './cases.ts';

interface Changed {
  readonly setting: AnySetting;
  readonly key: Readonly<Record<string, unknown>>;
  readonly change: Readonly<Record<string, unknown>>;
  readonly shown: Case['shown'];
  /** Somebody else changes the same setting meanwhile. */
  readonly other: () => Promise<unknown>;
}

/** A setting that Asha changes. Everything about it is read with the code that the proposal reads it with. */
async function settingCase(
  { books: { pool }, proposals, people }: Given,
  { setting, key, change, shown, other }: Changed,
): Promise<Case> {
  const state = async () => await setting.read(pool, key);
  const ended = await state();
  const content = await contentNow(pool, setting, { key, change });
  const asked = { content, by: people.asha, note: 'as agreed' };
  const { proposalId: id } = await proposals.propose({
    kind: kindOfSetting(setting).name,
    ...asked,
  });
  const approved = Object.fromEntries(
    shown.slice(1).map(({ label, text }) => [label, text?.split(' → ').at(-1)]),
  );
  let endedAfterChange: unknown;
  return {
    ...{ id, shown, state, ended },
    approved: { ...ended, ...approved },
    changeFacts: async () => {
      await other();
      endedAfterChange = await state();
    },
    get endedAfterChange() {
      return endedAfterChange;
    },
    reason: /was changed meanwhile/,
    spend: async () => {
      await other();
      return 'refused';
    },
  };
}

/** A vendor’s own fee, where there was none. */
export async function price(given: Given): Promise<Case> {
  const { pool } = given.books;
  const vendorId = await given.books.addVendor();
  const formula = (flatCents: bigint) => ({
    tiers: [{ fromCents: 0n, flatCents, bps: 0 }],
    ...{ minimumCents: null, maximumCents: null, vatBps: 0, vatIncluded: false },
  });
  return await settingCase(given, {
    setting: FEE,
    key: { billerCode: BILLER, vendor: { vendorId, vid: `vendor-${vendorId}` } },
    change: { formula: formulaJson(formula(9_900n)), validFrom: null },
    shown: [
      { label: 'Fee', text: `${BILLER} for vendor-${vendorId}` },
      { label: 'Price', text: 'none → 99.00' },
    ],
    other: async () => {
      const key = { billerCode: BILLER, vendorId };
      await setFeePrice(pool, key, formula(100n), { validFrom: null, setBy: 'Chege' });
    },
  });
}
