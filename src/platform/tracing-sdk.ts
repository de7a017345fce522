import { hostname } from 'node:os';
import * as api from '@opentelemetry/api';
import type { Span } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  envDetector,
  detectResources,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { switchTracing } from './base/tracing.ts';
import { programVersion } from './program-version.ts';

/** Sends what is left and switches tracing off. */
export type EndTracing = () => Promise<void>;

const FLUSH_MS = 2_000;

/**
 * Switches tracing on for this process. The exporter reads the standard variables of OpenTelemetry
 * (`OTEL_EXPORTER_OTLP_…`). Loaded only when it is needed.
 * @param ratio the share of traces that are kept.
 */
export function startTracing(options: {
  readonly roles: ReadonlySet<string>;
  readonly ratio: number;
}): EndTracing {
  const about = resourceFromAttributes({
    'service.name': 'malipo',
    'service.version': programVersion(),
    'host.name': hostname(),
    'malipo.roles': [...options.roles].join(','),
  });
  const ids = new TraceIds();
  const provider = new TracerProvider({
    idGenerator: ids,
    // By the trace id, so that all processes decide alike about it.
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.ratio) }),
    resource: defaultResource()
      .merge(about)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const { context, propagation } = api;
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  switchTracing({ api, tracer: provider.getTracer('malipo'), inTrace: ids.inTrace });
  return async () => {
    switchTracing(undefined);
    // The collector may be down: spans are lost then, and nothing else.
    await provider.forceFlush({ timeoutMillis: FLUSH_MS }).catch(() => undefined);
    await provider.shutdown().catch(() => undefined);
    context.disable();
    propagation.disable();
  };
}

/** Random ids, unless the trace has the id of what it is about. */
class TraceIds extends RandomIdGenerator {
  #traceId: string | undefined;

  override generateTraceId(): string {
    return this.#traceId ?? super.generateTraceId();
  }

  readonly inTrace = (traceId: string, start: () => Span): Span => {
    this.#traceId = traceId;
    try {
      return start();
    } finally {
      this.#traceId = undefined;
    }
  };
}
