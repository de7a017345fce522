import { Type } from 'typebox';
import type { TObject, TProperties, TSchema, TSchemaOptions } from 'typebox';
import { ID_FORM } from '../platform/base/ids.ts';
import { MONEY_PATTERN } from '../platform/base/money.ts';
import { DISPLAY_NAME } from '../platform/base/visible.ts';
import type { Keywords } from './definition.ts';

/** Properties that many definitions have. Each has one name, one limit and one default, on every surface. */

/** Options of a property: JSON schema’s, and ours. */
export type Options = TSchemaOptions & Keywords;

/** The whole input of a definition: anything else is refused. */
export const inputOf = <Properties extends TProperties>(
  properties: Properties,
): TObject<Properties> => Type.Object(properties, { additionalProperties: false });

/** An input without anything. */
export const NOTHING = inputOf({});

export const orNull = <Schema extends TSchema>(schema: Schema, options: Options = {}) =>
  Type.Union([schema, Type.Null()], options);

export const text = (options: Options = {}) => Type.String(options);
export const textOrNull = (options: Options = {}) => orNull(Type.String(), options);

/** The id of a row, by which an input names it. */
export const idOf = (what: string, options: Options = {}) =>
  Type.String({
    pattern: `^${ID_FORM}$`,
    form: `the ${what}’s id`,
    description: `the ${what}’s id`,
    ...options,
  });

/** Text in one line that is stored and shown, without control characters. */
export const line = (maxLength: number, options: Options = {}) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: String.raw`^\P{C}+$`,
    form: `1 to ${maxLength} printable characters`,
    ...options,
  });

export const shortText = (options: Options) => line(200, options);

/** Why somebody does something, in lines: the audit log keeps it, and whoever decides reads it. */
export const reasonWith = (options: Options) =>
  Type.String({
    maxLength: 500,
    pattern: String.raw`^[\n\P{C}]*[^\p{C}\s][\n\P{C}]*$`,
    form: '1 to 500 printable characters',
    ...{ description: 'why', option: 'note', placeholder: 'text' },
    ...options,
  });
export const reason = reasonWith({});
/** As long as nobody gives one. */
export const reasonOr = (usual: string, options: Options = {}) =>
  reasonWith({ default: usual, ...options });

/** A vendor of an input. */
export const vid = (options: Options = {}) =>
  Type.String({
    pattern: '^[A-Za-z0-9_.-]{1,64}$',
    form: '1 to 64 letters, digits, dots, hyphens or underscores',
    description: 'vendor ID',
    ...options,
  });

/** The code of a biller, an operator or a source, in any case. */
export const code = (options: Options = {}) =>
  Type.String({
    anyCase: true,
    pattern: '^[A-Za-z0-9_]{1,40}$',
    form: '1 to 40 letters, digits or underscores',
    ...options,
  });

/** An amount of an input. */
export const amount = (options: Options = {}) =>
  Type.String({
    pattern: MONEY_PATTERN.source,
    form: 'a decimal number such as 100.00, with at most 12 digits before the point and 2 after it',
    description: 'in KES',
    ...options,
  });

/** An amount of an input that is not 0. */
export const positive = (options: Options = {}) =>
  amount({
    pattern: String.raw`^(?=.*[1-9])\d{1,12}(\.\d{1,2})?$`,
    form: 'a decimal number greater than 0 such as 100.00, with at most 12 digits before the point and 2 after it',
    ...options,
  });

/** An amount of a change, or none, which an option of its own says. */
export const positiveOrNone = (name: string, description: string, without: string) =>
  Type.Optional(
    orNull(positive(), {
      ...{ description, placeholder: 'amount' },
      shorthands: { [`no-${name}`]: { value: null, says: without } },
    }),
  );

/** An amount of an answer: decimal text in KES, or null. */
export const money = (options: Options = {}) =>
  Type.String({ pattern: String.raw`^-?\d+\.\d\d$`, unit: 'money', ...options });
export const moneyOrNull = (options: Options = {}) =>
  orNull(money(), { unit: 'money', ...options });

/** A time of an answer: ISO 8601 in UTC. */
export const time = (options: Options = {}) =>
  Type.String({ format: 'date-time', unit: 'time', ...options });
export const timeOrNull = (options: Options = {}) => orNull(time(), { unit: 'time', ...options });

/** A day or a time of an input; see `readMoment`. */
export const moment = (options: Options) =>
  Type.String({
    minLength: 1,
    maxLength: 40,
    placeholder: 'time',
    form: 'YYYY-MM-DD, epoch seconds or milliseconds, YYYY-MM-DD HH:MM:SS, or ISO 8601 with an offset',
    ...options,
  });

/** A period of the books; see `readBookPeriod`. */
export const bookPeriod = {
  from: Type.Optional(
    moment({ description: 'a day or a time (default: the first day of this month)' }),
  ),
  to: Type.Optional(
    moment({ description: 'a day (included) or a time (not included) (default: today)' }),
  ),
};

/** A period of an input; see `readPeriod`. */
export const period = {
  from: moment({ description: 'start of the period: a day or a time' }),
  to: moment({ description: 'its end: a day (included) or a time (not included)' }),
};

/** A day; see `readDay`. */
export const day = (options: Options) =>
  Type.String({
    pattern: String.raw`^\d{4}-\d{2}-\d{2}$`,
    form: 'written YYYY-MM-DD',
    placeholder: 'date',
    ...options,
  });

/** A month of the service's time zone. */
export const month = (options: Options) =>
  Type.String({
    pattern: String.raw`^\d{4}-(0[1-9]|1[0-2])$`,
    form: 'a month, YYYY-MM',
    placeholder: 'month',
    ...options,
  });

/** Which proposals of two people a list has. */
export const openOrAll = (all: string) =>
  Type.Enum(['open', 'all'], {
    default: 'open',
    description: 'which',
    shorthands: { all },
  });

/** A name for people. */
export const displayName = (options: Options = {}) =>
  Type.String({
    pattern: DISPLAY_NAME,
    form: '1 to 100 characters that people see, without spaces at the ends',
    description: 'name for people',
    ...options,
  });

/** A length of time; see `secondsOf`. */
export const duration = (options: Options) =>
  Type.String({
    pattern: String.raw`^(0|\d{1,7}s|\d{1,5}m|\d{1,3}h|([12]?\d|30)d)$`,
    form: 'a duration such as 90s, 30m, 24h or 7d, at most 30d',
    placeholder: 'time',
    ...options,
  });

/** Reading and writing a page of this length keeps the process from everything else for about three milliseconds. */
const MAX_PAGE = 200;

/** The place and the length of a page. */
export const paging = (usual: number) => ({
  cursor: Type.Optional(
    Type.String({ maxLength: 1000, description: 'the `next` of the page before' }),
  ),
  limit: Type.Integer({
    minimum: 1,
    maximum: MAX_PAGE,
    default: usual,
    description: 'at most this many',
    placeholder: 'count',
  }),
});

/** A list of which each item is an option of the command: `--scope finance.read`. */
export const listOf = <Item extends TSchema>(
  item: Item,
  {
    option,
    form,
    read = (given) => given,
    placeholder = option,
    ...options
  }: Options & {
    readonly option: string;
    readonly form: string;
    readonly read?: (given: string) => unknown;
  },
) => Type.Array(item, { ...options, spelt: [{ option, placeholder, form, read }] });

/** A number of things in an answer. */
export const count = (options: Options = {}) => Type.Integer({ unit: 'count', ...options });

/** Hashes that people kept. */
export const storedHeads = Type.Array(Type.String({ pattern: '^[0-9a-fA-F]{64}$' }), {
  ...{ default: [], maxItems: 1000, form: 'hashes, each with 64 hexadecimal digits' },
  description: 'heads of the hash chain that were stored elsewhere',
  spelt: [
    {
      ...{ option: 'head', placeholder: 'hash', form: '64 hexadecimal digits' },
      says: 'a head of the hash chain that was stored elsewhere; repeatable',
      read: (given: string) => (/^[0-9a-f]{64}$/i.test(given) ? given : undefined),
    },
  ],
} satisfies Options);

/** Words that are not written as the property is called. */
const TITLES: Readonly<Record<string, string>> = {
  ...{ vid: 'Vendor', crn: 'CRN', vat: 'VAT', date_of_birth: 'Born' },
};

/** As people call a property: `is_registered` and `registered_at` are `Registered`. */
function titleOf(name: string): string {
  const words = name.replace(/^is_|_(at|on|code)$/g, '').replaceAll('_', ' ');
  return TITLES[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** Columns that are called as their properties. */
export const titled = <Makers extends Readonly<Record<string, (options: Options) => TSchema>>>(
  makers: Makers,
): { [Name in keyof Makers]: ReturnType<Makers[Name]> } =>
  Object.fromEntries(
    Object.entries(makers).map(([name, make]) => [name, make({ title: titleOf(name) })]),
  ) as { [Name in keyof Makers]: ReturnType<Makers[Name]> };

/** The cursor of the next page of a list; null: it ends here. */
export const next = textOrNull({ description: 'the `cursor` of the next page' });
