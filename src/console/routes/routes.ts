import type { AnyRoute } from '../route.ts';
import { caseRoutes } from './cases.ts';
import type { CaseRoutesOptions } from './cases.ts';
import { homeRoutes } from './home.ts';
import type { HomeRoutesOptions } from './home.ts';
import { paymentActionRoutes } from './payment-actions.ts';
import type { PaymentActionOptions } from './payment-actions.ts';
import { paymentRoutes } from './payments.ts';
import type { PaymentRoutesOptions } from './payments.ts';

export type RoutesOptions = PaymentRoutesOptions &
  PaymentActionOptions &
  CaseRoutesOptions &
  HomeRoutesOptions;

/** Every route of the console's API. */
export function consoleRoutes(options: RoutesOptions): AnyRoute[] {
  return [
    ...paymentRoutes(options), //
    ...paymentActionRoutes(options),
    ...caseRoutes(options),
    ...homeRoutes(options),
  ];
}
