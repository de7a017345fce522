/** Exit codes of the command line. */
export const EXIT = {
  done: 0,
  /** It could not be done, or what was checked does not hold. */
  failed: 1,
  /** The command line itself is wrong. */
  usage: 2,
  /** `pay --wait`: not ended in time; its end is not known yet. */
  notEnded: 3,
} as const;
