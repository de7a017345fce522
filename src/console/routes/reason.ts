import { Type } from 'typebox';

/** Why somebody does something; noted in the audit log. In lines, without characters that nobody sees. */
export const reason = Type.String({
  maxLength: 500,
  pattern: String.raw`^[\n\P{C}]*[^\p{C}\s][\n\P{C}]*$`,
});

/** The body of a request that gives nothing else. */
export const onlyReason = Type.Object({ reason }, { additionalProperties: false });
