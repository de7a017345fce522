import type { Command } from 'commander';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { findBiller } from '../../payments/billers/store.ts';
import { formulaFields, termsFields } from '../../payments/prices/describe.ts';
import { chargeFor, inForce, termsOf } from '../../payments/prices/price.ts';
import {
  feePricesByBiller,
  listFeePrices,
  listOperatorPrices,
  operatorPricesByRoute,
} from '../../payments/prices/store.ts';
import type { FeePriceRow, OperatorPriceRow } from '../../payments/prices/store.ts';
import { readVids } from '../../parties/store.ts';
import { code, command, moneyAboveZero, signerName } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { table } from '../output.ts';
import { requireVendor } from '../parties/vendors.ts';
import { formulaText, termsText } from '../../payments/prices/text.ts';

interface ListOptions {
  readonly json?: boolean;
  readonly biller?: string;
  readonly all?: boolean;
}

export function addList(price: Command, cli: Cli): void {
  command(price, 'list', 'The prices in force, and those that begin later.')
    .option('--biller <code>', 'only of this biller', code)
    .option('--all', 'also those that were replaced')
    .action(async (options: ListOptions) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const which = options.all === true ? 'all' : 'current';
        const isWanted = ({ billerCode }: { readonly billerCode: string }): boolean =>
          options.biller === undefined || options.biller === billerCode;
        const fees = (await listFeePrices(pool, which)).filter(isWanted);
        const operators = (await listOperatorPrices(pool, which)).filter(isWanted);
        const vids = await readVids(pool);
        const vidOf = ({ vendorId }: FeePriceRow): string | null =>
          vendorId === null ? null : (vids.get(vendorId) ?? null);
        return {
          json: {
            fees: fees.map((row) => ({
              biller_code: row.billerCode,
              vid: vidOf(row),
              ...settingJson(row),
              ...(row.tiers.length === 0 ? { removed: true } : formulaFields(row)),
            })),
            operators: operators.map((row) => ({
              biller_code: row.billerCode,
              operator: row.operatorCode,
              ...settingJson(row),
              ...termsFields(row),
            })),
          },
          text: `${feeTable(fees, vidOf, wireTime)}\n${operatorTable(operators, wireTime)}`,
        };
      });
    });
}

type SetRow = Pick<FeePriceRow, 'version' | 'validFrom' | 'setAt' | 'setBy'>;

export function settingJson(row: SetRow) {
  return {
    version: row.version,
    valid_from: row.validFrom.toISOString(),
    set_at: row.setAt.toISOString(),
    set_by: row.setBy,
  };
}

const SETTING_COLUMNS = [
  { title: 'FROM' },
  { title: 'SET BY' },
  { title: 'VERSION', align: 'right' },
] as const;

function settingCells(row: SetRow, wireTime: WireTime): string[] {
  return [wireTime.format(row.validFrom), row.setBy, String(row.version)];
}

function feeTable(
  rows: readonly FeePriceRow[],
  vidOf: (row: FeePriceRow) => string | null,
  wireTime: WireTime,
): string {
  return table(
    [
      { title: 'FEE OF' },
      { title: 'VENDOR' },
      ...SETTING_COLUMNS,
      { title: 'PRICE', wrapped: true },
    ],
    rows.map((row) => [
      row.billerCode,
      row.vendorId === null ? 'all' : (vidOf(row) ?? ''),
      ...settingCells(row, wireTime),
      formulaText(row),
    ]),
    'no fees',
  );
}

function operatorTable(rows: readonly OperatorPriceRow[], wireTime: WireTime): string {
  return table(
    [
      { title: 'PAYMENTS OF' },
      { title: 'THROUGH' },
      ...SETTING_COLUMNS,
      { title: 'PRICE', wrapped: true },
    ],
    rows.map((row) => [
      row.billerCode,
      row.operatorCode,
      ...settingCells(row, wireTime),
      termsText(row),
    ]),
    'no prices of operators',
  );
}

export function addShow(price: Command, cli: Cli): void {
  command(
    price,
    'show',
    'What a payment would cost now, and what each operator with a price would charge and give. Changes nothing.',
  )
    .argument('<biller>', 'biller code', code)
    .argument('<amount>', 'amount of the payment', moneyAboveZero)
    .option('--vid <vid>', 'for this vendor', signerName)
    .action(
      async (
        billerCode: string,
        amountCents: bigint,
        options: { json?: boolean; vid?: string },
      ) => {
        await cli.run(options, async ({ pool }) => {
          if ((await findBiller(pool, billerCode)) === undefined) {
            throw new PlainError(`Biller ${billerCode} does not exist.`);
          }
          const vendorId =
            options.vid === undefined ? null : (await requireVendor(pool, options.vid)).vendorId;
          const fees = feePricesByBiller(await listFeePrices(pool, 'recent'));
          const nowMs = Date.now();
          const prices = fees.get(billerCode) ?? new Map();
          const charge = chargeFor(prices, { vendorId, amountCents }, nowMs);
          const operators = await listOperatorPrices(pool, 'recent');
          const through = [...operatorPricesByRoute(operators).values()].flatMap((rows) => {
            const row = inForce(rows, nowMs);
            if (row === undefined || row.billerCode !== billerCode) return [];
            const { costCents, commissionCents } = termsOf(row, amountCents);
            const netFeeCents = charge.feeCents - charge.vatCents;
            const marginCents = netFeeCents + commissionCents - costCents;
            return [{ operator: row.operatorCode, costCents, commissionCents, marginCents }];
          });
          const json = {
            biller_code: billerCode,
            amount: formatMoney(amountCents),
            fee: formatMoney(charge.feeCents),
            vat: formatMoney(charge.vatCents),
            version: charge.feePrice,
            operators: through.map((one) => ({
              operator: one.operator,
              cost: formatMoney(one.costCents),
              commission: formatMoney(one.commissionCents),
              margin: formatMoney(one.marginCents),
            })),
          };
          return { json, text: quoteText(json) };
        });
      },
    );
}

function right(title: string) {
  return { title, align: 'right' as const };
}

function quoteText(quote: {
  readonly fee: string;
  readonly vat: string;
  readonly operators: readonly Readonly<
    Record<'operator' | 'cost' | 'commission' | 'margin', string>
  >[];
}): string {
  const through = table(
    [{ title: 'THROUGH' }, right('COST'), right('COMMISSION'), right('MARGIN')],
    quote.operators.map((one) => [one.operator, one.cost, one.commission, one.margin]),
    'no prices of operators',
  );
  return `The fee is ${quote.fee}, of which ${quote.vat} is VAT.\n${through}`;
}
