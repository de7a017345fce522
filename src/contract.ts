import { DEMO_KEYS, signatureOfExample } from './parties/http/demo-signers.ts';
import { CREATE_EXAMPLE } from './payments/operations/create-payment.ts';
import { openApiDocument } from './platform/http/openapi.ts';
import type { AnyOperation } from './platform/http/operation.ts';

/** The published contract. */
export function contractDocument(
  operations: readonly AnyOperation[],
  { isSandbox }: { readonly isSandbox: boolean },
): object {
  return openApiDocument(operations, {
    title: 'Malipo',
    version: '2.0.0',
    description: introduction({ isSandbox }),
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    tags: [
      { name: 'Funding', description: 'From collected income to the float.' },
      { name: 'Billing', description: 'Billers and payments.' },
      { name: 'Scoring', description: 'Credit information about a customer.' },
    ],
  });
}

/**
 * What the reference page says before the operations. Demo vendors and their keys are the sandbox's
 * only.
 */
function introduction({ isSandbox }: { readonly isSandbox: boolean }): string {
  return `Malipo pays bills and airtime for vendors. What was collected for a vendor lies in its *collected income*; **fund** moves all of it into the *float*; **create** takes a payment from the float and queues it; **status** tells how it ended. A payment that fails puts its amount back into the float. Three further operations return credit information about a customer.

${isSandbox ? trySandbox() : ''}## The signature

Every operation with a \`hash\` is signed:

1. Take each parameter you send as \`name=value\`, but not \`hash\` itself and none whose value is null. Empty text counts: \`phone=\`.
2. Order them by name in ASCII order.
3. Join them with \`&\`. Do not URL-encode anything.
4. \`hash\` is the HMAC-SHA-256 of that text (UTF-8), keyed with your security key, as hexadecimal digits.

${isSandbox ? workedExample() : ''}Values are signed exactly as they are sent: \`100\` and \`100.00\` sign differently.

## Sending parameters

A request is a flat list of names and texts, each name once, all of them in one place: the query string, \`application/x-www-form-urlencoded\`, \`multipart/form-data\` (no files) or \`application/json\` (one flat object). Every operation takes all four; those shown as GET answer POST as well, and read a body with GET too. In JSON a number is taken as it is written, but many libraries write \`100.00\` as \`100\`: send amounts as text. A name that the operation does not know is refused; only the two operations without a signature ignore it. No value may contain \`&\`, the name of a parameter of any operation, and \`=\`. Bodies are sent without \`Content-Encoding\`.

## Answers

A success has HTTP status 200 and \`header_status\` 200, and never a key \`error\`. New fields may come: ignore those you do not know. Times are \`YYYY-MM-DD HH:MM:SS\` in the service’s time zone, Africa/Nairobi unless configured otherwise.

A refusal, of whatever kind, has an HTTP status other than 200, equal to its \`header_status\`, and one body: \`error[0].code\` is for programs and keeps its meaning for ever, \`text\` is for people, \`field\` names the parameter at fault. After a 5xx, a time-out or a cut connection repeat the create with the same \`merchant_reference\`: it is paid once.

## Versions

Only the removal of a field that is always there, or the alteration of an existing one, is an incompatible change; it comes with a new major version. Added fields are not announced.
`;
}

function trySandbox(): string {
  return `## Try it

On the sandbox (\`npm start\`) these vendors are ready, with KES 100,000.00 of collected income each:

| \`vid\` | Security key |
|---|---|
| \`demo\` | \`${DEMO_KEYS.demo}\` |
| \`demo2\` | \`${DEMO_KEYS.demo2}\` |

The collector \`demo-collector\` has the key \`${DEMO_KEYS['demo-collector']}\`. The last four digits of \`account\` decide what the simulated operator does: 9901 pays, 9902 declines, 9903 pays and never answers, … Among the customers of the synthetic credit registry is Amani Baraka Wanjiru with the \`nationalID\` 900000001.

**Send**, on the page \`/docs\`, signs for you: with the demo vendors' keys, or with the key that you enter under *Who signs*. The key does not leave the browser. What an operation needs is sent before it: fund before create, create before status.

`;
}

/** Computed, so that it cannot be wrong. */
function workedExample(): string {
  const { text, hash, key } = signatureOfExample(CREATE_EXAMPLE, CREATE_EXAMPLE.vid);
  return `Worked example, with the key \`${key}\`:

\`\`\`text
${text}
\`\`\`

\`\`\`text
${hash}
\`\`\`

`;
}
