/**
 * Everything that has to happen over all runs: a fault that never occurred was never tested. The first
 * three groups are faults, the last is the service's reactions.
 */
export const FAULTS = {
  // Processes.
  dispatchers_at_once: 'a run with several dispatchers',
  crash_while_starting: 'a process crashed before it had loaded its settings',
  crash_before_create_commit: 'a process crashed during a create, before the commit',
  crash_after_create_commit:
    'a process crashed after a create was committed, before it received the result',
  crash_before_claim_commit: 'a process crashed during a claim, before the commit',
  crash_after_claim_commit:
    'a process crashed after a claim was committed, before it received the result',
  crash_with_instruction_out: 'a process crashed between sending an instruction and its answer',
  crash_with_query_out: 'a process crashed between sending a status query and its answer',
  crash_before_settle_commit: 'a process crashed with a final result, before the commit',
  crash_after_settle_commit:
    'a process crashed after a final result was committed, before it received the confirmation',
  crash_before_progress_commit: 'a process crashed with progress, before the commit',
  crash_after_progress_commit:
    'a process crashed after progress was committed, before it received the confirmation',
  crash_inside_transaction: 'a process crashed between begin and commit',
  stood_still: 'a process was paused for longer than a lease lasts',
  stopped: 'a process was asked to stop',
  stopped_with_call_out: 'a process was asked to stop while an operator had its instruction',
  // The database.
  lost_before_commit: 'a connection was lost before the statement arrived',
  lost_after_commit: 'a connection was lost after the commit, before its answer',
  claim_answer_lost: 'the answer to a claim was lost',
  create_answer_lost: 'the answer to a batch of creates was lost',
  settle_answer_lost: 'the answer to a batch of final results was lost',
  database_conflict: 'the database reported a deadlock',
  database_refused: 'the database had no space left',
  database_away: 'the database could not be reached for a while',
  database_silent: 'the answer to a commit never came, and the lost connection was not reported',
  // Operators.
  instruction_refused: 'the connection was refused: nothing was sent',
  instruction_lost: 'an instruction was lost before it arrived',
  instruction_doubled: 'the network delivered one instruction twice',
  instruction_left_late: 'an instruction left when its sender had nearly given up',
  instruction_slow: 'an instruction arrived after its sender had given up',
  answer_lost: 'the answer to an instruction was lost',
  answer_garbled: 'the answer to an instruction could not be read',
  answer_slow: 'the answer came after the deadline',
  answer_false: 'the operator gave a false answer',
  connector_threw: 'a connector threw',
  connector_hung: 'a connector never came back',
  declined: 'the operator declined',
  accepted_first: 'the operator decided after it had answered',
  never_tells: 'an operator never reported the result of an instruction',
  cannot_be_asked: 'an operator has no status query',
  other_amount: 'the operator paid another amount',
  operator_paused: 'the operator was paused',
  operator_down: 'an operator could not be reached for a while',
  float_used_up: 'an operator reported that our float with it was used up',
  operator_known_again: 'an operator that knows no idempotency key was instructed again',
  query_unanswered: 'a status query was not answered',
  query_too_early: 'a status query did not find an instruction that was on its way',
  query_found_nothing: 'a status query proved that an instruction never arrived',
  query_false: 'the operator gave a false answer to a status query',
  callback_lost: 'a callback was lost',
  callback_repeated: 'a callback was repeated after it had been accepted',
  callback_first: 'a callback came before the answer to its instruction',
  callback_failed: 'a callback could not be accepted and was sent again',
  callback_contradicts: 'a callback contradicted an earlier report',
  callback_unknown: 'a callback named an unknown reference',
  callback_foreign: 'an operator reported another operator’s transaction',
  callback_forged: 'a callback was forged',
  // What the service did about it.
  create_replayed: 'a repeated create got the first answer again',
  create_unaffordable: 'a create exceeded the float',
  create_offline: 'a create was for a biller that was offline',
  late_claim_not_sent: 'a claim was too old to be sent',
  late_worker_fenced: 'a write of a worker with an expired lease was refused',
  instructed_again: 'an instruction was repeated after proof that the first was not executed',
  failed_over: 'a payment went to another operator after proof that the first did not execute it',
  later_route_taken: 'a payment went through a route that is not the first',
  settle_repeated: 'a final result was repeated',
  contradiction_recorded: 'a contradiction became a case',
  late_success_recorded:
    'a payment that was executed after its amount had been returned became a case',
  difference_recorded: 'a payment of another amount became a case',
  paid_by_two: 'an operator with a false answer and another operator both paid: a case',
  stray_recorded: 'a callback about an unknown reference was kept',
  breaker_opened: 'a biller went offline',
  breaker_closed: 'a biller came back online',
} as const;

export type Fault = keyof typeof FAULTS;

export type FaultCounts = Record<Fault, number>;

/** In the runs of so many seeds, from the first on, every fault must have happened. */
export const RUNS_FOR_ALL_FAULTS = 120;

export const FAULT_NAMES = Object.keys(FAULTS) as Fault[];

export function noFaults(): FaultCounts {
  return Object.fromEntries(FAULT_NAMES.map((name) => [name, 0])) as FaultCounts;
}

export function addFaults(sum: FaultCounts, counts: FaultCounts): void {
  for (const name of FAULT_NAMES) sum[name] += counts[name];
}
