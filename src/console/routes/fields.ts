import { Type } from 'typebox';
import { ID_FORM } from '../../platform/base/ids.ts';

/** The identifier of a row. */
export const rowId = Type.String({ pattern: `^${ID_FORM}$` });

/** Text that is stored and shown, without control characters. */
export const line = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: String.raw`^\P{C}+$` });

export const shortText = line(200);

/** What people are called. Two names that look alike are the same. */
export const personName = Type.String({
  maxLength: 100,
  pattern: String.raw`^[^\p{C}\p{DI}]*[^\p{C}\p{DI}\s][^\p{C}\p{DI}]*$`,
});
