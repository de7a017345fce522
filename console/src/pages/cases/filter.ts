const FILTERS = ['state', 'kind', 'vid', 'operator'] as const;

export type CaseFilter = Partial<Record<(typeof FILTERS)[number], string>>;

/** What the address says, without anything else. */
export function readCaseFilter(search: Record<string, unknown>): CaseFilter {
  const filter: CaseFilter = {};
  for (const name of FILTERS) {
    const value = search[name];
    if (typeof value === 'string' && value !== '') filter[name] = value;
  }
  return filter;
}
