import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { compiled } from '../../../../src/platform/base/compiled.ts';
import { problemText } from '../../../../src/platform/base/problem-text.ts';

const schema = Type.Object(
  {
    name: Type.Optional(Type.String({ pattern: '^[a-z]+$', form: 'lower-case letters' })),
    code: Type.Optional(Type.String({ pattern: '^[a-z]+$' })),
    url: Type.Optional(Type.String({ minLength: 1, maxLength: 20 })),
    note: Type.Optional(Type.Union([Type.String({ maxLength: 3 }), Type.Null()])),
    seconds: Type.Optional(Type.Integer({ minimum: 600 })),
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 31 })),
    count: Type.Optional(Type.Integer()),
    share: Type.Optional(Type.Number({ maximum: 1 })),
    on: Type.Optional(Type.Boolean()),
    state: Type.Optional(Type.Enum(['waiting', 'sent'])),
    private: Type.Optional(Type.Literal('allow')),
    types: Type.Optional(
      Type.Array(Type.Enum(['paid', 'failed']), { minItems: 1, maxItems: 2, uniqueItems: true }),
    ),
    lines: Type.Optional(
      Type.Array(Type.Object({ side: Type.Enum(['debit', 'credit']) }), { minItems: 2 }),
    ),
  },
  { additionalProperties: false },
);
const check = compiled(schema);

function textOf(value: unknown): string | undefined {
  const [first] = check.problems(value);
  return first && problemText(first, schema);
}

test.each([
  [{ name: 'A' }, 'must be lower-case letters'],
  [{ name: 5 }, 'must be lower-case letters'],
  [{ code: 'A' }, 'must be in the documented form'],
  [{ url: 5 }, 'must be text of 1 to 20 characters'],
  [{ url: '' }, 'must be text of 1 to 20 characters'],
  [{ note: 5 }, 'must be text of at most 3 characters or null'],
  [{ seconds: 5 }, 'must be a whole number of at least 600'],
  [{ seconds: '600' }, 'must be a whole number of at least 600'],
  [{ days: 32 }, 'must be a whole number from 1 to 31'],
  [{ count: 1.5 }, 'must be a whole number'],
  [{ share: 2 }, 'must be a number of at most 1'],
  [{ on: 'yes' }, 'must be true or false'],
  [{ state: 'zz' }, 'must be one of waiting, sent'],
  [{ private: 'deny' }, 'must be allow'],
  [{ types: 'paid' }, 'must be a list'],
  [{ types: [] }, 'must have at least one entry'],
  [{ types: ['paid', 'paid', 'paid'] }, 'must have at most 2 entries'],
  [{ types: ['paid', 'paid'] }, 'must not have the same entry twice'],
  [{ types: ['zz'] }, 'is not valid: each entry must be one of paid, failed'],
  [{ lines: [] }, 'must have at least 2 entries'],
  [{ lines: [5, 5] }, 'is not valid: each entry must be an object'],
  [{ lines: [{}, {}] }, 'is not valid: each entry must have side'],
  [5, 'must be an object'],
])('describes the problem of %j: %s', (value, text) => {
  expect(textOf(value)).toBe(text);
});

test('a value within an entry is not called the entry', () => {
  expect(textOf({ lines: [{ side: 'zz' }, { side: 'debit' }] })).toBe(
    'is not valid: side of each entry must be one of debit, credit',
  );
});
