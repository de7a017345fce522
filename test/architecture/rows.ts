/**
 * The folders of `src` from the bottom up. A file may import from lower rows and from its own folder;
 * folders of one row do not know each other. A path names everything below it, unless a longer path
 * is listed as well.
 */
export const ROWS: readonly (readonly string[])[] = [
  ['platform/base'],
  ['platform/networks'],
  ['platform/outbound', 'platform/program-version', 'platform/sync-folder'],
  [
    'platform/health-check',
    'platform/log',
    'platform/csv-file',
    'platform/documents',
    'platform/tracing-sdk',
    'platform/embedded',
    'platform/storage',
  ],
  ['platform/db'],
  [
    'platform/export',
    'platform/gauges',
    'platform/jobs',
    'platform/backup',
    'platform/cluster',
    'platform/grants',
    'platform/tables',
  ],
  ['platform/history'],
  ['platform/lane-tallies'],
  ['platform/http/wire'],
  ['platform/http'],
  // What payments call, and what speaks to operators and sources of money: it knows nothing of payments.
  [
    'connectors/operator-outcomes',
    'connectors/operator-statements',
    'connectors/source-statements',
  ],
  ['connectors/operator-callbacks'],
  ['connectors/operator'],
  ['connectors/source'],
  ['connectors'],
  ['connectors/operators'],
  // Money in through Daraja shares its app with the operator.
  ['connectors/sources'],
  ['connectors/registry', 'connectors/probe'],

  ['parties'],
  ['parties/http', 'parties/people'],
  ['parties/parties'],

  ['proposals/grants', 'proposals/tables'],
  // Kinds belong to the wings whose rows they change.
  ['proposals'],
  ['proposals/parties'],

  ['batches/grants', 'batches/tables'],
  // Kinds belong to the wings whose rows they make.
  ['batches'],

  ['payments/tables'],
  // Every folder in a higher row may open a case when it finds a contradiction.
  ['payments/ledger', 'payments/cases', 'payments/prices', 'payments/grants'],
  ['payments/billers'],
  ['payments/house'],
  ['payments/payouts'],
  [
    'payments/collections',
    'payments/create',
    'payments/audit',
    'payments/reports',
    'payments/messages',
  ],
  ['payments/settle', 'payments/events'],
  ['payments/bulk', 'payments/dispatch'],
  // A biller changes its operator only while none of its instructions is in progress.
  ['payments/billers/administer'],
  ['payments/reconciliation', 'payments/archive'],
  ['payments/quarantine', 'payments/corrections', 'payments/timeline', 'payments/overview'],
  ['payments/receipts'],
  [
    'payments/vendor-floats',
    'payments/uploads',
    'payments/vendor-secrets',
    'payments/invoices',
    'payments/summaries',
    'payments/moving',
  ],
  // Settings of every folder below that two people decide.
  ['payments/settings'],
  // Its customers' phones are sealed as the secrets of settings are.
  ['payments/disbursements'],
  ['payments/timing'],
  ['payments/jobs', 'payments/health'],
  ['payments/operators'],
  ['payments/payments'],
  ['payments/operations', 'payments/metrics'],

  ['credit/facts', 'credit/grants', 'credit/tables'],
  ['credit/scorecards'],
  ['credit/registry', 'credit/summary', 'credit/training', 'credit/governance'],
  ['credit/matching'],
  ['credit/importing', 'credit/bureaus'],
  ['credit/enquiries'],
  ['credit/batches', 'credit/watches'],
  ['credit/reports', 'credit/monitoring', 'credit/decisions'],
  ['credit/rotation'],
  ['credit/credit', 'credit/metrics'],
  ['credit/operations'],
  ['credit/desk'],
  // Every kind of proposal, for all that lead people to them.
  ['proposal-kinds', 'also-checked', 'demo-data'],
  ['self-service'],
  ['staff'],

  ['console/answers', 'console/route'],
  ['console/credit-answers', 'console/live'],
  ['console/vendor-answers'],
  ['console/audited', 'console/staff-routes'],
  ['console/routes', 'console/mount', 'console/page'],
  ['console', 'staff-api'],

  ['metrics', 'environment-forms', 'schema'],
  ['storage-variables'],
  ['environment'],
  ['shown-variables'],
  ['config'],
  ['contract'],
  ['api'],
  ['service'],
  ['wal-archiver', 'history', 'admission'],
  ['run'],
  ['cli'],
  ['main'],
];

/** Imports that point up, each with its reason. At present there are no such imports. */
export const UPWARD: Readonly<Record<string, string>> = {};
