import { Type } from 'typebox';
import type { RefusalForm } from './operation.ts';
import type { Refusals } from './refusals.ts';
import { nullable } from './schemas.ts';

/** The body of every refusal of a resource, and of every error below its prefix. */
export const resourceRefusalSchema = Type.Object(
  {
    error: Type.Object({
      code: Type.String({ description: 'Permanent code, for programs.' }),
      text: Type.String({ description: 'For people.' }),
      field: nullable(
        Type.String({
          description: 'The parameter, field or header at fault; null: no single one.',
        }),
      ),
      request_id: Type.String({ description: 'Quote it when you ask for help.' }),
      signed_text: Type.Optional(
        Type.String({
          description: 'The text to sign; with `signature_invalid`, in the sandbox only.',
        }),
      ),
      vid_known: Type.Optional(
        Type.Boolean({
          description: 'Whether the `vid` is known; with `signature_invalid`, in the sandbox only.',
        }),
      ),
    }),
  },
  { description: 'The request was refused.' },
);

export const RESOURCE_REFUSALS_FORM: RefusalForm = {
  name: 'resource',
  body: {
    schemaName: 'ResourceRefusal',
    of: ({ code, message: text, field = null, explanation }, requestId) => ({
      error: {
        code,
        text,
        field,
        request_id: requestId,
        ...(explanation === undefined
          ? {}
          : { signed_text: explanation.signedText, vid_known: explanation.vidKnown }),
      },
    }),
  },
};

/** Refusals that every resource has. */
export const COMMON_RESOURCE_REFUSALS: Refusals = {
  malformed_request: {},
  ambiguous_request: {},
  unknown_field: { field: 'color' },
  missing_field: { field: 'vid' },
  invalid_field: { field: 'limit' },
  unknown_path: {},
  method_not_allowed: {},
  payload_too_large: {},
  unsupported_media_type: {},
  too_many_requests: {},
  internal_error: {},
  overloaded: {},
  unavailable: {},
};
