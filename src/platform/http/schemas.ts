import { Type } from 'typebox';

/** Parts of responses that several operations share. */

export const headerStatus = Type.Integer({
  description: '200 on success; equal to the HTTP status.',
  examples: [200],
});

export const moneyText = (description: string) =>
  Type.String({ pattern: '^-?\\d+\\.\\d{2}$', description, examples: ['50.00'] });

export const wireTimeText = (description: string) =>
  Type.String({
    pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$',
    description,
    examples: ['2026-11-21 09:15:00'],
  });

export const nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

/** The body of every refusal; codes are listed in docs/reference/errors.md. */
export const refusalSchema = Type.Object(
  {
    header_status: Type.Integer({ description: 'Equal to the HTTP status, never 200.' }),
    error: Type.Array(
      Type.Object({
        code: Type.String({ description: 'Permanent code, for programs.' }),
        text: Type.String({ description: 'For people.' }),
        field: Type.Optional(Type.String({ description: 'The parameter at fault.' })),
        reference: Type.Optional(
          Type.String({
            description:
              'Our reference of the first payment or collection; `likely_duplicate` and `reference_reused` of a create or a collection only.',
          }),
        ),
        signed_text: Type.Optional(
          Type.String({
            description: 'The text to sign; with `signature_invalid`, in the sandbox only.',
          }),
        ),
        vid_known: Type.Optional(
          Type.Boolean({
            description:
              'Whether the `vid` (of a collection: the `collector`) is known; with `signature_invalid`, in the sandbox only.',
          }),
        ),
      }),
    ),
    msg: Type.Object({ status: Type.Integer({ description: 'Always 0.' }), text: Type.String() }),
    status: Type.Optional(Type.Integer({ description: 'Always 0; validate and scoring only.' })),
    text: Type.Optional(Type.String({ description: 'Validate and scoring only.' })),
    bureau_code: Type.Optional(
      Type.String({ description: 'The code credit bureaus use for this; scoring only.' }),
    ),
    request_id: Type.String({ description: 'Quote it when you ask for help.' }),
  },
  { description: 'The request was refused.' },
);
