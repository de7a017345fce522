import { encodeReference } from '../../src/parties/reference.ts';
import type { CallbackRequest } from '../../src/connectors/operator-callbacks.ts';
import { canBeForged, postCallback } from './connector.ts';
import type { SimulatedProcess } from './process.ts';
import type { OperatorCharacter } from './scenario.ts';
import type { Entry } from './truth.ts';
import type { FinalCallback } from './operator.ts';
import type { World } from './world.ts';

const TYPICAL_MS = 50;
/** An operator's attempts while there are faults; afterwards it repeats until it succeeds. */
const MAX_TRIES = 4;

interface Delivery {
  readonly operatorCode: string;
  readonly request: CallbackRequest;
  readonly label: string;
  /** Called when the callback is acknowledged, unless anybody could have sent it: it proves nothing then. */
  readonly onTaken: () => void;
  tries: number;
}

/** Sends callbacks to any process that answers, as operators do: until one is acknowledged. */
export interface CallbackSender {
  send(entry: Entry, report: FinalCallback): void;
  /** Number of callbacks that are neither acknowledged nor given up. */
  readonly inTransit: number;
}

export function createCallbackSender(options: {
  readonly world: World;
  readonly operators: readonly OperatorCharacter[];
  /** A process that can receive it, or undefined. */
  readonly anyProcess: () => SimulatedProcess | undefined;
}): CallbackSender {
  const { world } = options;
  const { schedule, random, truth } = world;

  let inTransit = 0;

  const deliver = (delivery: Delivery): void => {
    delivery.tries += 1;
    inTransit += 1;
    const again = (): void => {
      inTransit -= 1;
      if (delivery.tries >= MAX_TRIES && !world.calm) return;
      inTransit += 1;
      schedule.after(random.whole(500, 4_000), () => {
        inTransit -= 1;
        deliver(delivery);
      });
    };
    schedule.after(random.latencyMs(TYPICAL_MS), () => {
      const process = options.anyProcess();
      if (process === undefined || world.strikes('callback_lost')) {
        again();
        return;
      }
      receive(process, delivery, again);
    });
  };

  const receive = (process: SimulatedProcess, delivery: Delivery, again: () => void): void => {
    let answered = false;
    // A process that crashes does not answer, and the operator's request times out.
    schedule.after(12_000, () => {
      if (!answered) again();
      answered = true;
    });
    process.callback(delivery.operatorCode, delivery.request).then(
      (answer) => {
        world.log(`${process.name} callback ${delivery.label} ${answer.kind}`);
        if (answer.kind === 'accepted') delivery.onTaken();
        if (answered) return;
        answered = true;
        if (answer.kind === 'accepted' && world.strikes('callback_repeated')) again();
        else inTransit -= 1;
      },
      () => {
        world.note('callback_failed');
        if (answered) return;
        answered = true;
        again();
      },
    );
  };

  const sendReport = (
    operatorCode: string,
    report: FinalCallback,
    delivery: { readonly genuine: boolean; readonly onTaken: () => void },
  ): void => {
    const character = options.operators.find((one) => one.operatorCode === operatorCode);
    const isProof = character === undefined || !canBeForged(character);
    deliver({
      operatorCode,
      request: postCallback(report, delivery.genuine),
      label: `${report.reference} ${report.outcome.kind}`,
      onTaken: isProof ? delivery.onTaken : () => undefined,
      tries: 0,
    });
  };

  /** Forged and mistaken callbacks that are sent in addition. */
  const disturb = (entry: Entry, report: FinalCallback): void => {
    const taken = (reference: string, operatorCode: string) => ({
      genuine: true,
      onTaken: () => {
        truth.unmatched.push({ reference, operatorCode });
      },
    });
    if (world.strikes('callback_unknown')) {
      const reference = random.chance(0.5)
        ? 'NOT-A-REFERENCE'
        : encodeReference(random.whole(1, 9), '0196ffff-ffff-7fff-8fff-ffffffffffff');
      sendReport(
        entry.operatorCode,
        { ...report, reference },
        taken(reference, entry.operatorCode),
      );
    }
    const other = options.operators.find(({ operatorCode }) => operatorCode !== entry.operatorCode);
    // An operator that may also execute the biller's payments may have this one. Its callback is not
    // mistaken.
    const isRouted = world.scenario.routes.some(
      (route) =>
        route.billerCode === entry.billerCode && route.operatorCode === other?.operatorCode,
    );
    const isOwn = other?.billerCodes.includes(entry.billerCode) === true;
    if (other !== undefined && !isRouted && !isOwn && world.strikes('callback_foreign')) {
      const opposite = { ...report, outcome: oppositeOf(report.outcome) };
      sendReport(other.operatorCode, opposite, taken(report.reference, other.operatorCode));
    }
    if (world.strikes('callback_forged')) {
      const forged = { ...report, outcome: oppositeOf(report.outcome) };
      sendReport(entry.operatorCode, forged, {
        genuine: false,
        onTaken: () => world.violated(`a forged callback about ${report.reference} was accepted`),
      });
    }
  };

  return {
    get inTransit() {
      return inTransit;
    },
    send: (entry, report) => {
      sendReport(entry.operatorCode, report, {
        genuine: true,
        onTaken: () => {
          if (entry.answersOut > 0) world.note('callback_first');
          entry.callbackTaken = true;
          truth.takenCallbacks.push({
            operatorCode: entry.operatorCode,
            reference: report.reference,
            outcome: report.outcome.kind,
          });
        },
      });
      disturb(entry, report);
    },
  };
}

function oppositeOf(outcome: FinalCallback['outcome']): FinalCallback['outcome'] {
  if (outcome.kind === 'paid')
    return { kind: 'declined', code: 'no', failureCode: 'declined', message: 'declined' };
  return {
    kind: 'paid',
    operatorReference: 'X',
    amountCents: 5_000n,
    message: 'paid',
    details: {},
  };
}
