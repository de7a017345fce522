import type { Pool } from '../platform/db/pool.ts';
import { gaugesOf } from '../platform/gauges.ts';
import type { MetricsRegistry } from '../platform/gauges.ts';
import { readCardsInForce } from './governance/cards.ts';
import { readNewestFigures } from './monitoring/read-months.ts';
import { cardName } from './scorecards/scorecard.ts';

/** The performance of the scorecards in use, as last measured. Labels contain no personal data. */
export function addCreditMetrics(registry: MetricsRegistry, pool: Pool): void {
  const gauge = gaugesOf(registry, () => read());
  const labels = ['kind', 'card', 'role'] as const;
  const people = gauge(
    'malipo_scored_people',
    'People scored in the newest month, by the cards in force',
    labels,
  );
  const stability = gauge(
    'malipo_score_stability_index',
    'Stability index of the scores of the newest month, of the cards in force; from 0.25 on, the population is another one',
    labels,
  );
  const predicted = gauge(
    'malipo_score_predicted_default_share',
    'Mean probability of default in the newest month whose outcomes are known',
    labels,
  );
  const observed = gauge(
    'malipo_score_observed_default_share',
    'Share that defaulted in the newest month whose outcomes are known',
    labels,
  );
  const read = async (): Promise<void> => {
    const figures = await readNewestFigures(pool);
    const { champions, challengers } = await readCardsInForce(pool);
    for (const one of [people, stability, predicted, observed]) one.reset();
    for (const { kind, card, role, ...values } of figures) {
      const of = { kind, card, role };
      const current = (role === 'champion' ? champions : challengers)[kind];
      // The newest month of a card that was replaced stays what it was.
      if (current !== undefined && cardName(current) === card) {
        people.set(of, values.people);
        if (values.stabilityIndex !== null) stability.set(of, values.stabilityIndex);
      }
      if (values.predicted !== null) predicted.set(of, values.predicted);
      if (values.observed !== null) observed.set(of, values.observed);
    }
  };
}
