import type { FastifyInstance } from 'fastify';
import { endOfTurn } from '../base/turns.ts';

/**
 * Handles the requests that arrived in the same turn of the event loop together, once the last of them was
 * read. Each step — check, handle, answer — is then done for all of them in succession, while its code and
 * data are in the processor’s caches, and the answers leave together. Under load this saves a third of a short
 * request’s CPU time (decision 41).
 */
export function handleTogether(app: FastifyInstance): void {
  app.addHook('preValidation', (_request, _reply, handle) => {
    // Each in a promise of its own, so that it keeps its own asynchronous context.
    void endOfTurn().then(() => handle());
  });
}
