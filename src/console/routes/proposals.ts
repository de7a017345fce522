import { Type } from 'typebox';

/** The id of a proposal, whose content never changes: who approves it approves what was shown. */
export const proposalId = Type.String({
  pattern: String.raw`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`,
});

/** Text that is stored and shown, without control characters. */
export const shortText = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: String.raw`^\P{C}+$`,
});

export const stateQuery = Type.Object(
  {
    /** `open`: only those that wait for another person. */
    state: Type.Optional(Type.Enum(['open', 'all'])),
  },
  { additionalProperties: false },
);
