import { Type } from 'typebox';
import type { TSchema } from 'typebox';
import { nullable } from '../platform/http/schemas.ts';
import { parameter } from '../platform/http/parameter.ts';

/** Cents as text: no program rounds it. */
export const cents = (description: string) =>
  Type.String({ pattern: '^-?\\d{1,18}$', description, examples: ['12345'] });

export const instant = (description: string) =>
  Type.String({
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
    description,
    examples: ['2026-11-21T06:15:00.000Z'],
  });

/** A list, page by page. */
export const pageOf = <Item extends TSchema>(item: Item) => ({
  items: Type.Array(item),
  next_cursor: nullable(
    Type.String({
      description:
        'Send it as `cursor`, with the same other parameters, for the next page; null: there are no more. A page may have fewer items than `limit`, even none, although there are more.',
    }),
  ),
});

const DEFAULT_LIMIT = 50;

/** Parameters of every list. */
export const paging = {
  limit: Type.Optional(
    parameter(
      /^([1-9]\d?|1\d\d|200)$/,
      'a whole number from 1 to 200',
      `Maximum number of items on the page. Default: ${DEFAULT_LIMIT}.`,
      { examples: ['50'] },
    ),
  ),
  cursor: Type.Optional(
    parameter(
      /^[A-Za-z0-9_-]{1,1024}$/,
      'the next_cursor of the previous page',
      'The `next_cursor` of the previous page.',
    ),
  ),
};

export function limitOf({ limit }: { readonly limit?: string | undefined }): number {
  return limit === undefined ? DEFAULT_LIMIT : Number(limit);
}

/** A time in a query string or a body; `period.ts` reads it. */
export const time = (description: string) =>
  parameter(
    /^[0-9TZ:.+-]{8,40}$/,
    'a day such as 2026-11-21, or a time with its zone such as 2026-11-21T06:15:00Z',
    `${description} A time in ISO 8601 with its zone, or a day of the service’s time zone.`,
    { examples: ['2026-11-21'] },
  );

export const period = {
  from: Type.Optional(time('Only from this time on.')),
  to: Type.Optional(time('Only before this time; a day is included.')),
};

/** A version 4 UUID has 122 random bits. Words and dates do not fit the pattern. */
const UUID_V4 =
  '[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-4[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}';

/** It must be impossible to guess, because with it a former key gets the new secret. */
export const idempotencyKey = Type.String({
  minLength: 32,
  maxLength: 64,
  pattern: `^(?:${UUID_V4}|[0-9A-Fa-f]{32,64})$`,
  form: 'a random UUID (version 4), or 32 to 64 random hexadecimal digits',
  description:
    'A random UUID (version 4), or 32 to 64 random hexadecimal digits, for this request alone. If you repeat the request with it within ten minutes, you get the first answer again. So does anybody else who knows it and has a valid key: keep it secret and never derive it from a date or a name.',
  examples: ['8d7f6c1e-0b4a-4a57-9f0e-3d5b1c2a7e90'],
});
