import { Type } from 'typebox';
import { filledText } from '../../platform/base/json-fields.ts';

/** Parts of the contents of settings. */
export const code = filledText(64);
/** JSON has no exact integers of 64 bits, so cents are text. */
export const cents = Type.String({ pattern: '^[0-9]{1,15}$' });

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
