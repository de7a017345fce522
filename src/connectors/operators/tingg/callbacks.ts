import type { Callbacks } from '../../operator-callbacks.ts';
import { ASK, refused, reported } from '../../outcomes.ts';
import type { SecretPaths } from '../../secret-path.ts';

/** Kind of our callback URLs. */
export const RESULT = 'r';

/**
 * A callback is not signed, and its body repeats our own password, so only its URL is used. It causes a
 * status query. Tingg repeats it until the answer's body acknowledges it with a statusCode.
 */
export function createCallbacks(paths: SecretPaths): Callbacks {
  return {
    acceptedBody: {
      authStatus: { authStatusCode: 131, authStatusDescription: 'Authentication was successful' },
      results: [{ statusCode: 183, statusDescription: 'Received' }],
    },
    keepsHandles: false,
    read: async ({ path }, find) => {
      const about = paths.read(path);
      if (about?.kind !== RESULT) return refused('the path is not one of ours');
      const { reference, attemptNumber } = about;
      const sent = await find.byReference(reference);
      const outcome =
        sent !== undefined && sent.attemptNumber !== attemptNumber
          ? ({ kind: 'mismatch', reason: 'it is about another attempt', says: null } as const)
          : ASK;
      return reported(reference, outcome);
    },
  };
}
