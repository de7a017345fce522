import type { AnyRoute } from '../route.ts';
import { paymentRoutes } from './payments.ts';
import type { PaymentRoutesOptions } from './payments.ts';

export type RoutesOptions = PaymentRoutesOptions;

/** Every route of the console's API. */
export function consoleRoutes(options: RoutesOptions): AnyRoute[] {
  return [...paymentRoutes(options)];
}
