import { expect } from 'vitest';
import type { Answer } from './vendor-client.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * The fields that an operation adds to its refusals: `status` and `text` at the top level for account
 * validation, the credit bureau's own code for scoring.
 */
export type RefusalKind = 'plain' | 'validation' | 'scoring';

/** A documented refusal: the whole body, with no other fields. */
export function expectRefusal(
  answer: Answer,
  wanted: {
    readonly status: number;
    readonly code: string;
    readonly field?: string;
    /** The reference of the earlier payment. */
    readonly reference?: string;
    /** Default: plain. */
    readonly kind?: RefusalKind | undefined;
  },
): void {
  const { status, code, field, reference, kind = 'plain' } = wanted;
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status });
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  const text = answer.body.error?.[0]?.text;
  expect(text).toMatch(/\S/);
  // Only the sandbox explains an invalid signature.
  const explanation =
    answer.body.error?.[0]?.signed_text === undefined || code !== 'signature_invalid'
      ? {}
      : {
          signed_text: expect.any(String) as string,
          vid_known: expect.any(Boolean) as boolean,
        };
  expect(answer.body).toEqual({
    header_status: status,
    error: [
      {
        code,
        text,
        ...(field === undefined ? {} : { field }),
        ...(reference === undefined ? {} : { reference }),
        ...explanation,
      },
    ],
    msg: { status: 0, text },
    ...(kind === 'plain' ? {} : { status: 0, text }),
    ...(kind === 'scoring' ? { bureau_code: expect.stringMatching(/^\d+$/) as string } : {}),
    request_id: expect.stringMatching(UUID) as string,
  });
  expect(answer.headers['x-request-id']).toBe(answer.body.request_id);
}

/** Expects a refusal that is the caller's fault; returns its code and field. */
export function expectCallersFault(
  answer: Answer,
  request: string,
): { readonly code: string; readonly field: string | undefined } {
  expect(answer.status, `${request} → ${answer.text}`).toBeGreaterThanOrEqual(400);
  expect(answer.status, `${request} → ${answer.text}`).toBeLessThan(500);
  const [first] = answer.body.error ?? [];
  if (first === undefined) throw new Error(`${request} was refused without a code: ${answer.text}`);
  const { code, field, reference } = first;
  expectRefusal(answer, {
    status: answer.status,
    code,
    ...(field === undefined ? {} : { field }),
    ...(reference === undefined ? {} : { reference }),
    kind:
      'bureau_code' in answer.body ? 'scoring' : 'status' in answer.body ? 'validation' : 'plain',
  });
  return { code, field };
}
