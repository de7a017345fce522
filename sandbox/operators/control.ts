import { randomUUID } from 'node:crypto';
import type { Book, Payment } from './book.ts';
import type { Choice } from './choices.ts';
import type { OperatorSimulator } from './simulator.ts';

/** Commands of the parent. They come by the process's own channel, which no network reaches. */
export interface Commands {
  readonly choose: {
    readonly asked: Omit<Choice, 'id'>;
    /** False: there are too many. */
    readonly answer: boolean;
  };
  readonly choices: { readonly asked: { readonly references: string }; readonly answer: Choice[] };
  readonly dropChoices: { readonly asked: { readonly references: string }; readonly answer: null };
  readonly advance: {
    readonly asked: { readonly reference: string; readonly result: 'paid' | 'declined' };
    /** The state before; null: no operator has it. */
    readonly answer: Payment['state'] | null;
  };
  readonly reverse: { readonly asked: { readonly reference: string }; readonly answer: boolean };
  readonly float: {
    /** Cents, as text. */
    readonly asked: {
      readonly operator: string;
      readonly change: 'add' | 'set';
      readonly cents: string;
    };
    readonly answer: string;
  };
  /** Commission that it keeps for us out of what it takes for a payment, from now on, in basis points. */
  readonly commission: {
    readonly asked: { readonly operator: string; readonly bps: number };
    readonly answer: null;
  };
}

type Carriers = {
  readonly [Name in keyof Commands]: (asked: Commands[Name]['asked']) => Commands[Name]['answer'];
};

/** A command, with a number by which its answer is found. */
export interface CommandMessage {
  readonly number: number;
  readonly name: keyof Commands;
  readonly asked: unknown;
}

/** Carries out what the parent asks for, as long as there is one. */
export function followCommands(simulator: OperatorSimulator, book: Book): void {
  const carriers: Carriers = {
    choose: (asked) => simulator.choose({ ...asked, id: randomUUID() }),
    choices: ({ references }) => book.choices.of(references),
    dropChoices: ({ references }) => {
      simulator.dropChoices(references);
      return null;
    },
    advance: ({ reference, result }) => simulator.advance(reference, result) ?? null,
    reverse: ({ reference }) => simulator.reverse(reference),
    float: ({ operator, change, cents }) =>
      String(
        simulator.changeFloat(
          operator,
          change === 'set' ? { setCents: BigInt(cents) } : { addCents: BigInt(cents) },
        ),
      ),
    commission: ({ operator, bps }) => {
      simulator.setCommission(operator, bps);
      return null;
    },
  };
  process.on('message', (message) => {
    const { number, name, asked } = message as CommandMessage;
    const carry = carriers[name] as (given: unknown) => unknown;
    process.send?.({ number, answer: carry(asked) });
  });
}
