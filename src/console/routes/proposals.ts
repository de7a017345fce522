import { Type } from 'typebox';

/** Which proposals of two people are listed. */
export const stateQuery = Type.Object(
  {
    /** `open`: only those that wait for another person. */
    state: Type.Optional(Type.Enum(['open', 'all'])),
  },
  { additionalProperties: false },
);
