import { Type } from 'typebox';
import type { TProperties, TSchema } from 'typebox';

/** An object without other fields. */
export const strict = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });

export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** Text that is not empty. */
export const filledText = (maxLength: number) => Type.String({ minLength: 1, maxLength });

/** An amount above zero, without leading zeros: JSON has no exact integers of 64 bits, so cents are text. */
export const centsAboveZero = Type.String({ pattern: '^[1-9][0-9]{0,14}$' });

/** A code of ours. */
export const codeField = Type.String({ pattern: '^[a-z0-9_]{1,40}$' });

/** Something for each of several codes of ours. */
export const byCode = <Schema extends TSchema>(schema: Schema) =>
  Type.Record(codeField, schema, { additionalProperties: false });
