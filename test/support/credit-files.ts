import { randomBytes } from 'node:crypto';
import { MOBILE_COLUMNS, TEMPLATES } from '../../src/credit/importing/template.ts';
import type { Column, TemplateName } from '../../src/credit/importing/template.ts';
import { createVault } from '../../src/credit/registry/vault.ts';
import type { Vault } from '../../src/credit/registry/vault.ts';

export type Line = Partial<Record<Column, string>>;

/**
 * A valid line of the mobile template for as-of 2026-10-31; the number gives the national ID and the
 * account.
 */
export function rightLine(number: number, change: Line = {}): Line {
  return {
    Surname: 'Baraka',
    Forename1: 'Amani',
    Forename2: 'Wanjiru',
    Forename3: '',
    TradingAs: '',
    DateOfBirth: '19850314',
    ClientNumber: `C${number}`,
    AccountNumber: `A${number}`,
    Gender: 'F',
    Nationality: 'KE',
    PrimaryIDType: '001',
    PrimaryIDNumber: String(910_000_000 + number),
    MobilePhone: `2547${String(number).padStart(8, '0')}`,
    AccountProductType: 'I',
    InstalmentDueDate: '20261130',
    OriginalAmount: '12000.00',
    Currency: 'KES',
    CurrentBalanceKES: '8000.00',
    CurrentBalance: '8000.00',
    OverdueBalance: '0',
    OverdueDate: '',
    DaysInArrears: '0',
    InstalmentsInArrears: '0',
    PrudentialRiskClassification: 'A',
    AccountStatus: 'F',
    AccountStatusDate: '20260901',
    RepaymentPeriod: '6',
    DisbursementDate: '20260901',
    InstalmentAmount: '2000',
    LatestPaymentDate: '20261005',
    LastPaymentAmount: '2000',
    ...change,
  };
}

export function csvOf(lines: readonly Line[], template: TemplateName = 'mobile'): string {
  const columns: readonly Column[] = TEMPLATES[template];
  const rows = lines.map((line) => columns.map((column) => quoted(line[column] ?? '')).join(','));
  return `${[columns.join(','), ...rows].join('\n')}\n`;
}

/** The places of a template's columns in a file that has all of them, in its order. */
export function placesOf(template: TemplateName): ReadonlyMap<Column, number> {
  return new Map(TEMPLATES[template].map((column, index) => [column, index]));
}

/** Values of a line in the mobile template's order. */
export function valuesOf(line: Line): string[] {
  return MOBILE_COLUMNS.map((column) => line[column] ?? '');
}

function quoted(value: string): string {
  return /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** A vault with its own keys. */
export function newVault(): Vault {
  return createVault({
    master: { current: randomBytes(32), previous: undefined },
    index: { current: randomBytes(32), previous: undefined },
  });
}
