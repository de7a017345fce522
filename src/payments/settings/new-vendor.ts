import { Type } from 'typebox';
import { addPersonIn } from '../../parties/people/administer.ts';
import { listPeople } from '../../parties/people/read-people.ts';
import { VENDOR_ROLES } from '../../parties/people/roles.ts';
import { findVendor } from '../../parties/read-vendors.ts';
import { filledText, strict } from '../../platform/base/json-fields.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { setFeePrice } from '../billers/administer-prices.ts';
import { addVendor } from '../ledger/add-vendor.ts';
import { listFeePrices } from '../prices/store.ts';
import { formulaText } from '../prices/text.ts';
import { code } from './fields.ts';
import { formula, formulaOf } from './prices.ts';
import { requireMasterKeys } from './sealed.ts';
import { setting } from './setting.ts';
import { vendorFields, vendorName, vendorSector, vendorSettings } from './vendors.ts';

const price = strict({ billerCode: code, formula });
const person = strict({
  login: filledText(200),
  name: filledText(200),
  role: Type.Enum([...VENDOR_ROLES]),
});

/**
 * A vendor with the fees that were agreed with it, and its people. Nobody learns its first security key: its
 * administrator makes one in the console.
 */
export const NEW_VENDOR = setting({
  ...{ name: 'new_vendor', label: 'New vendor', topic: 'vendors' },
  key: strict({ vid: filledText(64) }),
  change: strict({
    ...{ name: vendorName, sector: vendorSector, ...vendorSettings },
    ...{ prices: Type.Array(price), people: Type.Array(person) },
  }),
  target: ({ vid }) => vid,
  read: async (db, { vid }) => {
    const row = await findVendor(db, vid);
    if (row === undefined) return null;
    const prices = (await listFeePrices(db, 'current')).filter(
      ({ vendorId }) => vendorId === row.vendorId,
    );
    const people = await listPeople(db, row.vendorId);
    return {
      ...vendorFields(row),
      Prices: prices.map((one) => `${one.billerCode}: ${formulaText(one)}`).join(' | '),
      // In quotes, because a name may look like the end of one and the beginning of another.
      People: people
        .map(({ login, name, role }) => `${role} ${login} ${JSON.stringify(name)}`)
        .join(' | '),
    };
  },
  remarks: () => [{ label: 'Security key', text: 'its administrator makes it in the console' }],
  apply: async (db, { key: { vid }, change, by }, tools) => {
    const { prices, people, ...settings } = change;
    const sealing = { masterKeys: requireMasterKeys(tools), certain: true };
    const { vendorId } = await addVendor(db, { vid, ...settings }, sealing);
    const priced = new Set<string>();
    for (const { billerCode, formula: agreed } of prices) {
      if (priced.has(billerCode)) {
        throw new PlainError(`${billerCode} has two prices.`, { field: 'prices' });
      }
      priced.add(billerCode);
      const begin = { validFrom: null, setBy: by };
      await setFeePrice(db, { billerCode, vendorId }, formulaOf(agreed), begin);
    }
    for (const each of people) await addPersonIn(db, tools, { ...each, vid }, new Date());
  },
});
