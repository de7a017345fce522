import type { ActionLimit } from '../parties/people/audited.ts';

/** How often a person, with all their programs, asks operators for what the service asks for by itself as well. */
export const ASKS_OPERATORS = {
  perPerson: {
    count: 20,
    seconds: 600,
    text: 'You have asked operators 20 times in ten minutes, which is the limit.',
  },
} as const satisfies ActionLimit;
