import { Type } from 'typebox';
import type { TProperties, TSchema } from 'typebox';

/** Parts of the contents of settings. */
export const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });
export const code = text(64);
export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
export const strict = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });

/** Without what is undefined, as in JSON. */
export const given = (values: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
