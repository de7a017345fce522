import { pino } from 'pino';
import { systemClock } from '../src/platform/base/clock.ts';
import { createApi, operationDeps, operationsOf, resourcesOf } from '../src/api.ts';
import type { ApiOptions } from '../src/api.ts';
import type { AnyOperation } from '../src/platform/http/operation.ts';
import type { AnyResource } from '../src/platform/http/resource.ts';

/**
 * The API with its default paths and without dependencies, from which the routes can be read without a
 * database or a listener. Every dependency throws when it is used.
 * @param parts dependencies that are real.
 */
export async function createInertApi(
  parts: Partial<ApiOptions> = {},
): ReturnType<typeof createApi> {
  return await createApi({ ...inertOptions(), ...parts });
}

/** Every operation, with its default path. */
export function inertOperations(): AnyOperation[] {
  return operationsOf(operationDeps(inertOptions()));
}

/** Every operation of the self-service API, with its default path. */
export function inertResources(): AnyResource[] {
  return resourcesOf(operationDeps(inertOptions()));
}

function inertOptions(): ApiOptions {
  return {
    config: {
      mode: 'sandbox',
      roles: new Set(['api']),
      basePath: '',
      billingPath: '',
      creditContact: '',
      scoringPath: '',
      consolePath: '/console',
      publicUrl: 'http://127.0.0.1',
      consoleReadOnly: false,
      consoleReadsPerSecond: 0,
      selfServiceRequestsPerSecond: 0,
      consoleChangesPerSecond: 0,
      timeZone: 'Africa/Nairobi',
      fundWindowSeconds: 0,
      trustedProxies: [],
      variables: [],
    },
    servesMetrics: true,
    log: pino({ level: 'silent' }),
    metrics: { noteAnswer: () => undefined, render: unused('metrics'), contentType: 'text/plain' },
    readiness: inert('readiness') as ApiOptions['readiness'],
    pool: inert('pool') as ApiOptions['pool'],
    consolePool: inert('consolePool') as ApiOptions['consolePool'],
    staffPool: inert('staffPool') as ApiOptions['staffPool'],
    background: inert('background') as ApiOptions['background'],
    schema: inert('schema') as ApiOptions['schema'],
    selfServicePool: inert('selfServicePool') as ApiOptions['selfServicePool'],
    // Keys are derived from it at the start.
    masterKeys: { current: Buffer.alloc(32), previous: undefined },
    ledgerMac: inert('ledgerMac') as ApiOptions['ledgerMac'],
    wireTime: inert('wireTime') as ApiOptions['wireTime'],
    // For the time since which the process has run.
    clock: systemClock,
    directory: inert('directory') as ApiOptions['directory'],
    nonces: inert('nonces') as ApiOptions['nonces'],
    limits: inert('limits') as ApiOptions['limits'],
    explainsSignatures: false,
    catalogue: inert('catalogue') as ApiOptions['catalogue'],
    connectorOf: unused('connectorOf'),
    witnessOf: unused('witnessOf'),
    verifyNow: unused('verifyNow'),
    capacity: inert('capacity') as ApiOptions['capacity'],
    create: unused('create'),
    balances: inert('balances') as ApiOptions['balances'],
    statuses: inert('statuses') as ApiOptions['statuses'],
    bulkBatches: inert('bulkBatches') as ApiOptions['bulkBatches'],
    enquiryService: undefined,
    scoreBatches: undefined,
    reports: undefined,
    callbackReceiver: inert('callbackReceiver') as ApiOptions['callbackReceiver'],
    receipts: undefined,
  };
}

function unused(name: string): () => never {
  return () => {
    throw new Error(`${name} is used while the reference is generated`);
  };
}

function inert(name: string): object {
  return new Proxy({}, { get: unused(name) });
}
