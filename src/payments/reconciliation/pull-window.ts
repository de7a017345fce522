/** When an operator's movements are pulled. */
export interface PullPlan {
  /** Everything before was pulled. */
  readonly pulledUntil: Date;
  /** Length of the period of one statement. */
  readonly everyMs: number;
  /** A statement is pulled this long after its end, because operators list movements late. */
  readonly delayMs: number;
}

export interface PullWindow {
  readonly from: Date;
  readonly to: Date;
}

/** The next statement to pull; undefined: its time has not come. Pure. */
export function nextWindow(plan: PullPlan, now: Date): PullWindow | undefined {
  const to = new Date(plan.pulledUntil.getTime() + plan.everyMs);
  return to.getTime() + plan.delayMs <= now.getTime() ? { from: plan.pulledUntil, to } : undefined;
}
