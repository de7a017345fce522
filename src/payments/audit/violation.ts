export interface Violation {
  readonly invariant: string;
  /** 0: no vendor in particular. */
  readonly vendorId: number;
  readonly detail: string;
}
