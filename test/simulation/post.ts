import { encodeReference } from '../../src/platform/base/ids.ts';
import type { CallbackRequest } from '../../src/payments/dispatch/connector.ts';
import { postCallback } from './connector.ts';
import type { SimulatedProcess } from './process.ts';
import type { OperatorCharacter } from './scenario.ts';
import type { Entry } from './truth.ts';
import type { FinalCallback } from './operator.ts';
import type { World } from './world.ts';

const TYPICAL_MS = 50;
/** An operator's attempts while there are faults; afterwards it repeats until it succeeds. */
const MAX_TRIES = 4;

interface Letter {
  readonly operatorCode: string;
  readonly request: CallbackRequest;
  readonly label: string;
  /** Called when the callback is acknowledged. */
  readonly onTaken: () => void;
  tries: number;
}

/** Sends callbacks to any process that answers, as operators do: until one is acknowledged. */
export interface Post {
  send(entry: Entry, report: FinalCallback): void;
  /** Number of callbacks that are neither acknowledged nor given up. */
  readonly onTheirWay: number;
}

export function createPost(options: {
  readonly world: World;
  readonly operators: readonly OperatorCharacter[];
  /** A process that can take it, or none. */
  readonly anyProcess: () => SimulatedProcess | undefined;
}): Post {
  const { world } = options;
  const { schedule, random, truth } = world;

  let onTheirWay = 0;

  const deliver = (letter: Letter): void => {
    letter.tries += 1;
    onTheirWay += 1;
    const again = (): void => {
      onTheirWay -= 1;
      if (letter.tries >= MAX_TRIES && !world.calm) return;
      onTheirWay += 1;
      schedule.after(random.whole(500, 4_000), () => {
        onTheirWay -= 1;
        deliver(letter);
      });
    };
    schedule.after(random.latencyMs(TYPICAL_MS), () => {
      const process = options.anyProcess();
      if (process === undefined || world.strikes('callback_lost')) {
        again();
        return;
      }
      receive(process, letter, again);
    });
  };

  const receive = (process: SimulatedProcess, letter: Letter, again: () => void): void => {
    let answered = false;
    // A process that crashes does not answer, and the operator's request times out.
    schedule.after(12_000, () => {
      if (!answered) again();
      answered = true;
    });
    process.callback(letter.operatorCode, letter.request).then(
      (answer) => {
        world.log(`${process.name} callback ${letter.label} ${answer.kind}`);
        if (answer.kind === 'accepted') letter.onTaken();
        if (answered) return;
        answered = true;
        if (answer.kind === 'accepted' && world.strikes('callback_repeated')) again();
        else onTheirWay -= 1;
      },
      () => {
        world.note('callback_failed');
        if (answered) return;
        answered = true;
        again();
      },
    );
  };

  const post = (
    operatorCode: string,
    report: FinalCallback,
    letter: { readonly genuine: boolean; readonly onTaken: () => void },
  ): void => {
    deliver({
      operatorCode,
      request: postCallback(report, letter.genuine),
      label: `${report.reference} ${report.outcome.kind}`,
      onTaken: letter.onTaken,
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
      post(entry.operatorCode, { ...report, reference }, taken(reference, entry.operatorCode));
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
      post(other.operatorCode, opposite, taken(report.reference, other.operatorCode));
    }
    if (world.strikes('callback_forged')) {
      const forged = { ...report, outcome: oppositeOf(report.outcome) };
      post(entry.operatorCode, forged, {
        genuine: false,
        onTaken: () => world.violated(`a forged callback about ${report.reference} was accepted`),
      });
    }
  };

  return {
    get onTheirWay() {
      return onTheirWay;
    },
    send: (entry, report) => {
      post(entry.operatorCode, report, {
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
