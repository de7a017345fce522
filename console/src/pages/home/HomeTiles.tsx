import { useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { ArrowUpRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { OverviewAnswer, WaitingCount } from '../../../../src/staff/overview.ts';
import { Tile, Tiles } from '../../design/Tile.tsx';
import { useFigures } from '../../format/figures.ts';
import { Money } from '../../format/Money.tsx';

/** Unknown results older than this need attention. */
const OLD_SECONDS = 600;

/** The main figures; each leads to the payments that it counts. */
export function HomeTiles({ home }: { readonly home: OverviewAnswer }) {
  const { t } = useLingui();
  const { count, percent, duration } = useFigures();
  const { today, last_hour: lastHour, unknown, today_since: from, float } = home;
  const isOld = unknown.oldest_seconds > OLD_SECONDS;
  return (
    <Tiles>
      <Tile
        label={t`Payments today`}
        value={count(today.created)}
        note={t`${count(lastHour.created)} in the last hour`}
      >
        <ToPayments search={{ from }} label={t`Show the payments of today`} />
      </Tile>
      <Tile
        label={t`Success rate today`}
        value={percent(today.success_rate)}
        note={t`${count(today.failed)} failed · last hour ${percent(lastHour.success_rate)}`}
      >
        <ToPayments search={{ from, status: 'FAILED' }} label={t`Show the failed payments`} />
      </Tile>
      <Tile
        label={t`Time to result, p95`}
        value={duration(today.p95_seconds)}
        note={t`p50 ${duration(today.p50_seconds)} · last hour p95 ${duration(lastHour.p95_seconds)}`}
      >
        <ToPayments search={{ from, status: 'SUCCESS' }} label={t`Show the paid payments`} />
      </Tile>
      <Tile
        label={t`Result unknown`}
        value={count(unknown.count)}
        note={unknown.count > 0 ? t`oldest ${duration(unknown.oldest_seconds)}` : t`Nothing waits`}
        tone={unknown.count === 0 ? undefined : isOld ? 'alert' : 'waiting'}
      >
        <ToPayments search={{ status: 'PENDING' }} label={t`Show payments without a result`} />
      </Tile>
      {home.open_cases !== null && <CasesTile cases={home.open_cases} />}
      {float !== null && <Tile label={t`Float`} value={<Money amount={float} currency />} />}
    </Tiles>
  );
}

function CasesTile({ cases }: { readonly cases: WaitingCount }) {
  const { t } = useLingui();
  const { count, duration } = useFigures();
  return (
    <Tile
      label={t`Open cases`}
      value={count(cases.count)}
      note={cases.count > 0 ? t`oldest ${duration(cases.oldest_seconds)}` : t`Nothing waits`}
      tone={cases.count > 0 ? 'waiting' : undefined}
    >
      <Link to="/cases" aria-label={t`Show the open cases`}>
        <ArrowUpRight size={16} aria-hidden="true" />
      </Link>
    </Tile>
  );
}

function ToPayments({
  search,
  label,
}: {
  readonly search: { readonly from?: string; readonly status?: string };
  readonly label: string;
}): ReactNode {
  return (
    <Link to="/payments" search={search} aria-label={label}>
      <ArrowUpRight size={16} aria-hidden="true" />
    </Link>
  );
}
