import { readFileSync } from 'node:fs';
import { Type } from 'typebox';
import { Refusal } from '../platform/base/errors.ts';
import { readJson } from '../platform/base/json.ts';

/** Settings of a protocol. The reverse of an answer’s `settings`, except that one without a value has its default again. */

interface Given {
  readonly name: string;
  readonly value?: unknown;
}

export const settings = Type.Optional(
  Type.Array(
    Type.Object(
      { name: Type.String({ minLength: 1, maxLength: 60 }), value: Type.Optional(Type.Unknown()) },
      { additionalProperties: false },
    ),
    {
      description:
        'a setting of the protocol, such as pay_timeout_ms=30000; name= restores its default; repeatable',
      spelt: [
        {
          ...{ option: 'settings-file', placeholder: 'file', read: settingsIn },
          says: 'a JSON file with settings that are more than one value, such as the billers of daraja-b2b',
          form: 'a file whose content is a JSON object',
        },
        { option: 'setting', placeholder: 'name=value', read: settingOf, form: 'name=value' },
      ],
    },
  ),
);

/** Throws: `invalid_field` for a name that is given twice: nobody knows which value is meant. */
export function settingsOf(given: readonly Given[] = []): Readonly<Record<string, unknown>> {
  const names = given.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) {
    const text = `settings: ${twice} is given twice`;
    throw new Refusal('invalid_field', { field: 'settings', text });
  }
  return Object.fromEntries(given.map(({ name, value }) => [name, value]));
}

/** Numbers and null are such, everything else is text. */
function settingOf(written: string): Given | undefined {
  const [, name = '', value = ''] = /^([a-z0-9_]{1,60})=(.*)$/s.exec(written) ?? [];
  if (name === '') return undefined;
  if (value === '') return { name };
  if (value === 'null') return { name, value: null };
  return { name, value: /^\d{1,15}$/.test(value) ? Number(value) : value };
}

function settingsIn(file: string): readonly Given[] | undefined {
  try {
    const read: unknown = readJson(readFileSync(file, 'utf8'));
    if (typeof read !== 'object' || read === null || Array.isArray(read)) return undefined;
    return Object.entries(read).map(([name, value]) => ({ name, value: value as unknown }));
  } catch {
    return undefined;
  }
}
