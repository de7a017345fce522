import { Type } from 'typebox';
import type { Static } from 'typebox';
import { TYPED_LOGIN } from '../parties/people/login.ts';
import { VENDOR_ROLES } from '../parties/people/roles.ts';
import type { VendorRole } from '../parties/people/roles.ts';
import { feeOf, formulaOf } from '../payments/prices/written.ts';
import { action } from './definition.ts';
import type { AnyAction, Spelt } from './definition.ts';
import * as fields from './fields.ts';
import { inputOf, text } from './fields.ts';
import { fee } from './prices.ts';
import { setting } from './proposing.ts';
import { settingReason } from './signer-schema.ts';
import { newSettings, newVendor } from './vendor-settings.ts';
import { vendorRow } from './vendor-view.ts';

const core = async () => ({
  ...(await import('../parties/people/login.ts')),
  ...(await import('../payments/ledger/add-vendor.ts')),
  ...(await import('../payments/settings/fields.ts')),
  ...(await import('../payments/settings/new-vendor.ts')),
  ...(await import('../payments/settings/prices.ts')),
});

const added = Type.Object({
  vid: vendorRow.vid,
  vendor_id: Type.Integer(),
  secret: text({ title: 'Key', secret: true }),
});
export type VendorAdded = Static<typeof added>;

/** `--administrator asha@shop.example="Asha Njeri"`. */
const personIn = (role: VendorRole): Spelt => ({
  option: role.replace('vendor_', ''),
  placeholder: 'login=name',
  says: `a person with the role ${role}, who gets a link after the approval; repeatable`,
  form: 'a login and a name, such as asha@shop.example=Asha Njeri',
  read: (written) => {
    const [, login, name] = /^([^=]+)=(.+)$/.exec(written) ?? [];
    return login === undefined ? undefined : { login, name, role };
  },
});

const prices = fields.listOf(
  Type.Object({ biller: fields.code(), ...fee }, { additionalProperties: false }),
  {
    ...{ option: 'price', placeholder: 'biller=fee', maxItems: 100 },
    description:
      'a fee agreed with it, as price.set takes them, such as kplc_prepaid=10, kplc_prepaid=1.5% or kplc_prepaid=10+1.5%; repeatable',
    read: (written) => feeOf('biller', written),
    form: 'a biller and its fee, such as kplc_prepaid=10, kplc_prepaid=1.5% or kplc_prepaid=10+1.5%',
  },
);

const people = Type.Array(
  Type.Object(
    {
      login: Type.String({ pattern: TYPED_LOGIN }),
      name: fields.displayName(),
      role: Type.Enum([...VENDOR_ROLES]),
    },
    { additionalProperties: false },
  ),
  {
    maxItems: 20,
    description: 'its people, who choose their passwords with a link',
    spelt: VENDOR_ROLES.map(personIn),
  },
);

/** A vendor begins with a key that its maker sees, or with one that nobody sees. */
export const NEW_VENDORS: readonly AnyAction[] = [
  action(core, {
    name: 'vendor.add',
    summary: 'Add a vendor. Its security key is shown once.',
    route: 'POST /vendors',
    permission: 'vendors.act',
    actsAlone: 'always',
    input: inputOf({ ...newVendor, reason: settingReason }),
    output: added,
    handle: async ({ core: { addVendor }, input, deps }) => {
      const vendor = { vid: input.vid, name: input.name, ...newSettings(input) };
      const sealing = { masterKeys: await deps.masterKeys(), certain: true };
      const { vendorId, securityKey } = await addVendor(deps.pool, vendor, sealing);
      const result = { vid: input.vid, vendor_id: vendorId, secret: securityKey };
      return { result, audit: { target: input.vid, after: vendor } };
    },
  }),
  setting(core, {
    name: 'vendor.propose',
    summary:
      'Propose a vendor with its prices and people. Nobody sees its first security key: its administrator makes one in the console.',
    route: 'POST /vendors/:vid/propose',
    permission: 'vendors.act',
    proposes: 'party_setting',
    actsAlone: true,
    input: { ...newVendor, prices: Type.Optional(prices), people: Type.Optional(people) },
    change: async ({ core: loaded, input }) => {
      const { vid, name, prices: agreed = [], people: named = [], ...settings } = input;
      const change = {
        ...loaded.present({ name, ...newSettings(settings) }),
        prices: agreed.map(({ biller: billerCode, ...given }) => {
          return { billerCode, formula: loaded.formulaJson(formulaOf(given)) };
        }),
        people: named.map(({ login, ...rest }) => ({ login: loaded.loginFrom(login), ...rest })),
      };
      return { setting: loaded.NEW_VENDOR, key: { vid }, change };
    },
  }),
];
