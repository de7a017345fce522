/** Exit codes of the command line. */
export const EXIT = {
  done: 0,
  /** The command failed, or a check found a violation. */
  failed: 1,
  /** The command line is invalid. */
  usage: 2,
  /** `--wait`: it has not ended yet. */
  notEnded: 3,
} as const;
