import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { isMigrated } from '../db/migrate.ts';
import type { Pool } from '../db/pool.ts';
import { findSchemaDamage } from '../db/schema-check.ts';
import type { Metrics } from './metrics.ts';

/**
 * `/health/live`: the process runs. `/health/ready`: it can do its work — the database is there,
 * takes writes, has every migration and still enforces what they made — or 503 with what is missing. `/metrics`: Prometheus.
 */
export function addHealthRoutes(
  app: FastifyInstance,
  options: { readonly pool: Pool; readonly metrics: Metrics; readonly log: Logger },
): void {
  app.get('/health/live', { schema: { hide: true } }, () => ({ status: 'live' }));
  app.get('/health/ready', { schema: { hide: true } }, async (_request, reply) => {
    const missing = await whatIsMissing(options.pool, options.log);
    if (missing === undefined) return { status: 'ready' };
    return await reply.code(503).send({ status: 'not_ready', missing });
  });
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
    const text = await options.metrics.render();
    return await reply.type(options.metrics.contentType).send(text);
  });
}

async function whatIsMissing(pool: Pool, log: Logger): Promise<string | undefined> {
  try {
    if (!(await isMigrated(pool))) return 'migrations';
    const [damage] = await findSchemaDamage(pool);
    if (damage !== undefined) return damage;
    const read = await pool.query<{ read_only: boolean }>(
      `select current_setting('transaction_read_only')::boolean as read_only`,
    );
    return read.rows[0]?.read_only === true ? 'a database that takes writes' : undefined;
  } catch (error) {
    log.warn({ err: error }, 'the database could not be asked whether it is ready');
    return 'the database';
  }
}
