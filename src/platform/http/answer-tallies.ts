import { Counter, Histogram } from 'prom-client';
import type { MetricsRegistry } from '../gauges.ts';
import type { Answer } from './request-log.ts';

/** Counted one by one, between other work, answers cost several times as much. */
const COUNTED_TOGETHER = 128;

/** Metrics of the responses that this process sent. */
export class AnswerTallies {
  #uncounted: Answer[] = [];
  readonly #requests = new Counter({
    name: 'malipo_requests_total',
    help: 'Answered requests',
    labelNames: ['method', 'route', 'status'] as const,
    registers: [],
    collect: () => this.#count(),
  });
  readonly #durations = new Histogram({
    name: 'malipo_request_duration_seconds',
    help: 'Time to answer',
    labelNames: ['method', 'route'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [],
    collect: () => this.#count(),
  });

  readonly note = (answer: Answer): void => {
    this.#uncounted.push(answer);
    if (this.#uncounted.length >= COUNTED_TOGETHER) this.#count();
  };

  register(registry: MetricsRegistry): void {
    for (const metric of [this.#requests, this.#durations]) registry.registerMetric(metric);
  }

  #count(): void {
    const answers = this.#uncounted;
    this.#uncounted = [];
    for (const { method, route, status, durationMs } of answers) {
      this.#requests.inc({ method, route, status });
      this.#durations.observe({ method, route }, durationMs / 1000);
    }
  }
}
