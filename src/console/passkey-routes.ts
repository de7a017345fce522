import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { findPasskey } from '../parties/people/read-passkeys.ts';
import { beginPasskeySignIn, checkPasskey } from '../parties/people/passkeys.ts';
import { requireParty } from '../parties/people/relying-party.ts';
import { createJsonReader } from '../platform/http/json-object.ts';
import { requireOwnPage } from './mount.ts';
import { limitAttempts, recorded } from '../parties/people/attempts.ts';
import { start } from './session-routes.ts';
import type { SessionOptions } from './session-routes.ts';

const signature = Type.Object({
  /** The device's response to the browser. */
  response: Type.Object(
    { id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,1500}$' }) },
    { additionalProperties: true },
  ),
});

/** Signing in with a passkey: what the device has to sign, and then what it has signed. */
export function addPasskeyRoutes(app: FastifyInstance, options: SessionOptions): void {
  const { prefix, pool, ledgerMac, clock, party } = options;
  const limit = limitAttempts();
  const read = createJsonReader(signature);
  app.post(`${prefix}/session/passkey/begin`, async (request, reply) => {
    requireOwnPage(request);
    limit(request);
    void reply.header('cache-control', 'no-store');
    const site = requireParty(party, request.headers.origin);
    return await beginPasskeySignIn({ pool, ledgerMac, party: site }, clock.now());
  });
  app.post(`${prefix}/session/passkey`, async (request, reply) => {
    requireOwnPage(request);
    limit(request);
    const { response } = read(request.headers['content-type'], request.body as Buffer | undefined);
    const owner = await findPasskey(pool, response.id);
    const entry = { action: 'session.passkey', login: owner?.login ?? 'unknown passkey' };
    const personId = await recorded(
      request,
      { ...options, channel: 'console' },
      entry,
      async () => {
        const site = requireParty(party, request.headers.origin);
        const deps = { pool, ledgerMac, party: site };
        return (await checkPasskey(deps, response, clock.now())).personId;
      },
    );
    return await start(request, reply, { ...options, personId });
  });
}
