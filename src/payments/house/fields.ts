import { Type } from 'typebox';
import type { Line } from '../../proposals/kind.ts';
import type { JournalLine } from './journal.ts';

/** ISO 8601. */
export const timeField = Type.String({ maxLength: 24 });

/** A line as stored. */
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
