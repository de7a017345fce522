import type * as Api from '@opentelemetry/api';
import type {
  Attributes,
  Context,
  Link,
  Span,
  SpanContext,
  SpanOptions,
  Tracer,
} from '@opentelemetry/api';

// While tracing is off, each place that is traced costs one comparison.
let tracing: Tracing | undefined;

/** The OpenTelemetry objects that create spans while tracing is on. */
export interface Tracing {
  /** OpenTelemetry, a hundred modules, which are loaded only with the SDK. */
  readonly api: Pick<
    typeof Api,
    'ROOT_CONTEXT' | 'SpanKind' | 'SpanStatusCode' | 'context' | 'propagation' | 'trace'
  >;
  readonly tracer: Tracer;
  /** Calls, and gives the root span that the call starts this trace id. */
  readonly inTrace: (traceId: string, start: () => Span) => Span;
}

export function switchTracing(to: Tracing | undefined): void {
  tracing = to;
}

export function isTracing(): boolean {
  return tracing !== undefined;
}

interface Traced {
  /** Values must not be personal: no account, phone number, name or amount. */
  readonly attributes?: Attributes;
  /** True: a call to another company’s server. */
  readonly isOutbound?: boolean;
  /**
   * The id (a UUID) of what the span is about, such as a payment. Its trace has this id, so that spans of
   * different processes, hours apart, are in one trace, and nothing about traces has to be stored.
   */
  readonly aboutId?: string;
  /** The span belongs to no request: it has a trace of its own, with links to these. */
  readonly links?: readonly Link[];
}

/** Does the work in a span, which is undefined while tracing is off. */
export async function traced<Result>(
  name: string,
  how: Traced,
  work: (span: Span | undefined) => Promise<Result>,
): Promise<Result> {
  if (tracing === undefined) return await work(undefined);
  const { api } = tracing;
  const span = start(tracing, name, how);
  return await api.context.with(api.trace.setSpan(api.context.active(), span), async () => {
    try {
      return await work(span);
    } catch (error) {
      markFailed(span, error, api);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Something that happened to what has this id, with a link to the request or work that caused it. */
export function traceEvent(name: string, aboutId: string, attributes: Attributes): void {
  if (tracing !== undefined) start(tracing, name, { aboutId, attributes }).end();
}

function start({ api, tracer, inTrace }: Tracing, name: string, how: Traced): Span {
  const { SpanKind, context, trace } = api;
  const { attributes = {}, isOutbound = false, aboutId, links } = how;
  const kind = isOutbound ? SpanKind.CLIENT : SpanKind.INTERNAL;
  const traceId = aboutId?.replaceAll('-', '');
  if (traceId === undefined || !/^[0-9a-f]{32}$/.test(traceId)) {
    const root = links === undefined ? {} : { root: true, links: [...links] };
    return tracer.startSpan(name, { kind, attributes, ...root }, context.active());
  }
  const cause = trace.getActiveSpan()?.spanContext();
  // Work within its own trace is a part of what caused it.
  const options: SpanOptions =
    cause?.traceId === traceId
      ? { kind, attributes }
      : { kind, attributes, root: true, links: cause === undefined ? [] : [{ context: cause }] };
  return inTrace(traceId, () => tracer.startSpan(name, options, context.active()));
}

/** An error's message may name a person, so only its code is kept. */
function markFailed(span: Span, error: unknown, { SpanStatusCode }: Tracing['api']): void {
  const { code, name = 'unknown' } = (error ?? {}) as { code?: string; name?: string };
  span.setAttribute('error.type', code ?? name);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

const causes = new WeakMap<object, SpanContext>();

/** Remembers which span an item belongs to, until a batch takes it. */
export function rememberCause(item: unknown): void {
  const cause = tracing?.api.trace.getActiveSpan()?.spanContext();
  if (cause !== undefined && typeof item === 'object' && item !== null) causes.set(item, cause);
}

/** Links to the spans of a batch's items. */
export function linksOf(items: readonly unknown[]): Link[] {
  return items.flatMap((item) => {
    const cause = causes.get(item as object);
    return cause === undefined ? [] : { context: cause };
  });
}

/** A span of an HTTP request, which goes on with the caller’s trace if it names one. */
export class RequestSpan {
  readonly #api: Tracing['api'];
  readonly #span: Span;
  readonly #context: Context;

  constructor({ api, tracer }: Tracing, name: string, about: RequestAbout) {
    const { headers, attributes } = about;
    const caller = api.propagation.extract(api.ROOT_CONTEXT, headers);
    this.#api = api;
    this.#span = tracer.startSpan(name, { kind: api.SpanKind.SERVER, attributes }, caller);
    this.#context = api.trace.setSpan(caller, this.#span);
  }

  /** Runs the callback with the request's span as the active one. */
  enter(follow: () => void): void {
    this.#api.context.with(this.#context, follow);
  }

  end(status: number, attributes: Attributes): void {
    this.#span.setAttributes({ ...attributes, 'http.response.status_code': status });
    if (status >= 500) this.#span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
    this.#span.end();
  }
}

interface RequestAbout {
  readonly headers: object;
  /** Nothing that the client sent. */
  readonly attributes: Attributes;
}

/** Undefined while tracing is off. */
export function startRequestSpan(name: string, about: RequestAbout): RequestSpan | undefined {
  return tracing && new RequestSpan(tracing, name, about);
}
