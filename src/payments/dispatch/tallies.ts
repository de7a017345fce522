import { Histogram } from 'prom-client';
import { Tally } from '../../platform/base/tally.ts';
import type { RouteCause } from './route.ts';
import type { CallEnd } from './worker.ts';

/** Where a process sent payments, and how calls to operators ended. */
export class Tallies {
  readonly calls = new Tally<{ operator: string; call: string; result: CallEnd['result'] }>();
  readonly callDurations = new Histogram({
    name: 'malipo_operator_call_duration_seconds',
    help: 'How long calls to operators took: instructions (send) and status queries (verify)',
    labelNames: ['operator', 'call'] as const,
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60],
    registers: [],
  });
  /** Payments by where they were sent, and why. */
  readonly routed = new Tally<{ biller: string; operator: string; reason: RouteCause }>();

  noteCall(operator: string, { stage: call, result }: CallEnd, seconds: number): void {
    this.calls.add({ operator, call, result });
    this.callDurations.observe({ operator, call }, seconds);
  }
}
