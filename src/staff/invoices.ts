import { Type } from 'typebox';
import type { Static } from 'typebox';
import { INVOICE_FORMATS } from '../payments/invoices/invoice.ts';
import { Refusal } from '../platform/base/errors.ts';
import { action, download, view } from './definition.ts';
import type { Noun } from './definition.ts';
import type { StaffDeps } from './deps.ts';
import * as fields from './fields.ts';
import { inputOf, line, NOTHING, orNull, text, textOrNull, titled } from './fields.ts';
import { BY_TIME, list } from './lists.ts';
import type { PageOf } from './lists.ts';
import { setting } from './proposing.ts';
import { readMoment } from '../platform/base/times.ts';
import type { Viewer } from './viewer.ts';

const core = async () => ({
  ...(await import('../payments/invoices/view.ts')),
  ...(await import('../payments/invoices/file.ts')),
  ...(await import('../payments/invoices/control.ts')),
  ...(await import('../payments/invoices/read-invoices.ts')),
  ...(await import('../payments/invoices/read-terms.ts')),
  ...(await import('../payments/settings/invoicing.ts')),
  ...(await import('../payments/settings/fields.ts')),
  ...(await import('../parties/require-vendor.ts')),
});
type Core = Awaited<ReturnType<typeof core>>;

const STATES = ['issued', 'waiting'] as const;

const invoiceRow = Type.Object({
  number: text({ title: 'Number' }),
  kind: Type.Enum(['invoice', 'credit_note'], { title: 'Kind' }),
  ...titled({ issued_at: fields.time, vid: text }),
  from: fields.time({ title: 'From', wide: true }),
  to: fields.time({ title: 'To', description: 'not included', wide: true }),
  /** The number of the invoice that a credit note credits; null: this is an invoice. */
  credits: textOrNull({ title: 'Credits' }),
  /** Reference of the only payment; null: a period. */
  payment: textOrNull({ title: 'Payment', wide: true }),
  net: fields.money({ title: 'Fees' }),
  excise: fields.money({ title: 'Excise duty' }),
  ...titled({ vat: fields.money, total: fields.money }),
  /** waiting: for the control unit; the vendor does not see it yet. */
  state: Type.Enum([...STATES], { title: 'State' }),
  control_number: textOrNull({ title: 'Control unit number', wide: true }),
  qr_code: textOrNull(),
  invoice: text({ title: 'Invoice' }),
});
const partyView = Type.Object({ legal_name: text(), pin: textOrNull(), address: text() });
const whole = Type.Object({
  ...invoiceRow.properties,
  seller: partyView,
  buyer: Type.Object({ vid: text(), ...partyView.properties }),
  currency: text(),
  lines: Type.Array(
    Type.Object({
      ...titled({ biller: textOrNull, payments: fields.count }),
      net: fields.money({ title: 'Fee' }),
      excise_percent: textOrNull({ title: 'Excise %' }),
      excise: fields.money({ title: 'Excise duty' }),
      vat_percent: textOrNull({ title: 'VAT %' }),
      ...titled({ vat: fields.money, total: fields.money }),
    }),
    { title: 'Lines' },
  ),
});
export type InvoiceAnswer = Static<typeof whole>;
export type InvoiceList = PageOf<'invoices', typeof invoiceRow>;

const invoiceId = fields.idOf('invoice');
const PIN = '^[A-Z][0-9]{9}[A-Z]$';
const pin = Type.Optional(
  Type.String({
    pattern: PIN,
    description: 'number of the tax authority: a letter, nine digits, a letter',
    form: 'a letter, nine digits and a letter',
  }),
);
const legalName = (of: string) => line(200, { description: `legal name of ${of}` });
const address = line(400, { description: 'postal or physical address' });

const terms = Type.Object({
  /** Null: the company does not invoice with this service. */
  company: orNull(
    Type.Object({
      legal_name: text({ title: 'Legal name' }),
      pin: text({ title: 'PIN' }),
      address: text({ title: 'Address' }),
      per: Type.Enum(['month', 'payment'], { title: 'One invoice for each' }),
      needs_control: Type.Boolean({ title: 'Waits for the control unit' }),
      from: fields.time({ title: 'Fees since' }),
      invoiced_until: fields.timeOrNull({ title: 'Invoiced until' }),
    }),
    { title: 'Company' },
  ),
  vendors: Type.Array(
    Type.Object({
      ...titled({ vid: text, legal_name: text, pin: textOrNull, address: text }),
    }),
    { title: 'Vendors' },
  ),
});

/** An invoice that the viewer may see. Throws: `not_found`. */
async function requireInvoice(
  { findInvoice }: Core,
  deps: StaffDeps,
  { vendor }: Viewer,
  id: string,
) {
  const of = { invoiceId: id, vendorId: vendor?.vendorId };
  const found = await findInvoice(deps.pool, of);
  if (found === undefined) throw new Refusal('not_found', { field: 'invoice' });
  return found;
}

const SETS = { permission: 'finance.act', proposes: 'invoice_setting', actsAlone: true } as const;

export const INVOICES: Noun = {
  command: 'invoice',
  summary: 'Invoices for the fees that vendors pay, and credit notes for those they got back.',
  definitions: [
    list(core, BY_TIME, {
      name: 'invoice.list',
      summary: 'Invoices and credit notes, newest first.',
      route: 'GET /invoices',
      permission: 'statement.read',
      ownVendor: true,
      input: {
        vid: Type.Optional(fields.vid({ description: 'only of this vendor' })),
        state: Type.Enum(['all', ...STATES], {
          ...{ default: 'all', description: 'waiting: for the number of the control unit' },
        }),
      },
      rows: 'invoices',
      row: invoiceRow,
      empty: 'no invoices',
      read: async ({ core: { listInvoices, vendorNamed }, input, deps, viewer }, page) => {
        const own = viewer.vendor;
        const named = await vendorNamed(deps.pool, own?.vid ?? input.vid);
        const state = own === undefined ? input.state : 'issued';
        return await listInvoices(deps.pool, {
          ...{ vendorId: named?.vendorId ?? null, state, ...page },
        });
      },
      placeOf: ({ issuedAt: at, invoiceId: id }) => ({ at, id }),
      show: (shown, { core: { invoiceView } }) => shown.map((row) => invoiceView(row)),
    }),
    view(core, {
      name: 'invoice.show',
      summary: 'An invoice with both parties and its lines, as it was issued.',
      route: 'GET /invoices/:invoice',
      permission: 'statement.read',
      ownVendor: true,
      input: inputOf({ invoice: invoiceId }),
      output: whole,
      handle: async ({ core: loaded, input, deps, viewer }) =>
        loaded.wholeInvoice(await requireInvoice(loaded, deps, viewer, input.invoice)),
    }),
    download(core, {
      name: 'invoice.file',
      summary: 'An invoice as PDF, or as CSV with a row for each line.',
      route: 'GET /invoices/:invoice/file',
      permission: 'statement.read',
      ownVendor: true,
      input: inputOf({
        invoice: invoiceId,
        format: Type.Enum([...INVOICE_FORMATS], {
          default: 'pdf',
          description: 'form of the file',
        }),
      }),
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const found = await requireInvoice(loaded, deps, viewer, input.invoice);
        return await loaded.invoiceFile(found, input.format, deps.wireTime);
      },
    }),
    action(core, {
      name: 'invoice.set-control',
      summary:
        'Enter the number and the QR code that the control unit of the tax authority gave an invoice. Once: they cannot be changed.',
      route: 'POST /invoices/:invoice/control',
      permission: 'finance.act',
      programsMay: true,
      input: inputOf({
        invoice: invoiceId,
        control_number: line(100, { description: 'control unit invoice number' }),
        qr_code: line(500, { description: 'the text of the QR code, usually a link' }),
      }),
      output: invoiceRow,
      handle: async ({ core: { setControl, invoiceView }, input, deps, viewer }) => {
        const said = { controlNumber: input.control_number, qrCode: input.qr_code };
        const tools = { pool: deps.pool, ledgerMac: await deps.ledgerMac() };
        const after = await setControl(tools, input.invoice, { ...said, by: viewer.actor.name });
        const result = invoiceView(after);
        return { result, audit: { after: { number: result.number, ...said } } };
      },
    }),
    view(core, {
      name: 'invoice.settings',
      summary: 'How the company invoices, and how invoices name vendors.',
      route: 'GET /invoice-settings',
      permission: 'finance.read',
      input: NOTHING,
      output: terms,
      handle: async ({ core: { readTerms }, deps }) => await readTerms(deps.pool),
    }),
    setting(core, {
      ...SETS,
      name: 'invoice.set-company',
      summary:
        'Set the company on invoices and how it invoices. Invoices begin with the first one.',
      route: 'POST /invoice-settings/company',
      needsOne: ['legal_name', 'pin', 'address', 'per', 'needs_control', 'from'],
      input: {
        legal_name: Type.Optional(legalName('the company')),
        pin,
        address: Type.Optional(address),
        per: Type.Optional(
          Type.Enum(['month', 'payment'], { description: 'one invoice for each (default: month)' }),
        ),
        needs_control: Type.Optional(
          Type.Boolean({ description: 'invoices wait for the number of the control unit' }),
        ),
        from: Type.Optional(
          fields.moment({ description: 'fees since then are invoiced; only given once' }),
        ),
      },
      change: async ({ core: { present, COMPANY }, input, deps }) => {
        const { legal_name: name, needs_control: needsControl, from } = input;
        const startsAt = from && readMoment(from, 'from', deps.wireTime).toISOString();
        const change = present({
          ...{ legalName: name, pin: input.pin, address: input.address, per: input.per },
          ...{ needsControl, startsAt },
        });
        return { setting: COMPANY, key: {}, change };
      },
    }),
    setting(core, {
      ...SETS,
      name: 'invoice.set-vendor',
      summary: 'Set how invoices name a vendor. Those already issued stay as they are.',
      route: 'POST /invoice-settings/vendors/:vid',
      input: {
        vid: fields.vid({ argument: true }),
        legal_name: legalName('the vendor'),
        ...{ pin, address },
      },
      change: async ({ core: { requireVendor, INVOICE_NAME }, input, deps }) => {
        const { vid, legal_name: name, pin: number = null, address: where } = input;
        const { vendorId } = await requireVendor(deps.pool, vid);
        const change = { legalName: name, pin: number, address: where };
        return { setting: INVOICE_NAME, key: { vendorId, vid }, change };
      },
    }),
  ],
};
