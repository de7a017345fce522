import { VARIABLES } from './environment.ts';
import { DEMO_KEYS, signatureOfExample } from './parties/http/demo-signers.ts';
import { CREATE_EXAMPLE } from './payments/operations/create-payment.ts';
import { openApiDocument } from './platform/http/openapi.ts';
import type { Contract } from './platform/http/openapi.ts';

/** The published contract. */
export function contractDocument(
  contract: Contract,
  { isSandbox }: { readonly isSandbox: boolean },
): object {
  return openApiDocument(contract, {
    title: 'Malipo',
    version: '2.0.0',
    description: introduction({ isSandbox }),
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    tags: [
      { name: 'Funding', description: 'From collected income to the float.' },
      { name: 'Billing', description: 'Billers and payments.' },
      { name: 'Scoring', description: 'Credit information about a customer.' },
      {
        name: 'Self-service',
        description:
          'What you can read and change by program: lists, statement, events, webhook, keys. JSON; signed by header only.',
      },
    ],
  });
}

/**
 * The introduction of the reference page. Demo vendors and their keys exist only in the sandbox.
 */
function introduction({ isSandbox }: { readonly isSandbox: boolean }): string {
  return `Malipo pays bills and airtime for vendors. The money collected for a vendor is its *collected income*. **Fund** moves all of it into the *float*. **Create** reserves a payment’s amount from the float and queues the payment. **Status** returns its result. If a payment fails, its amount goes back to the float. Further operations return credit information about a customer.

${isSandbox ? trySandbox() : ''}## The signature

Every operation with a \`hash\` is signed:

1. Write each parameter you send as \`name=value\`. Leave out \`hash\` itself and parameters whose value is null. Keep empty values: \`phone=\`.
2. Sort them by name in ASCII order.
3. Join them with \`&\`. Do not URL-encode anything.
4. \`hash\` is the HMAC-SHA-256 of that text (UTF-8) with your security key, in hexadecimal.

${isSandbox ? workedExample() : ''}Values are signed exactly as they are sent: \`100\` and \`100.00\` have different signatures.

## Sending parameters

A request is a flat list of names and text values, each name once, all in one place: the query string, \`application/x-www-form-urlencoded\`, \`multipart/form-data\` (no files) or \`application/json\` (one flat object). Every operation accepts all four, except uploads of files and the operations below \`/v1\`. With the same exceptions, operations shown as GET also accept POST, and read a body with either method.

In JSON a number is read as written, but many libraries write \`100.00\` as \`100\`: send amounts as text. Unknown parameters are refused; only unsigned operations ignore them. No value may contain \`&\` followed by the parameter name of any operation and \`=\`. Send bodies without \`Content-Encoding\`.

## Responses

A success has HTTP status 200 and \`header_status\` 200, and never the key \`error\`. Ignore fields you do not know; new ones may be added. Times are \`YYYY-MM-DD HH:MM:SS\` in the service’s time zone, ${VARIABLES.TIME_ZONE.default} unless configured otherwise.

Every error has an HTTP status other than 200, equal to its \`header_status\`, and the same form of body. \`error[0].code\` is for programs and never changes its meaning, \`text\` is for people, and \`field\` names the parameter that caused the error. After a 5xx, a timeout or a dropped connection, repeat the create with the same \`merchant_reference\`: it is paid only once.

## Self-service

Operations below \`/v1\` are signed with the header \`X-Signature\` alone, which covers the whole request; \`vid\` is always in the query string. A body is one JSON object. Amounts are texts of integer cents, times are ISO 8601. A success has HTTP status 200. Every error has the body \`{"error": {"code", "text", "field", "request_id"}}\`.

## Versions

A change is incompatible only if it removes a field that is always present, or changes an existing one. Such a change needs a new major version. New fields may be added without notice.
`;
}

function trySandbox(): string {
  return `## Try it

The sandbox (\`npm start\`) has these vendors, with KES 100,000.00 of collected income each:

| \`vid\` | Security key |
|---|---|
| \`demo\` | \`${DEMO_KEYS.demo}\` |
| \`demo2\` | \`${DEMO_KEYS.demo2}\` |

The collector \`demo-collector\` has the key \`${DEMO_KEYS['demo-collector']}\`. The last four digits of \`account\` decide what the simulated operator does: 9901 pays, 9902 declines, 9903 pays and never answers, and so on. One person in the synthetic credit registry is Amani Baraka Wanjiru, with the \`nationalID\` 900000001.

**Send**, on the page \`/docs/api\`, signs for you, with the demo vendors’ keys or with the key you enter under *Who signs*. The key does not leave the browser. If an operation needs another one first, the page sends that one too: fund before create, create before status.

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
