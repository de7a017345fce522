import { createSecretKey } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInertApi, inertOperations } from '../../scripts/inert-api.ts';
import { canonicalText } from '../../src/platform/base/canonical.ts';
import type { Fields } from '../../src/platform/base/canonical.ts';
import { Refusal } from '../../src/platform/base/errors.ts';
import type { ApiOptions } from '../../src/api.ts';
import { KnownNames } from '../../src/platform/http/wire/parameters.ts';
import type { Parameters } from '../../src/platform/http/wire/parameters.ts';
import { readFields } from '../../src/platform/http/wire/request.ts';
import { sign, verify } from '../../src/parties/signature.ts';
import { CONTRACT_OPERATIONS } from '../support/contract-operations.ts';
import type { ContractOperation } from '../support/contract-operations.ts';
import { encode } from '../support/vendor-client.ts';

/** `raw` is the un-encoded form. */
const FORMS = ['query', 'json', 'urlencoded', 'raw', 'multipart'] as const;
const SIGNED = CONTRACT_OPERATIONS.filter(({ isSigned }) => isSigned);
const key = createSecretKey(Buffer.from('demo-security-key'));

type Pairs = readonly (readonly [name: string, value: string])[];

/** How the service reads a body: the parameters that were signed, or undefined, or a refusal. */
async function verifiedFields(pairs: Pairs, form: (typeof FORMS)[number], parameters: Parameters) {
  const { path, headers, body } = encode('/', Object.fromEntries(pairs), form);
  const wire = {
    contentType: headers?.['content-type'],
    body: body === undefined ? undefined : Buffer.from(body),
    query: path.slice(2),
  };
  return verify(await readFields(wire, parameters), () => ({ keys: [key] }))?.fields;
}

/** Every meaning that the operation accepts under the one signature, over all body forms. */
async function acceptedMeanings(pairs: Pairs, parameters: Parameters): Promise<Set<string>> {
  const hash = sign(canonicalText(new Map(pairs)), key);
  const meanings = new Set<string>();
  for (const form of FORMS) {
    try {
      const fields = await verifiedFields([...pairs, ['hash', hash]], form, parameters);
      if (fields !== undefined) meanings.add(meaningOf(fields));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return meanings;
}

/** A value as customers type it, without `&name=`, which `twoMeanings` adds. */
const plainValue = fc.oneof(
  fc.constantFrom('', '1', '5000', 'x', 'KES', 'Moi & Sons', 'a+b', '100%', '%41', 'a=b', 'é'),
  fc.stringMatching(/^[a-z0-9 ]{0,6}$/),
);

/** As a text to compare; names are unique. */
function meaningOf(fields: Fields): string {
  return JSON.stringify([...fields].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

interface TwoMeanings {
  readonly first: Pairs;
  readonly second: Pairs;
}

/**
 * Two lists of parameters with one signed text: names of both operations, merged at random. Names
 * that both lists have start a parameter for both operations; a name that only one list has starts
 * a parameter for its operation and is part of a value for the other.
 */
function twoMeanings(a: ContractOperation, b: ContractOperation): fc.Arbitrary<TwoMeanings> {
  const inBoth = a.names.filter((name) => b.names.includes(name));
  return fc
    .constantFrom(...inBoth)
    .chain((start) => {
      const later = (names: readonly string[]): string[] => names.filter((name) => name > start);
      return fc.record({
        shared: fc.subarray(later(inBoth)).map((names) => [start, ...names]),
        ours: fc.subarray(later(a.names.filter((name) => !inBoth.includes(name)))),
        theirs: fc.subarray(later(b.names.filter((name) => !inBoth.includes(name)))),
        order: fc.infiniteStream(fc.boolean()),
        values: fc.infiniteStream(plainValue),
      });
    })
    .map(({ shared, ours, theirs, order, values }) => {
      const segments = merge(
        [...shared, ...ours].toSorted(),
        [...shared, ...theirs].toSorted(),
        () => Boolean(order.next().value),
      ).map((name) => ({ name, text: `${name}=${values.next().value}` }));
      const split = (own: readonly string[]): Pairs => {
        const texts: string[] = [];
        for (const { name, text } of segments) {
          if (own.includes(name)) texts.push(text);
          else texts.push(`${texts.pop()}&${text}`);
        }
        return texts.map((text) => {
          const equals = text.indexOf('=');
          return [text.slice(0, equals), text.slice(equals + 1)] as const;
        });
      };
      return { first: split([...shared, ...ours]), second: split([...shared, ...theirs]) };
    });
}

/** Both lists in one that keeps the order of each; common names occur once. */
function merge(
  left: readonly string[],
  right: readonly string[],
  takeLeft: () => boolean,
): readonly string[] {
  const [ours, theirs] = [left[0], right[0]];
  if (ours === undefined || theirs === undefined) return [...left, ...right];
  if (ours === theirs) return [ours, ...merge(left.slice(1), right.slice(1), takeLeft)];
  const isOurs = right.includes(ours) ? false : left.includes(theirs) ? true : takeLeft();
  return isOurs
    ? [ours, ...merge(left.slice(1), right, takeLeft)]
    : [theirs, ...merge(left, right.slice(1), takeLeft)];
}

/** Of all ordered pairs of operations those for which one signature was good for two requests. */
async function findForgeablePairs(
  parametersOf: ReadonlyMap<string, Parameters>,
  numRuns: number,
): Promise<{ readonly pairs: string[]; readonly texts: number }> {
  const found = new Set<string>();
  let texts = 0;
  for (const a of SIGNED) {
    for (const b of SIGNED.filter(({ id }) => id !== a.id)) {
      await fc.assert(
        fc.asyncProperty(twoMeanings(a, b), async ({ first, second }) => {
          expect(canonicalText(new Map(first))).toBe(canonicalText(new Map(second)));
          texts += 1;
          const ours = await acceptedMeanings(first, parametersOf.get(a.id) as Parameters);
          if (ours.size === 0) return;
          const theirs = await acceptedMeanings(second, parametersOf.get(b.id) as Parameters);
          if (theirs.size > 0 && new Set([...ours, ...theirs]).size > 1) {
            found.add(`${a.id} → ${b.id}`);
          }
        }),
        { numRuns },
      );
    }
  }
  return { pairs: [...found], texts };
}

describe('one signature is never good for two requests', () => {
  it('no signature is good for requests of two operations, in any body form', async () => {
    const known = new KnownNames();
    const all = new Map(SIGNED.map(({ id, names }) => [id, known.signed(names)]));
    const { pairs, texts } = await findForgeablePairs(all, 40);
    expect(pairs).toEqual([]);
    expect(texts).toBe(SIGNED.length * (SIGNED.length - 1) * 40);
  }, 120_000);

  it('requests stay distinct only because values may not contain names of any operation', async () => {
    // As if each operation knew only its own names.
    const alone = new Map(SIGNED.map(({ id, names }) => [id, new KnownNames().signed(names)]));
    const { pairs } = await findForgeablePairs(alone, 60);
    expect(pairs).toContain('validateAccount → createTransaction');
    expect(pairs).toContain('bulkStatus → bulkCreate');
    expect(pairs.length).toBeGreaterThan(10);
  }, 120_000);
});

describe('an unknown parameter', () => {
  const otherNames = [...new Set(CONTRACT_OPERATIONS.flatMap(({ names }) => names))];
  const anyName = fc.oneof(
    fc.constantFrom(...otherNames, 'utm_source', '_', 'time2', 'x.y', 'a[]', 'a b', 'é', ''),
    fc.stringMatching(/^[A-Za-z_ .:;/[\]-]{1,8}$/),
  );

  it.each(SIGNED)(
    'unknown parameters of $id never become part of a value, no matter who signed it',
    async (operation) => {
      const parameters = new KnownNames().signed(operation.names);
      const params = fc
        .subarray([...operation.names], { minLength: 1 })
        .chain((names) =>
          fc.tuple(...names.map((name) => fc.tuple(fc.constant(name), plainValue))),
        );
      const request = fc.record({
        pairs: params,
        extra: fc.tuple(anyName, plainValue),
        location: fc.nat(),
        extraIsSigned: fc.boolean(),
        form: fc.constantFrom(...FORMS),
      });
      await fc.assert(
        fc.asyncProperty(request, async ({ pairs, extra, location, extraIsSigned, form }) => {
          fc.pre(!operation.names.includes(extra[0]));
          const at = location % (pairs.length + 1);
          const more = [...pairs.slice(0, at), extra, ...pairs.slice(at)];
          const hash = sign(canonicalText(new Map(extraIsSigned ? more : pairs)), key);
          await expect(
            verifiedFields([...more, ['hash', hash]], form, parameters),
          ).rejects.toMatchObject({ code: 'unknown_field' });
        }),
        { numRuns: 150 },
      );
    },
  );
});

describe('the very same parameters', () => {
  const samples = new Map(
    inertOperations().flatMap(({ example }) => Object.entries<string>(example.request)),
  );
  const takes = ({ names, required, patterns }: ContractOperation, given: Pairs): boolean =>
    [...required].every((name) => given.some(([own]) => own === name)) &&
    given.every(([name, value]) => names.includes(name) && patterns.get(name)?.test(value));

  /** Each is listed with its consequence in docs/operating/security.md. */
  const LISTED = [
    // The status operation then refuses, because it needs one of the references.
    'balance + transactionStatus',
    'batchScoreResult + batchScoreStatus',
    'bulkResult + bulkStatus',
    'genericScore + mobileLoanScore',
  ];

  it('the same signed parameters are good for two operations in the listed pairs only', () => {
    const found = new Set<string>();
    for (const a of SIGNED) {
      for (const b of SIGNED.filter(({ id }) => id > a.id)) {
        const common = a.names.filter((name) => b.names.includes(name));
        const given = fc.subarray(common).map((names) =>
          [...new Set([...names, ...a.required])].map((name) => {
            return [name, samples.get(name) ?? '1'] as const;
          }),
        );
        fc.assert(
          fc.property(given, (pairs) => {
            if (takes(a, pairs) && takes(b, pairs)) found.add(`${a.id} + ${b.id}`);
          }),
        );
      }
    }
    expect([...found].toSorted()).toEqual(LISTED);
  });
});

describe('the service', () => {
  let api: Awaited<ReturnType<typeof createInertApi>>;
  beforeAll(async () => {
    // No vendor is known, so a form without any valid reading is answered with its refusal.
    const nobody = { vendor: () => undefined, collector: () => undefined };
    api = await createInertApi({
      directory: nobody as unknown as ApiOptions['directory'],
      limits: { forStranger: () => undefined } as unknown as ApiOptions['limits'],
    });
  });
  afterAll(async () => await api.close());

  it.each(CONTRACT_OPERATIONS)(
    '$id refuses a value with the name of any parameter of any operation',
    async ({ path, names, takesFile }) => {
      const [field = ''] = names;
      for (const name of [
        ...new Set(CONTRACT_OPERATIONS.flatMap((other) => other.names)),
        'hash',
      ]) {
        const params = { [field]: `1&${name}=2` };
        const answer = await api.inject({
          method: 'POST',
          url: takesFile ? `${path}?${new URLSearchParams(params).toString()}` : path,
          ...(takesFile ? {} : { payload: params }),
        });
        expect([name, answer.json<{ error: unknown[] }>().error[0]]).toMatchObject([
          name,
          { code: 'ambiguous_value', field },
        ]);
      }
    },
  );
});
