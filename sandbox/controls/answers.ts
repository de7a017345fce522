import { Type } from 'typebox';
import { Refusal } from '../../src/platform/base/errors.ts';
import type { AnyResource } from '../../src/platform/http/resource.ts';
import { nullable } from '../../src/platform/http/schemas.ts';
import { control } from './control.ts';
import type { ControlDeps } from './control.ts';
import { ANSWERS } from './faults.ts';
import type { Fault } from './faults.ts';

const MAX_REQUESTS = 10_000;
const MAX_SECONDS = 3_600;

export const answers = nullable(
  Type.Object({
    answer: Type.String(),
    requests: nullable(Type.Integer()),
    until: nullable(Type.String()),
  }),
);

export function answersView(fault: Fault | undefined) {
  if (fault === undefined) return null;
  const { answer, requests, until } = fault;
  return { answer, requests, until: until?.toISOString() ?? null };
}

const upTo = (maximum: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum, form: `a whole number from 1 to ${maximum}` }));

export function setAnswers(deps: ControlDeps): AnyResource {
  return control(deps, {
    name: 'sandboxAnswers',
    method: 'POST',
    path: '/answers',
    body: Type.Object(
      {
        answer: Type.Enum([...ANSWERS], { form: `one of ${ANSWERS.join(', ')}` }),
        requests: upTo(MAX_REQUESTS),
        seconds: upTo(MAX_SECONDS),
      },
      { additionalProperties: false },
    ),
    response: Type.Object({ answers }),
    handle: ({ body: { answer, requests, seconds } }, { signer: { vendorId } }) => {
      if (requests !== undefined && seconds !== undefined) {
        const text = 'Send either requests or seconds';
        throw new Refusal('invalid_field', { field: 'seconds', text });
      }
      deps.faults.set(
        vendorId,
        seconds === undefined
          ? { answer, requests: requests ?? 1, until: null }
          : { answer, requests: null, until: new Date(Date.now() + seconds * 1_000) },
      );
      return { answers: answersView(deps.faults.of(vendorId)) };
    },
  });
}

export function endAnswers(deps: ControlDeps): AnyResource {
  return control(deps, {
    name: 'sandboxEndAnswers',
    method: 'DELETE',
    path: '/answers',
    response: Type.Object({ answers }),
    handle: (_asked, { signer: { vendorId } }) => {
      deps.faults.end(vendorId);
      return { answers: null };
    },
  });
}
