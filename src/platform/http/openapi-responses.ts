import { ERRORS, Refusal } from '../base/errors.ts';
import type { ErrorCode } from '../base/errors.ts';
import { refusalBody } from './errors.ts';
import type { AnyOperation, RefusalForm } from './operation.ts';
import { COMMON_REFUSALS, codesOf, refusalsOf } from './refusals.ts';
import type { AnyResource } from './resource.ts';
import { COMMON_RESOURCE_REFUSALS, RESOURCE_REFUSALS_FORM } from './resource-refusals.ts';
import type { Refusals } from './refusals.ts';

type Json = Readonly<Record<string, unknown>>;

/** Named parts that the document's operations refer to. */
export interface Components {
  readonly schemas: Map<string, unknown>;
  readonly responses: Map<string, Json>;
}

const REQUEST_ID = '7477dc19-0156-4574-8899-9abe564c620f';

const USUAL_SCHEMA = 'Refusal';

/** Responses for refusals that every operation, or every resource, shares, by the response's name. */
export function commonRefusalResponses(): [string, Json][] {
  return [
    [USUAL_SCHEMA, refusalResponse(COMMON_REFUSALS, undefined)],
    [
      schemaNameOf(RESOURCE_REFUSALS_FORM),
      refusalResponse(COMMON_RESOURCE_REFUSALS, RESOURCE_REFUSALS_FORM),
    ],
  ];
}

/** Names the schema of the body. The response with the common refusals has the same name. */
function schemaNameOf(form: RefusalForm | undefined): string {
  return form?.body?.schemaName ?? USUAL_SCHEMA;
}

/**
 * `{status: response}` for the refusals of one operation. The responses themselves are named in
 * `components`, because most operations share them.
 */
export function refusalResponses(
  operation: AnyOperation | AnyResource,
  components: Components['responses'],
): Json {
  const { refusalForm: form } = operation;
  const byStatus = Object.groupBy(Object.entries(refusalsOf(operation)), ([code]) =>
    String(ERRORS[code as ErrorCode].status),
  );
  const responses = Object.entries(byStatus).map(([status, entries = []]) => {
    const refusals: Refusals = Object.fromEntries(entries);
    const name = componentName(refusals, form);
    const response = refusalResponse(refusals, form);
    const known = components.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(response)) {
      throw new Error(`${operation.name} declares ${name} with another example than others`);
    }
    components.set(name, response);
    return [status, { $ref: `#/components/responses/${name}` }] as const;
  });
  return {
    ...Object.fromEntries(responses),
    default: { $ref: `#/components/responses/${schemaNameOf(form)}` },
  };
}

function componentName(refusals: Refusals, form: RefusalForm | undefined): string {
  const words = codesOf(refusals).map((code) => code.replaceAll('_', '-'));
  return form === undefined ? words.join('.') : [form.name, ...words].join('.');
}

/** One response for all the codes, with an example for each. */
function refusalResponse(refusals: Refusals, form: RefusalForm | undefined): Json {
  const codes = codesOf(refusals);
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].when}`).join('\n\n'),
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${schemaNameOf(form)}` },
        examples: Object.fromEntries(
          codes.map((code) => {
            const refusal = new Refusal(code, refusals[code]);
            return [
              code,
              {
                summary: ERRORS[code].text,
                value: refusalBody(refusal, { requestId: REQUEST_ID, form }),
              },
            ];
          }),
        ),
      },
    },
  };
}
