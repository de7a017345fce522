import type { FastifyInstance } from 'fastify';
import { endOfTurn } from '../base/turns.ts';

/**
 * Handles the requests that arrived in the same turn of the event loop together, once the last of them has been
 * read. Each step — check, handle, answer — is then done for all of them in succession, while its code and
 * data are in the processor’s caches, and the answers leave together. Under load this saves up to 40 % of a
 * short request’s CPU time (decision 41). Monitoring does not wait, because only few of its requests may.
 */
export function handleTogether(app: FastifyInstance): void {
  // After every preValidation hook: what a request holds while it arrives has been given back by then.
  app.addHook('preHandler', (request, _reply, handle) => {
    if (request.isAlwaysServed) handle();
    // Each in a promise of its own, so that it keeps its own asynchronous context.
    else void endOfTurn().then(() => handle());
  });
}
