import { Type } from 'typebox';
import type { TProperties, TSchema } from 'typebox';

/** Parts of the contents of settings. */
export const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });
export const code = text(64);
export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
export const strict = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });

/** Without what is undefined, as in JSON. */
export const present = (values: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** A field for each setting of a connector or a source. */
export function settingsText(settings: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

/** Changes of settings as JSON, where undefined removes one. */
export function settingsJson(settings: Readonly<Record<string, unknown>>) {
  const removed = Object.keys(settings).filter((name) => settings[name] === undefined);
  return { settings: present(settings), removed };
}

/** The reverse. */
export function settingsOf(change: {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly removed: readonly string[];
}): Record<string, unknown> {
  const removed = Object.fromEntries(change.removed.map((name) => [name, undefined]));
  return { ...change.settings, ...removed };
}
