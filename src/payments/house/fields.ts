import { Type } from 'typebox';
import type { Line } from '../../proposals/kind.ts';
import type { JournalLine } from './journal.ts';

/** Fields of what two people book in the house. */
export const textField = (maxLength: number) => Type.String({ minLength: 1, maxLength });
/** The code of an operator or of a source. */
export const codeField = Type.String({ pattern: '^[a-z0-9_]{1,40}$' });
/** Above zero, without leading zeros. */
export const centsField = Type.String({ pattern: '^[1-9][0-9]{0,14}$' });
/** ISO 8601. */
export const timeField = Type.String({ maxLength: 24 });

/** A line as stored: JSON has no exact integers of 64 bits, so cents are text. */
export interface StoredLine {
  account: string;
  side: JournalLine['side'];
  cents: string;
}

/** The booked lines in words for people. */
export const bookedLines = (lines: readonly StoredLine[]): Line[] =>
  lines.map(({ account, side, cents }) => ({
    ...{ label: side === 'debit' ? 'Debit' : 'Credit', text: account, cents },
  }));
