import { Type } from 'typebox';

/** Why somebody does something; noted in the audit log. */
export const reason = Type.String({ minLength: 1, maxLength: 500, pattern: String.raw`\S` });

/** The body of a request that gives nothing else. */
export const onlyReason = Type.Object({ reason }, { additionalProperties: false });
