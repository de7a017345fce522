/** A Grafana dashboard: rows of panels, each a few queries. `npm run docs` writes them as JSON. */
interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly rows: Readonly<Record<string, readonly Panel[]>>;
}

interface Panel {
  readonly title: string;
  /** Of Grafana: `s`, `reqps`, `short`, `h`, `bytes`. */
  readonly unit: string;
  /** PromQL, by the legend. */
  readonly queries: Readonly<Record<string, string>>;
}

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
        {
          title: 'Payments by outcome',
          unit: 'reqps',
          queries: { '{{outcome}}': rate('malipo_payments_total', 'outcome') },
        },
        {
          title: 'Payments by biller',
          unit: 'reqps',
          queries: {
            '{{biller}} {{outcome}}': rate('malipo_payments_total', 'biller, outcome'),
          },
        },
        {
          title: 'Refused creates',
          unit: 'reqps',
          queries: { '{{code}}': rate('malipo_payment_refusals_total', 'code') },
        },
        {
          title: 'Open payments',
          unit: 'short',
          queries: { '{{biller}} {{stage}}': same('malipo_open_transactions', 'biller, stage') },
        },
        {
          title: 'Oldest open payment',
          unit: 's',
          queries: { '{{stage}}': same('malipo_oldest_open_seconds', 'stage') },
        },
        {
          title: 'Bulk files that wait',
          unit: 'short',
          queries: { files: same('malipo_bulk_open_batches') },
        },
      ],
      Operators: [
        {
          title: 'Calls by result',
          unit: 'reqps',
          queries: {
            '{{operator}} {{call}} {{result}}': rate(
              'malipo_operator_calls_total',
              'operator, call, result',
            ),
          },
        },
        {
          title: 'Duration of calls, 95 %',
          unit: 's',
          queries: {
            '{{operator}} {{call}}': quantile(
              0.95,
              'malipo_operator_call_duration_seconds',
              'operator, call',
            ),
          },
        },
        {
          title: 'Why payments went to an operator',
          unit: 'reqps',
          queries: {
            '{{biller}} {{operator}} {{reason}}': rate(
              'malipo_routed_payments_total',
              'biller, operator, reason',
            ),
          },
        },
        {
          title: 'Open circuit breakers',
          unit: 'short',
          queries: {
            '{{biller}} {{operator}}': same('malipo_route_breaker_open', 'biller, operator'),
          },
        },
        {
          title: 'Our floats with operators, in hours',
          unit: 'h',
          queries: { '{{operator}}': same('malipo_operator_float_hours_left', 'operator') },
        },
        {
          title: 'Our floats with operators',
          unit: 'short',
          queries: { '{{operator}}': `${same('malipo_operator_float_cents', 'operator')} / 100` },
        },
      ],
      'What needs people': [
        {
          title: 'Open cases',
          unit: 'short',
          queries: { '{{kind}}': same('malipo_open_cases', 'kind') },
        },
        {
          title: 'Receipts that are not credited',
          unit: 'short',
          queries: { '{{state}}': same('malipo_receipts', 'state') },
        },
        {
          title: 'Events that wait for webhooks',
          unit: 'short',
          queries: { '{{webhook}}': same('malipo_webhook_backlog', 'webhook') },
        },
      ],
    },
  },
  {
    uid: 'malipo-processes',
    title: 'Malipo: processes',
    rows: {
      Requests: [
        {
          title: 'Requests by status',
          unit: 'reqps',
          queries: { '{{status}}': rate('malipo_requests_total', 'status') },
        },
        {
          title: 'Duration of requests, 99 %',
          unit: 's',
          queries: { '{{route}}': quantile(0.99, 'malipo_request_duration_seconds', 'route') },
        },
        {
          title: 'Ready',
          unit: 'short',
          queries: { '{{instance}}': 'malipo_ready' },
        },
      ],
      'Lanes and database': [
        {
          title: 'Items in a batch, mean',
          unit: 'short',
          queries: {
            '{{lane}}': `${rate('malipo_lane_batch_rows_sum', 'lane')} / ${rate('malipo_lane_batch_rows_count', 'lane')}`,
          },
        },
        {
          title: 'Wait for a batch, 99 %',
          unit: 's',
          queries: { '{{lane}}': quantile(0.99, 'malipo_lane_wait_seconds', 'lane') },
        },
        {
          title: 'Duration of a batch, 99 %',
          unit: 's',
          queries: { '{{lane}}': quantile(0.99, 'malipo_lane_batch_seconds', 'lane') },
        },
        {
          title: 'Connections in use',
          unit: 'short',
          queries: {
            '{{instance}} {{pool}}': 'malipo_pool_connections{state="used"}',
          },
        },
        {
          title: 'Callers that wait for a connection',
          unit: 'short',
          queries: { '{{instance}} {{pool}}': 'malipo_pool_waiting' },
        },
        {
          title: 'Creates that wait',
          unit: 'short',
          queries: { '{{instance}}': 'malipo_creates_waiting' },
        },
      ],
      Process: [
        {
          title: 'Since the dispatcher looked for work',
          unit: 's',
          queries: { '{{instance}}': 'malipo_dispatcher_idle_seconds' },
        },
        {
          title: 'Event loop, 99 %',
          unit: 's',
          queries: { '{{instance}}': 'nodejs_eventloop_lag_p99_seconds' },
        },
        {
          title: 'CPU',
          unit: 'percentunit',
          queries: { '{{instance}}': `rate(process_cpu_seconds_total${RANGE})` },
        },
        {
          title: 'Memory',
          unit: 'bytes',
          queries: { '{{instance}}': 'process_resident_memory_bytes' },
        },
        {
          title: 'Age of the oldest unchained transfer, of the backup and of the archive',
          unit: 's',
          queries: {
            unchained: same('malipo_unchained_seconds'),
            backup: same('malipo_backup_age_seconds'),
            archive: same('malipo_wal_archive_age_seconds'),
          },
        },
        {
          title: 'Versions',
          unit: 'short',
          queries: { '{{version}}': 'count by (version) (malipo_build_info)' },
        },
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
    for (const [index, panel] of of.entries()) {
      const [line, column] = [Math.floor(index / PANELS_PER_LINE), index % PANELS_PER_LINE];
      panels.push({
        id: (id += 1),
        type: 'timeseries',
        title: panel.title,
        datasource: DATASOURCE,
        gridPos: {
          x: column * PANEL_WIDTH,
          y: y + line * PANEL_HEIGHT,
          w: PANEL_WIDTH,
          h: PANEL_HEIGHT,
        },
        fieldConfig: { defaults: { unit: panel.unit, min: 0 }, overrides: [] },
        targets: Object.entries(panel.queries).map(([legendFormat, expr], number) => ({
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
