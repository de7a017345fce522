import type { WireTime } from '../../platform/base/clock.ts';
import type { Block, Drawing, ReportDocument, Shape } from '../../platform/documents/document.ts';
import { formatMoney, parseMoney } from '../../platform/base/money.ts';
import type { Cell, ExportTable } from '../../platform/export/rows.ts';
import { contentOf, numberText, totalOf } from './invoice.ts';
import type { InvoiceContent, InvoiceLine, PartyName } from './invoice.ts';
import type { Invoice } from './read-invoices.ts';

/** How taxes are rounded: the same for fees, invoices, reports and accounts. */
export const ROUNDING =
  'Each tax is rounded to a cent, half a cent up, once for each payment. The totals are sums of these cents, so a percentage of a total may differ from them by up to half a cent for each payment. VAT is charged on the fee with its excise duty.';

/** An invoice for people. @param qr the modules of the control unit's code; null: it has none. */
export function invoiceDocument(
  invoice: Invoice,
  wireTime: WireTime,
  qr: readonly (readonly boolean[])[] | null,
): ReportDocument {
  const content = contentOf(invoice);
  const isNote = invoice.series === 'CN';
  const number = numberText(invoice);
  const day = (text: string): string => wireTime.format(new Date(text));
  const facts: (readonly [string, string])[] = [
    ['Number', number],
    ['Issued', wireTime.format(invoice.issuedAt)],
    ...(content.credits === null ? [] : [['Credits invoice', content.credits] as const]),
    content.payment === null
      ? ['Fees of payments', `from ${day(content.from)} until ${day(content.to)}`]
      : ['Fee of payment', content.payment],
    ['Currency', content.currency],
  ];
  return {
    title: isNote ? `Credit note ${number}` : `Tax invoice ${number}`,
    language: 'en',
    footer: `${content.seller.legal_name} · ${number}`,
    madeAt: invoice.issuedAt,
    blocks: [
      { kind: 'facts', rows: facts },
      ...party('From', content.seller),
      ...party('To', content.buyer),
      { kind: 'heading', text: isNote ? 'Fees returned' : 'Fees' },
      linesTable(content),
      { kind: 'facts', rows: totals(invoice) },
      { kind: 'paragraph', text: ROUNDING },
      ...control(invoice, content, qr),
    ],
  };
}

function party(title: string, { legal_name: name, pin, address }: PartyName): Block[] {
  const rows = [
    ['Name', name] as const,
    ...(pin === null ? [] : [['PIN', pin] as const]),
    ...(address === '' ? [] : [['Address', address] as const]),
  ];
  return [
    { kind: 'heading', text: title },
    { kind: 'facts', rows },
  ];
}

function linesTable({ lines }: InvoiceContent): Block {
  const right = { width: 2, align: 'right' } as const;
  return {
    kind: 'table',
    columns: [
      { title: 'Biller', width: 3 },
      { title: 'Payments', ...right },
      { title: 'Fee', ...right },
      { title: 'Excise duty', ...right },
      { title: 'VAT', ...right },
      { title: 'Total', ...right },
    ],
    rows: lines.map((line) => [
      line.biller ?? '',
      String(line.payments),
      line.net,
      withRate(line.excise, line.excise_percent),
      withRate(line.vat, line.vat_percent),
      line.total,
    ]),
    empty: '',
  };
}

const withRate = (amount: string, percent: string | null): string =>
  percent === null || percent === '0' ? amount : `${amount} (${percent} %)`;

function totals(invoice: Invoice): (readonly [string, string])[] {
  return [
    ['Fees without taxes', formatMoney(invoice.netCents)],
    ['Excise duty', formatMoney(invoice.exciseCents)],
    ['Taxable for VAT', formatMoney(taxableCents(contentOf(invoice).lines))],
    ['VAT', formatMoney(invoice.vatCents)],
    ['Total', formatMoney(totalOf(invoice))],
  ];
}

/** Lines without a known rate are taxable if they have VAT. */
function taxableCents(lines: readonly InvoiceLine[]): bigint {
  return lines
    .filter(({ vat, vat_percent: percent }) => (percent ?? vat) !== '0' && vat !== '0.00')
    .reduce((sum, { net, excise }) => sum + parseMoney(net) + parseMoney(excise), 0n);
}

function control(
  { controlNumber, qrCode }: Invoice,
  { needs_control: isNeeded }: InvoiceContent,
  qr: readonly (readonly boolean[])[] | null,
): Block[] {
  if (controlNumber === null || qrCode === null) {
    if (!isNeeded) return [];
    return [{ kind: 'note', text: 'It waits for the control unit and is not a tax invoice yet.' }];
  }
  const rows = [
    ['Control unit invoice number', controlNumber],
    ['QR code', qrCode],
  ] as const;
  return [
    { kind: 'heading', text: 'Control unit' },
    { kind: 'facts', rows },
    ...(qr === null ? [] : [{ kind: 'chart', drawing: qrDrawing(qr) } as const]),
  ];
}

const MODULE = 3;

/** The code as boxes, with one for each run of dark modules in a row. Pure. */
export function qrDrawing(modules: readonly (readonly boolean[])[]): Drawing {
  const shapes: Shape[] = modules.flatMap((row, y) =>
    runsOf(row).map(({ x, length }): Shape => ({
      kind: 'box',
      ...{ x: x * MODULE, y: y * MODULE, width: length * MODULE, height: MODULE },
      colour: '#000000',
    })),
  );
  const size = modules.length * MODULE;
  return { width: size, height: size, description: 'QR code of the control unit', shapes };
}

function runsOf(row: readonly boolean[]): { x: number; length: number }[] {
  const runs: { x: number; length: number }[] = [];
  for (const [x, isDark] of row.entries()) {
    if (!isDark) continue;
    const last = runs.at(-1);
    if (last !== undefined && last.x + last.length === x) last.length += 1;
    else runs.push({ x, length: 1 });
  }
  return runs;
}

const TITLES = [
  ...['Number', 'Kind', 'Issued', 'Credits', 'Vendor', 'Name', 'PIN', 'From', 'To', 'Payment'],
  ...['Biller', 'Payments', 'Excise %', 'VAT %', 'Fee', 'Excise duty', 'VAT', 'Total'],
  ...['Control unit number', 'QR code'],
];

/** An invoice as a table: a row for each line, with the whole invoice in each. */
export function invoiceTable(invoice: Invoice): ExportTable {
  const { buyer, from, to, credits, payment, lines } = contentOf(invoice);
  const kind = invoice.series === 'CN' ? 'credit_note' : 'invoice';
  const rows = lines.map((line): Cell[] => [
    ...[numberText(invoice), kind, invoice.issuedAt, credits, buyer.vid, buyer.legal_name],
    ...[buyer.pin, new Date(from), new Date(to), payment, line.biller, String(line.payments)],
    ...[line.excise_percent, line.vat_percent, parseMoney(line.net), parseMoney(line.excise)],
    ...[parseMoney(line.vat), parseMoney(line.total), invoice.controlNumber, invoice.qrCode],
  ]);
  return { titles: TITLES, rows: once(rows) };
}

// eslint-disable-next-line @typescript-eslint/require-await
async function* once<Rows>(rows: Rows): AsyncGenerator<Rows> {
  yield rows;
}
