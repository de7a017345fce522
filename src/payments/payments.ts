import type { Logger } from 'pino';
import { awakeTimers } from '../platform/base/awake-timers.ts';
import { systemTimers } from '../platform/base/timers.ts';
import type { Timers } from '../platform/base/timers.ts';
import { LANE_DEADLINE_MS, READ_DEADLINE_MS } from '../platform/db/lane.ts';
import type { OnBatch } from '../platform/db/lane.ts';
import type { Mac } from '../platform/base/mac.ts';
import type { OpenPool, Pool } from '../platform/db/pool.ts';
import type { VendorDirectory } from '../parties/directory.ts';
import type { BillerCatalogue } from './billers/catalogue.ts';
import type { BulkBatches } from './bulk/batch.ts';
import { createBulkBatches } from './bulk/kind.ts';
import type { Connectors } from './dispatch/connectors.ts';
import { acceptPayment, createCreateLane } from './create/create.ts';
import type { CreateLane } from './create/create.ts';
import type { Created, PayingVendor } from './create/create-rules.ts';
import type { CreateRequest, NewPayment, PaymentKey } from './create/payment.ts';
import { PaymentNotes } from './create/notes.ts';
import type { PeriodicJob } from '../platform/jobs/periodic-job.ts';
import { watchLost } from './quarantine/lost.ts';
import type { LostPayments } from './quarantine/lost.ts';
import { createStatusReader } from './create/status-reader.ts';
import type { StatusReader } from './create/status-reader.ts';
import type { AcknowledgedPayments } from './dispatch/acknowledged.ts';
import { createAvailabilities } from './dispatch/availability.ts';
import { createCallbackReceiver } from './dispatch/callbacks.ts';
import type { CallbackReceiver } from './dispatch/callbacks.ts';
import { createCapacity } from './dispatch/capacity.ts';
import type { Capacity } from './dispatch/capacity.ts';
import { startLateDetails } from './dispatch/late-details.ts';
import { verifyNow } from './dispatch/verify-now.ts';
import { createDailySpending } from './dispatch/daily-spending.ts';
import { Tallies } from './dispatch/tallies.ts';
import { createFloatGuard } from './dispatch/float-guard.ts';
import { noteBalance } from './dispatch/float-watch.ts';
import type { AddedQueue } from './dispatch/rotation.ts';
import { startDispatcher } from './dispatch/dispatcher.ts';
import type { Dispatcher } from './dispatch/dispatcher.ts';
import { startPaymentJobs } from './jobs.ts';
import type { JobOptions, PaymentJobs } from './jobs.ts';
import { createBalanceReader } from './ledger/balance-reader.ts';
import type { BalanceReader } from './ledger/balance-reader.ts';
import { buildCatalogue } from './operators.ts';
import type { OperatorsOptions } from './operators.ts';
import { openReceipts } from './receipts/receipts.ts';
import type { Receipts, ReceiptsOptions } from './receipts/receipts.ts';
import { createSettler } from './settle/settle.ts';
import type { Settler } from './settle/settle.ts';
import type { Timing } from './timing.ts';

export interface PaymentsOptions {
  /** Used by everything without a pool of its own. */
  readonly pool: Pool;
  /** Opens the wing's other pools. They are closed after the wing has stopped. */
  readonly openPool: OpenPool;
  readonly directory: Pick<VendorDirectory, 'vendorById'> &
    Partial<Pick<VendorDirectory, 'bucketOf'>>;
  /** Tasks of this process in addition to creating, settling and answering. */
  readonly roles: ReadonlySet<'api' | 'dispatcher' | 'jobs'>;
  readonly settings: PaymentsSettings;
  readonly timing: Timing;
  /** Operators are reached by their protocols, or by the given connectors. */
  readonly operators: OperatorsOptions;
  /** Absent: releases of quarantines are believed. */
  readonly ledgerMac?: Mac | undefined;
  /** Money in from providers; absent: none is received. */
  readonly receipts?: Pick<ReceiptsOptions, 'masterKeys' | 'ledgerMac' | 'callbackBase'>;
  /** Required for the role `jobs`. */
  readonly jobs?: Pick<JobOptions, 'masterKeys' | 'ledgerMac' | 'wireTime' | 'clock' | 'restores'>;
  /** Default: the system's. */
  readonly timers?: Timers;
  /** Generates the ids of payments. Default: time-ordered, random. */
  readonly newId?: () => string;
  /** Items that must wait before a lane makes a further call. Default: the lane's own. */
  readonly laneMinItems?: number;
  /** Called for every batch of a lane. Default: nothing is measured. */
  readonly onBatch?: OnBatch;
  /** Remembers what was committed. Default: nothing is remembered. */
  readonly acknowledged?: Pick<AcknowledgedPayments, 'note'> | undefined;
  readonly log: Logger;
}

/** Values of the configuration. */
export interface PaymentsSettings {
  /** Number of database connections of the lane for creates, and of the lane for settlements. */
  readonly laneConnections: number;
  readonly breakerFailures: number;
  readonly breakerCooldownMs: number;
  /** In which the days of daily limits begin. */
  readonly timeZone: string;
}

/** The payments wing of one process. */
export interface Payments extends Pick<Connectors, 'connectorOf' | 'witnessOf'> {
  /** Empty until its `reload` is called, which comes before `start` and the first create. */
  readonly catalogue: BillerCatalogue;
  /** Accepts a payment. Throws as `acceptPayment` does. */
  create(request: CreateRequest, vendor: PayingVendor): Promise<Created>;
  readonly settler: Settler;
  readonly callbackReceiver: CallbackReceiver;
  /** Undefined without the role `api`. */
  readonly bulkBatches: BulkBatches | undefined;
  /** Undefined if `receipts` is absent in the options. */
  readonly receipts: Receipts | undefined;
  readonly balances: BalanceReader;
  readonly statuses: StatusReader;
  /** Queries the operator now about a payment whose outcome is unknown. Throws as `verifyNow` does. */
  verifyNow(payment: PaymentKey): Promise<void>;
  /** Calls to operators. */
  readonly capacity: Capacity;
  /** Counted in this process only. */
  readonly tallies: Tallies;
  /** Noted in this process only. */
  readonly notes: PaymentNotes;
  /** Creates that wait for their batch. */
  readonly waitingCreates: number;
  /** Undefined unless it is started and the process has the role `dispatcher`. */
  readonly dispatcher: Pick<Dispatcher, 'hint' | 'underWay' | 'sinceTurnMs'> | undefined;
  /** Starts the background work of the roles: dispatcher, bulk batches, jobs. */
  start(): void;
  /**
   * Claims no more work and finishes current work. Nothing may be created any more.
   * @param graceLeftMs how long calls to operators and webhooks may still take; then they are
   * aborted.
   */
  stop(graceLeftMs: () => number): Promise<void>;
}

/**
 * Builds the payments wing. The service, the simulation, the command line and the tests all use
 * this function, so that what is simulated and tested is what runs.
 */
export function openPayments(options: PaymentsOptions): Payments {
  const parts = buildParts(options);
  const { pool, newId } = options;
  const { connectors, lane, operations } = parts;
  const { catalogue, settler, bulkBatches, notes } = operations;
  const receipts = buildReceipts(options);
  let jobs: PaymentJobs | undefined;
  let lostWatch: PeriodicJob | undefined;
  const stopAll = async (graceLeftMs: () => number): Promise<void> => {
    await jobs?.stop(graceLeftMs);
    await lostWatch?.stop();
    await receipts?.stop();
    await parts.dispatch?.stop(graceLeftMs());
    await bulkBatches?.stop();
    await lane.idle();
    await settler.idle();
    await connectors.close();
  };
  let stopping: Promise<void> | undefined;
  return {
    ...operations,
    receipts,
    connectorOf: connectors.connectorOf,
    witnessOf: connectors.witnessOf,
    create: (request, vendor) => {
      const biller = catalogue.biller(request.billerCode);
      return notes.create(
        { vendorId: vendor.vendorId, billerCode: biller?.billerCode },
        acceptPayment(
          request,
          { vendor, biller, lostOf: parts.lost.find },
          { lane, pool, ...(newId === undefined ? {} : { newId }) },
        ),
      );
    },
    verifyNow: async (payment) => {
      const due = await verifyNow(pool, payment);
      if (due === null) parts.dispatch?.askForDetails();
      else parts.dispatch?.hint([due]);
    },
    get waitingCreates() {
      return lane.waiting;
    },
    get dispatcher() {
      return parts.dispatch;
    },
    start: () => {
      bulkBatches?.start();
      if (options.roles.has('api')) lostWatch = watchLost(parts.lost, options);
      if (options.roles.has('dispatcher')) parts.dispatch = startDispatch(options, parts);
      if (!options.roles.has('jobs')) return;
      jobs = startJobs(options, parts, receipts);
      receipts?.start();
    },
    stop: async (graceLeftMs) => await (stopping ??= stopAll(graceLeftMs)),
  };
}

interface Parts {
  readonly operations: Pick<
    Payments,
    | 'catalogue'
    | 'settler'
    | 'callbackReceiver'
    | 'bulkBatches'
    | 'balances'
    | 'statuses'
    | 'capacity'
    | 'tallies'
    | 'notes'
  >;
  readonly connectors: Connectors;
  readonly lost: LostPayments;
  readonly lane: CreateLane;
  /** While it is started. */
  dispatch: Dispatch | undefined;
}

function buildParts(options: PaymentsOptions): Parts {
  const { pool, openPool, onBatch, log, timers = systemTimers } = options;
  const { catalogue, connectors, lost } = buildCatalogue(options);
  const { bucketOf } = options.directory;
  const notes = new PaymentNotes({
    log,
    vidOf: (vendorId) => options.directory.vendorById(vendorId)?.vid,
  });
  const atOnce = { maxCalls: options.settings.laneConnections, minItems: options.laneMinItems };
  const lane = { deadlineMs: LANE_DEADLINE_MS, atOnce, bucketOf, timers, onBatch };
  const settler = createSettler({
    ...lane,
    pool: openLanePool(options, 'settle'),
    onSettled: (report) => notes.settled(report),
  });
  const onAccepted = (accepted: readonly NewPayment[]): void => {
    options.acknowledged?.note(accepted.slice(-1).map((last) => ({ ...last, attemptNumber: 0 })));
    parts.dispatch?.hintAccepted(accepted);
  };
  const reader = (name: string) => ({
    pool: openPool({ name, max: 1, byIndexOnly: true }),
    deadlineMs: READ_DEADLINE_MS,
    bucketOf,
    onBatch,
  });
  const parts: Parts = {
    connectors,
    lost,
    lane: createCreateLane({ ...lane, pool: openLanePool(options, 'create'), onAccepted }),
    operations: {
      catalogue,
      settler,
      bulkBatches: buildBulk(options, { ...{ catalogue, lost, notes }, onAccepted }),
      capacity: createCapacity(() => timers.nowMs()),
      tallies: new Tallies(),
      notes,
      balances: createBalanceReader(reader('balances')),
      statuses: createStatusReader(reader('statuses')),
      callbackReceiver: createCallbackReceiver({
        pool,
        ...connectors,
        settler,
        onDue: ({ vendorId, billerCode, operatorCode, paymentId: firstId }) =>
          parts.dispatch?.hint([{ vendorId, billerCode, operatorCode, stage: 'verify', firstId }]),
        onDetailsDue: () => parts.dispatch?.askForDetails(),
        onBalance: async (operatorCode, balanceCents) =>
          await noteBalance({ pool, catalogue, log }, operatorCode, { balanceCents }),
        nowMs: () => timers.nowMs(),
        log,
      }),
    },
    dispatch: undefined,
  };
  return parts;
}

function buildReceipts(options: PaymentsOptions): Receipts | undefined {
  const { receipts, pool, directory, timing, log } = options;
  return (
    receipts &&
    openReceipts({
      ...receipts,
      pool,
      directory,
      pullEveryMs: timing.receiptPullEveryMs,
      pollMs: timing.receiptPollMs,
      log,
    })
  );
}

function openLanePool({ openPool, settings }: PaymentsOptions, name: string): Pool {
  return openPool({ name, max: settings.laneConnections, byIndexOnly: true });
}

function buildBulk(
  options: PaymentsOptions,
  by: {
    readonly catalogue: BillerCatalogue;
    readonly lost: LostPayments;
    readonly notes: PaymentNotes;
    readonly onAccepted: (accepted: readonly NewPayment[]) => void;
  },
): BulkBatches | undefined {
  const { pool, directory, settings, timing, onBatch, log } = options;
  if (!options.roles.has('api')) return undefined;
  return createBulkBatches({
    pool,
    lanePool: openLanePool(options, 'bulk'),
    laneConnections: settings.laneConnections,
    laneDeadlineMs: LANE_DEADLINE_MS,
    bucketOf: directory.bucketOf,
    onBatch,
    rules: {
      vendorById: (vendorId) => directory.vendorById(vendorId),
      billerOf: (billerCode) => by.catalogue.biller(billerCode),
      lostOf: by.lost.find,
    },
    onAccepted: (accepted) => {
      by.notes.allAccepted(accepted);
      by.onAccepted(accepted);
    },
    onDecided: (file) => by.notes.fileDecided(file),
    pollMs: timing.bulkPollMs,
    leaseMs: timing.bulkLeaseMs,
    log,
  });
}

/** The dispatcher with its circuit breakers. */
interface Dispatch extends Dispatcher {
  hintAccepted(accepted: readonly NewPayment[]): void;
  askForDetails(): void;
}

function queueOf({ vendorId, billerCode, paymentId }: NewPayment): AddedQueue {
  return { vendorId, billerCode, stage: 'send', firstId: paymentId };
}

function startAskingForDetails(
  { pool, timing, log, timers }: PaymentsOptions,
  { connectors: { witnessOf }, operations: { catalogue, settler, capacity } }: Parts,
): ReturnType<typeof startLateDetails> {
  return startLateDetails({
    ...{ pool, catalogue, witnessOf, settler, capacity, log },
    policy: timing.details,
    pollMs: timing.detailsPollMs,
    timers,
  });
}

function startDispatch(options: PaymentsOptions, parts: Parts): Dispatch {
  const { pool, openPool, settings, timing, log, timers = systemTimers } = options;
  const { catalogue, settler, capacity, tallies, notes } = parts.operations;
  const { connectorOf, witnessOf } = parts.connectors;
  const shared = { catalogue, connectorOf, timers, log };
  const availabilities = createAvailabilities({
    ...shared,
    pool,
    openAfterFailures: settings.breakerFailures,
    cooldownMs: settings.breakerCooldownMs,
  });
  const dispatcher = startDispatcher({
    ...shared,
    witnessOf,
    awakeTimers: options.timers ?? awakeTimers,
    pool: openPool({ name: 'dispatch', max: 2, byIndexOnly: true }),
    progressPool: openPool({ name: 'progress', max: 1, byIndexOnly: true }),
    settler,
    availabilities,
    spending: createDailySpending({
      pool,
      catalogue,
      nowMs: () => timers.nowMs(),
      timeZone: settings.timeZone,
    }),
    floatGuard: createFloatGuard({ pool, nowMs: () => timers.nowMs() }),
    capacity,
    tallies,
    notes,
    acknowledged: options.acknowledged,
    policy: timing.retries,
    pollMs: timing.queuePollMs,
    laneDeadlineMs: LANE_DEADLINE_MS,
    bucketOf: options.directory.bucketOf,
    onBatch: options.onBatch,
  });
  const lateDetails = startAskingForDetails(options, parts);
  return {
    askForDetails: () => lateDetails.wake(),
    hint: (queues) => dispatcher.hint(queues),
    hintAccepted: (accepted) => dispatcher.hint(accepted.map(queueOf)),
    get underWay() {
      return dispatcher.underWay;
    },
    get sinceTurnMs() {
      return dispatcher.sinceTurnMs;
    },
    stop: async (graceMs) => {
      await lateDetails.stop();
      await dispatcher.stop(graceMs);
      await availabilities.idle();
    },
  };
}

function startJobs(
  { pool, openPool, jobs, directory, timing, log }: PaymentsOptions,
  { connectors, operations: { catalogue } }: Parts,
  receipts: Receipts | undefined,
): PaymentJobs {
  if (jobs === undefined) throw new Error('the role `jobs` needs the option `jobs`');
  return startPaymentJobs({
    ...jobs,
    pool,
    openPool,
    catalogue,
    connectorOf: connectors.connectorOf,
    directory,
    source: (sourceCode) => receipts?.source(sourceCode),
    timing,
    log,
  });
}
