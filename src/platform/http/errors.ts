import type { FastifyError } from 'fastify';
import { Refusal } from '../base/errors.ts';
import type { ErrorCode } from '../base/errors.ts';
import { PlainError } from '../base/plain-error.ts';
import { refuseUnavailable } from '../db/failures.ts';
import { isUnavailable, PoolEndedError, QueueFullError } from '../db/pool.ts';
import type { RefusalForm } from './operation.ts';

/** The fields of every refusal; never a `data` key. Some operations add fields. */
interface RefusalBody {
  header_status: number;
  error: {
    code: string;
    text: string;
    field?: string;
    reference?: string;
    /** The text that a valid signature would have covered; in the sandbox only. */
    signed_text?: string;
    /** In the sandbox only. */
    vid_known?: boolean;
  }[];
  msg: { status: 0; text: string };
  request_id: string;
}

interface BodyOptions {
  readonly requestId: string;
  readonly form?: RefusalForm | undefined;
}

/** In the form of the operation that refuses. */
export function refusalBody(refusal: Refusal, options: BodyOptions): object {
  const other = options.form?.body;
  return other === undefined ? usualBody(refusal, options) : other.of(refusal, options.requestId);
}

function usualBody(refusal: Refusal, options: BodyOptions): RefusalBody {
  const { code, status, message: text, field, reference, explanation } = refusal;
  return {
    header_status: status,
    error: [
      {
        code,
        text,
        ...(field === undefined ? {} : { field }),
        ...(reference === undefined ? {} : { reference }),
        ...(explanation === undefined
          ? {}
          : { signed_text: explanation.signedText, vid_known: explanation.vidKnown }),
      },
    ],
    msg: { status: 0, text },
    ...options.form?.fieldsOf?.(refusal),
    request_id: options.requestId,
  };
}

// Errors of the HTTP layer, by Fastify's own codes.
const FRAMEWORK_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_request',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'malformed_request',
  FST_ERR_BAD_URL: 'unknown_path',
  FST_ERR_MAX_PARAM_LENGTH: 'unknown_path',
};

/**
 * Any thrown value as a refusal. A full queue, a stop and an unavailable database are reported as such. An
 * unexpected error becomes `internal_error`, without details.
 */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof QueueFullError) {
    return new Refusal('overloaded', { retryAfterSeconds: 1, cause: error });
  }
  if (error instanceof PoolEndedError) {
    const text = 'The service is stopping';
    return new Refusal('unavailable', { text, retryAfterSeconds: 5, cause: error });
  }
  if (isUnavailable(error)) return refuseUnavailable(error);
  const { code, statusCode } = error as Partial<FastifyError>;
  const known = code === undefined ? undefined : FRAMEWORK_CODES[code];
  if (known !== undefined) return new Refusal(known, { cause: error });
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new Refusal('malformed_request', { cause: error });
  }
  return new Refusal('internal_error', { cause: error });
}

/** A `PlainError` says what the caller can correct. */
export async function refusePlainErrors<Answer>(handle: () => Promise<Answer>): Promise<Answer> {
  try {
    return await handle();
  } catch (error) {
    if (!(error instanceof PlainError)) throw error;
    const { message: text, field } = error;
    const named = field === undefined ? {} : { field };
    throw new Refusal('invalid_field', { ...named, text, cause: error });
  }
}
