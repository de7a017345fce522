import type { Sector } from '../../parties/vendor.ts';

/** Numbers, as text: the requester's sector and all others (specification §2.7). */
export interface SectorPair {
  readonly mySector: string;
  readonly otherSectors: string;
}

/** 1: the requester's sector only; 2: all sectors. */
export type ReportSector = 1 | 2;

export interface SummaryScope {
  readonly mySector: Sector;
  readonly reportSector: ReportSector;
}

/** Measures the rows of the requester's sector and those of the others. */
export function pairOf<Row extends { readonly sector: Sector }>(
  rows: readonly Row[],
  scope: SummaryScope,
  measure: (rows: readonly Row[]) => string,
): SectorPair {
  const isMine = ({ sector }: Row): boolean => sector === scope.mySector;
  return {
    mySector: measure(rows.filter(isMine)),
    otherSectors: scope.reportSector === 1 ? '0' : measure(rows.filter((one) => !isMine(one))),
  };
}
