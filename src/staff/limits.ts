import type { ActionLimit } from '../parties/people/audited.ts';

const asks = (whom: string) =>
  ({
    perPerson: {
      count: 20,
      seconds: 600,
      text: `You have asked ${whom} 20 times in ten minutes, which is the limit.`,
    },
  }) as const satisfies ActionLimit;

/** How often a person, with all their programs, asks operators for what the service asks for by itself as well. */
export const ASKS_OPERATORS = asks('operators');
/** The same of providers of receipts, also for prompts on phones. */
export const ASKS_PROVIDERS = asks('providers');

/** How often a person asks billers whose an account is: more than anybody types payments, and too few to try numbers. */
export const LOOKS_UP_ACCOUNTS = {
  perPerson: {
    ...{ count: 60, seconds: 600 },
    text: 'You have looked up 60 accounts within ten minutes, which is the limit.',
  },
} as const satisfies ActionLimit;
