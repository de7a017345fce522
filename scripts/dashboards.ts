/** A Grafana dashboard: rows of panels, each a few queries. `npm run docs` writes them as JSON. */
interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly rows: Readonly<Record<string, readonly Panel[]>>;
}

interface Panel {
  readonly title: string;
  /** Units of Grafana: `s`, `reqps`, `short`, `h`, `bytes`. */
  readonly unit: string;
  /** PromQL, by the legend. */
  readonly queries: Readonly<Record<string, string>>;
}

const panel = (title: string, unit: string, queries: Panel['queries']): Panel => ({
  title,
  unit,
  queries,
});

/** Over the range that suits the resolution. */
const RANGE = '[$__rate_interval]';

function rate(metric: string, by: string): string {
  return `sum by (${by}) (rate(${metric}${RANGE}))`;
}

function quantile(share: number, histogram: string, by = ''): string {
  const labels = by === '' ? 'le' : `le, ${by}`;
  return `histogram_quantile(${share}, sum by (${labels}) (rate(${histogram}_bucket${RANGE})))`;
}

/** Read from the database: the same in every process. */
function same(metric: string, by = ''): string {
  return by === '' ? `max(${metric})` : `max by (${by}) (${metric})`;
}

export const DASHBOARDS: readonly Dashboard[] = [
  {
    uid: 'malipo-payments',
    title: 'Malipo: payments',
    rows: {
      Payments: [
        panel('Payments by outcome', 'reqps', {
          '{{outcome}}': rate('malipo_payments_total', 'outcome'),
        }),
        panel('Payments by biller', 'reqps', {
          '{{biller}} {{outcome}}': rate('malipo_payments_total', 'biller, outcome'),
        }),
        panel('Refused creates', 'reqps', {
          '{{code}}': rate('malipo_payment_refusals_total', 'code'),
        }),
        panel('Open payments', 'short', {
          '{{biller}} {{stage}}': same('malipo_open_payments', 'biller, stage'),
        }),
        panel('Oldest open payment', 's', {
          '{{stage}}': same('malipo_oldest_open_seconds', 'stage'),
        }),
        panel('Bulk files that wait', 'short', { files: same('malipo_bulk_open_batches') }),
      ],
      Operators: [
        panel('Calls by result', 'reqps', {
          '{{operator}} {{call}} {{result}}': rate(
            'malipo_operator_calls_total',
            'operator, call, result',
          ),
        }),
        panel('Duration of calls, 95 %', 's', {
          '{{operator}} {{call}}': quantile(
            0.95,
            'malipo_operator_call_duration_seconds',
            'operator, call',
          ),
        }),
        panel('Why payments went to an operator', 'reqps', {
          '{{biller}} {{operator}} {{reason}}': rate(
            'malipo_routed_payments_total',
            'biller, operator, reason',
          ),
        }),
        panel('Open circuit breakers', 'short', {
          '{{biller}} {{operator}}': same('malipo_route_breaker_open', 'biller, operator'),
        }),
        panel('Our floats with operators, in hours', 'h', {
          '{{operator}}': same('malipo_operator_float_hours_left', 'operator'),
        }),
        panel('Our floats with operators', 'short', {
          '{{operator}}': `${same('malipo_operator_float_cents', 'operator')} / 100`,
        }),
      ],
      'What needs people': [
        panel('Open cases', 'short', { '{{kind}}': same('malipo_open_cases', 'kind') }),
        panel('Receipts that are not credited', 'short', {
          '{{state}}': same('malipo_receipts', 'state'),
        }),
        panel('Events that wait for webhooks', 'short', {
          '{{webhook}}': same('malipo_webhook_backlog', 'webhook'),
        }),
      ],
    },
  },
  {
    uid: 'malipo-processes',
    title: 'Malipo: processes',
    rows: {
      Requests: [
        panel('Requests by status', 'reqps', {
          '{{status}}': rate('malipo_requests_total', 'status'),
        }),
        panel('Duration of requests, 99 %', 's', {
          '{{route}}': quantile(0.99, 'malipo_request_duration_seconds', 'route'),
        }),
        panel('Ready', 'short', { '{{instance}}': 'malipo_ready' }),
      ],
      'Lanes and database': [
        panel('Items in a batch, mean', 'short', {
          '{{lane}}': `${rate('malipo_lane_batch_rows_sum', 'lane')} / ${rate('malipo_lane_batch_rows_count', 'lane')}`,
        }),
        panel('Wait for a batch, 99 %', 's', {
          '{{lane}}': quantile(0.99, 'malipo_lane_wait_seconds', 'lane'),
        }),
        panel('Duration of a batch, 99 %', 's', {
          '{{lane}}': quantile(0.99, 'malipo_lane_batch_seconds', 'lane'),
        }),
        panel('Connections in use', 'short', {
          '{{instance}} {{pool}}': 'malipo_pool_connections{state="used"}',
        }),
        panel('Callers that wait for a connection', 'short', {
          '{{instance}} {{pool}}': 'malipo_pool_waiting',
        }),
        panel('Creates that wait', 'short', { '{{instance}}': 'malipo_creates_waiting' }),
      ],
      Process: [
        panel('Since the dispatcher looked for work', 's', {
          '{{instance}}': 'malipo_dispatcher_idle_seconds',
        }),
        panel('Event loop, 99 %', 's', { '{{instance}}': 'nodejs_eventloop_lag_p99_seconds' }),
        panel('CPU', 'percentunit', { '{{instance}}': `rate(process_cpu_seconds_total${RANGE})` }),
        panel('Memory', 'bytes', { '{{instance}}': 'process_resident_memory_bytes' }),
        panel('Age of the oldest unchained transfer, of the backup and of the archive', 's', {
          unchained: same('malipo_unchained_seconds'),
          backup: same('malipo_backup_age_seconds'),
          archive: same('malipo_wal_archive_age_seconds'),
        }),
        panel('Versions', 'short', { '{{version}}': 'count by (version) (malipo_build_info)' }),
      ],
    },
  },
];

const PANEL_WIDTH = 8;
const PANEL_HEIGHT = 8;
const PANELS_PER_LINE = 3;
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

/** As Grafana imports it. */
export function dashboardJson({ uid, title, rows }: Dashboard): object {
  let id = 0;
  let y = 0;
  const panels: object[] = [];
  for (const [row, of] of Object.entries(rows)) {
    panels.push({
      id: (id += 1),
      type: 'row',
      title: row,
      gridPos: { x: 0, y, w: PANEL_WIDTH * PANELS_PER_LINE, h: 1 },
    });
    y += 1;
    for (const [index, shown] of of.entries()) {
      const [line, column] = [Math.floor(index / PANELS_PER_LINE), index % PANELS_PER_LINE];
      panels.push({
        id: (id += 1),
        type: 'timeseries',
        title: shown.title,
        datasource: DATASOURCE,
        gridPos: {
          x: column * PANEL_WIDTH,
          y: y + line * PANEL_HEIGHT,
          w: PANEL_WIDTH,
          h: PANEL_HEIGHT,
        },
        fieldConfig: { defaults: { unit: shown.unit, min: 0 }, overrides: [] },
        targets: Object.entries(shown.queries).map(([legendFormat, expr], number) => ({
          refId: String.fromCodePoint(65 + number),
          expr,
          legendFormat,
        })),
      });
    }
    y += Math.ceil(of.length / PANELS_PER_LINE) * PANEL_HEIGHT;
  }
  return {
    uid,
    title,
    tags: ['malipo'],
    schemaVersion: 39,
    time: { from: 'now-6h', to: 'now' },
    refresh: '30s',
    templating: {
      list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' }],
    },
    panels,
  };
}
