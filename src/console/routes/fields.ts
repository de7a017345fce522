import { Type } from 'typebox';
import { ID_FORM } from '../../platform/base/ids.ts';

/** The identifier of a row. */
export const rowId = Type.String({ pattern: `^${ID_FORM}$` });

/** Text that is stored and shown, without control characters. */
export const line = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: String.raw`^\P{C}+$` });

export const shortText = line(200);
