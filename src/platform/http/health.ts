import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HookHandlerDoneFunction,
} from 'fastify';
import type { Logger } from 'pino';
import { Refusal } from '../base/errors.ts';
import { readWorkers } from '../cluster/nodes.ts';
import { isMigrated } from '../db/migrate.ts';
import type { Pool } from '../db/pool.ts';
import { findSchemaDamage } from '../db/schema-check.ts';
import type { Schema } from '../db/schema.ts';
import { findWrongSettings } from '../db/session-settings.ts';

/** For monitoring: always served, even under load, and under exactly this path. */
const WATCHED = {
  config: { alwaysServed: true },
  onRequest: requireExactPath,
} as const;

export interface HealthOptions {
  readonly pool: Pool;
  readonly schema: Schema;
  readonly log: Logger;
  /** How long a result is reused for all callers. Default: a second. */
  readonly reuseMs?: number;
}

const REUSE_MS = 1_000;

/**
 * `/health/live`: the process runs. `/health/ready`: it can do its work: the database is reachable
 * and writable, all migrations are applied, and their constraints, indexes and functions are still
 * in place. Otherwise 503, with what is missing. On a cluster, a worker that does not answer is
 * named.
 */
export function addHealthRoutes(app: FastifyInstance, options: HealthOptions): void {
  const check = reused(() => readReadiness(options), options.reuseMs ?? REUSE_MS);
  app.get('/health/live', WATCHED, () => ({ status: 'live' }));
  app.get('/health/ready', WATCHED, async (_request, reply) => {
    const { missing, workersAway } = await check();
    if (missing !== undefined) return await reply.code(503).send({ status: 'not_ready', missing });
    // Requests for the other workers' vendors are served.
    return { status: 'ready', ...(workersAway.length > 0 ? { workers_away: workersAway } : {}) };
  });
}

/** The response of `/metrics`. */
interface MetricsSource {
  render(): Promise<string>;
  readonly contentType: string;
}

/** `/metrics`, for Prometheus. */
export function addMetricsRoute(app: FastifyInstance, metrics: MetricsSource): void {
  const render = reused(() => metrics.render(), REUSE_MS);
  app.get('/metrics', WATCHED, async (_request, reply) => {
    const text = await render();
    return await reply.type(metrics.contentType).send(text);
  });
}

/**
 * A proxy in front may hide these paths from the outside by comparing the path in the request. So
 * `/%6detrics`, or `http://host/metrics` as the whole request target, must not reach them here
 * either.
 */
function requireExactPath(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  const [path] = (request.raw.url ?? '').split('?', 1);
  done(path === request.routeOptions.url ? undefined : new Refusal('unknown_path'));
}

/** Callers within that time get the same result; a failure is not reused. */
function reused<Answer>(ask: () => Promise<Answer>, forMs: number): () => Promise<Answer> {
  let asked: Promise<Answer> | undefined;
  let staleAtMs = Number.POSITIVE_INFINITY;
  return async () => {
    if (asked !== undefined && performance.now() < staleAtMs) return await asked;
    staleAtMs = Number.POSITIVE_INFINITY;
    asked = ask();
    try {
      return await asked;
    } catch (error) {
      asked = undefined;
      throw error;
    } finally {
      staleAtMs = performance.now() + forMs;
    }
  };
}

/** Whether this process can work. */
export interface Readiness {
  readonly missing: string | undefined;
  /** Workers of a cluster whose vendors cannot be served now. */
  readonly workersAway: readonly string[];
}

export async function readReadiness(
  options: Pick<HealthOptions, 'pool' | 'schema' | 'log'>,
): Promise<Readiness> {
  const missing = await whatIsMissing(options);
  if (missing !== undefined) return { missing, workersAway: [] };
  const workers = await readWorkers(options.pool);
  const away = workers.filter(({ answers }) => !answers);
  return { missing, workersAway: away.map(({ address }) => address) };
}

async function whatIsMissing({
  pool,
  schema,
  log,
}: Pick<HealthOptions, 'pool' | 'schema' | 'log'>): Promise<string | undefined> {
  try {
    if (!(await isMigrated(pool, schema))) return 'migrations';
    const [wrong] = await findWrongSettings(pool);
    if (wrong !== undefined) return wrong;
    const [damage] = await findSchemaDamage(pool);
    if (damage !== undefined) return damage;
    const read = await pool.query<{ readOnly: boolean }>(
      `select current_setting('transaction_read_only')::boolean as "readOnly"`,
    );
    return read.rows[0]?.readOnly === true ? 'a writable database' : undefined;
  } catch (error) {
    log.warn({ err: error }, 'the database could not be asked whether it is ready');
    return 'the database';
  }
}
