import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HookHandlerDoneFunction,
} from 'fastify';
import { Refusal } from '../base/errors.ts';
import type { ReadinessCheck } from './readiness.ts';
import { reused } from './reused.ts';

/** Monitoring is served even under load, and only under exactly this path. */
const WATCHED = {
  config: { alwaysServed: true },
  onRequest: requireExactPath,
} as const;

/** All callers share one text of metrics for this long. */
const REUSE_MS = 1_000;

/**
 * `/health/live`: the process runs. `/health/ready`: it can do its work; otherwise 503, with what is
 * missing. On a cluster, a worker that does not answer is named.
 */
export function addHealthRoutes(
  app: FastifyInstance,
  readiness: Pick<ReadinessCheck, 'read'>,
): void {
  app.get('/health/live', WATCHED, () => ({ status: 'live' }));
  app.get('/health/ready', WATCHED, async (_request, reply) => {
    const { missing, workersAway } = await readiness.read();
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
