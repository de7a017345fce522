import type { FloatForecast } from '../../payments/billers/float-forecasts.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { FloatView } from '../operations-answers.ts';

export function floatView(float: FloatForecast): FloatView {
  return {
    operator: float.operatorCode,
    balance: money(float.balanceCents),
    polledAt: float.polledAt?.toISOString() ?? null,
    state: float.state,
    low: money(float.lowCents),
    stop: money(float.stopCents),
    resume: money(float.resumeCents),
    hoursLeft: float.hoursLeft,
  };
}

function money(cents: bigint | null): string | null {
  return cents === null ? null : formatMoney(cents);
}
