/** One invariant of the ledger and the rows that violate it. */
export interface Invariant {
  readonly name: string;
  /** A sentence for people. */
  readonly says: string;
  /** Selects `vendorId` and `detail` of every violation. */
  readonly sql: string;
  /** True: the query is not run bucket by bucket. */
  readonly overall?: true;
}
