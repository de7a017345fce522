import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import { createNetworks } from '../networks.ts';
import type { AtClosing } from './lifecycle.ts';
import { networkOf } from './rate-limits.ts';

/** Limits of requests and connections that one process accepts at once, in total and per client address. */
export interface AdmissionLimits {
  /** Requests received and not answered. */
  readonly requestsUnderWay: number;
  /** Limit of `requestsUnderWay` per address; 0: no limit. */
  readonly requestsPerAddress: number;
  /** Requests whose body has not arrived. */
  readonly unfinishedRequests: number;
  /** Limit of `unfinishedRequests` per address; 0: no limit. */
  readonly unfinishedPerAddress: number;
  readonly connections: number;
  /** Limit of `connections` per address; 0: no limit. */
  readonly connectionsPerAddress: number;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set for monitoring: only `LIMITS.watchersWaiting` applies. */
    alwaysServed?: boolean;
  }
  interface FastifyRequest {
    isAlwaysServed: boolean;
    /** Set while the body is arriving. */
    unfinished: Unfinished | undefined;
    /** Set while the request counts as under way. */
    underWayFrom: Client | undefined;
  }
}

/** A request whose body has not arrived, and how to take it off the list. */
export interface Unfinished {
  readonly address: string;
  readonly refuse: () => void;
  /** Also for an authenticated request: it no longer takes a slot from others. */
  readonly leave: () => void;
}

/** A client address as the limits see it. */
interface Client {
  /** The network that requests of this client count towards. */
  readonly network: string;
  /** False for an address of many clients. */
  readonly isCounted: boolean;
}

/**
 * Refuses requests beyond the limits. Only requests that have arrived completely count. A request
 * whose body is still to come costs its sender nothing, so each address may have a few, and a new
 * one replaces the oldest: honest bodies arrive at once, and those of an attack only replace each
 * other.
 */
export function limitRequests(
  app: FastifyInstance,
  limits: AdmissionLimits,
  isUncounted: IsUncounted,
  atClosing: AtClosing,
): void {
  const unfinished = new OldestFirst({
    max: limits.unfinishedRequests,
    maxPerAddress: limits.unfinishedPerAddress,
  });
  const shares = new Shares(limits.requestsPerAddress);
  const watchers = new OldestFirst({ max: LIMITS.watchersWaiting, maxPerAddress: 0 });
  const clientAt = createClients(isUncounted);
  let underWay = 0;
  app.decorateRequest('isAlwaysServed', false);
  app.decorateRequest('unfinished', undefined);
  app.decorateRequest('underWayFrom', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    const { network: address } = clientAt(request.ip);
    request.isAlwaysServed = request.routeConfig.alwaysServed === true;
    if (request.isAlwaysServed) admitWatcher(request, reply, { watchers, address });
    else if (hasBody(request)) admitUnfinished(request, reply, { unfinished, address });
    done();
  });
  atClosing((request) => {
    request.unfinished?.leave();
    const client = request.underWayFrom;
    if (client === undefined) return;
    request.underWayFrom = undefined;
    underWay -= 1;
    shares.give(client);
  });
  app.addHook('preValidation', (request, reply, done) => {
    request.unfinished?.leave();
    // It was refused meanwhile, or its client has disconnected.
    if (request.isAlwaysServed || reply.sent || isGone(request, reply)) {
      done();
      return;
    }
    const client = clientAt(request.ip);
    if (underWay >= limits.requestsUnderWay || !shares.take(client)) {
      done(tooMany());
      return;
    }
    underWay += 1;
    request.underWayFrom = client;
    done();
  });
  app.addHook('preClose', (done) => {
    unfinished.refuseAll();
    done();
  });
}

function admitUnfinished(
  request: FastifyRequest,
  reply: FastifyReply,
  { unfinished, address }: { readonly unfinished: OldestFirst; readonly address: string },
): void {
  request.unfinished = new Arriving(address, reply, unfinished);
  unfinished.add(request.unfinished);
}

/** A class, so that a request makes one object and not two functions as well. */
class Arriving implements Unfinished {
  readonly address: string;
  readonly #reply: FastifyReply;
  readonly #list: OldestFirst;

  constructor(address: string, reply: FastifyReply, list: OldestFirst) {
    this.address = address;
    this.#reply = reply;
    this.#list = list;
  }

  refuse(): void {
    if (!this.#reply.sent) void this.#reply.header('connection', 'close').send(tooMany());
  }

  leave(): void {
    this.#list.delete(this);
  }
}

/** Among requests that are always served, the one that has waited longest is dropped. */
function admitWatcher(
  request: FastifyRequest,
  reply: FastifyReply,
  { watchers, address }: { readonly watchers: OldestFirst; readonly address: string },
): void {
  const { socket } = request.raw;
  const entry: Unfinished = {
    address,
    refuse: () => socket.destroy(),
    leave: () => watchers.delete(entry),
  };
  watchers.add(entry);
  reply.raw.once('close', entry.leave);
}

/**
 * Remembers what it found out about an address: looking it up costs more than all else that
 * admission does for a request.
 */
function createClients(isUncounted: IsUncounted): (address: string | undefined) => Client {
  const known = new Map<string, Client>();
  return (address) => {
    // The connection has ended already.
    if (address === undefined) return { network: '', isCounted: false };
    let client = known.get(address);
    if (client === undefined) {
      client = { network: networkOf(address), isCounted: !isUncounted(address) };
      if (known.size >= LIMITS.limitedNames) known.clear();
      known.set(address, client);
    }
    return client;
  };
}

/** A pipelined answer that waits for its turn gets no `close` event, so look at the socket too. */
function isGone(request: FastifyRequest, reply: FastifyReply): boolean {
  return reply.raw.closed || request.raw.socket.destroyed;
}

function hasBody({ headers }: FastifyRequest): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers;
  return length !== '0' || encoding !== undefined;
}

function tooMany(): Refusal {
  return new Refusal('overloaded', { retryAfterSeconds: 1 });
}

/** Closes connections beyond the limits at once. */
export function limitConnections(
  app: FastifyInstance,
  limits: AdmissionLimits,
  isUncounted: IsUncounted,
): void {
  const shares = new Shares(limits.connectionsPerAddress);
  const clientAt = createClients(isUncounted);
  app.server.maxConnections = limits.connections;
  app.server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    // It has ended already.
    if (remoteAddress === undefined) return;
    const client = clientAt(remoteAddress);
    if (shares.take(client)) socket.once('close', () => shares.give(client));
    else socket.destroy();
  });
}

/**
 * Addresses that stand for many clients, or for the machine itself: trusted proxies, and loopback,
 * where only a proxy or the administrator connects from.
 */
export function uncountedAddresses(trustedProxies: readonly string[]): IsUncounted {
  return createNetworks(['127.0.0.0/8', '::1', ...trustedProxies]);
}

type IsUncounted = (address: string) => boolean;

/** Counts something per client, up to a maximum. */
class Shares {
  readonly #max: number;
  readonly #counts = new Map<string, number>();

  /** @param most 0: no limit. */
  constructor(max: number) {
    this.#max = max === 0 ? Number.POSITIVE_INFINITY : max;
  }

  /** False if the client has reached its limit. */
  take({ network, isCounted }: Client): boolean {
    if (!isCounted) return true;
    const count = this.#counts.get(network) ?? 0;
    if (count >= this.#max) return false;
    this.#counts.set(network, count + 1);
    return true;
  }

  give({ network, isCounted }: Client): void {
    if (!isCounted) return;
    const count = this.#counts.get(network) ?? 0;
    if (count > 1) this.#counts.set(network, count - 1);
    else this.#counts.delete(network);
  }
}

/**
 * A bounded number of unfinished requests, in total and per address; a new one replaces the oldest.
 */
export class OldestFirst {
  readonly #limits: { readonly max: number; readonly maxPerAddress: number };
  readonly #all = new Set<Unfinished>();
  readonly #byAddress = new Map<string, Set<Unfinished>>();

  /** @param limits `maxPerAddress` 0: no limit. */
  constructor(limits: { readonly max: number; readonly maxPerAddress: number }) {
    this.#limits = limits;
  }

  /** If there is no room, refuses the oldest one: of the address, otherwise of all. */
  add(entry: Unfinished): void {
    const { max, maxPerAddress } = this.#limits;
    const own = maxPerAddress === 0 ? undefined : this.#entriesOf(entry.address);
    if (own !== undefined && own.size >= maxPerAddress) this.#refuseFirst(own);
    else if (this.#all.size >= max) this.#refuseFirst(this.#all);
    this.#all.add(entry);
    own?.add(entry);
  }

  delete(entry: Unfinished): void {
    this.#all.delete(entry);
    this.#byAddress.get(entry.address)?.delete(entry);
  }

  refuseAll(): void {
    while (this.#all.size > 0) this.#refuseFirst(this.#all);
  }

  /** An emptied set stays for the next request of its address. */
  #entriesOf(address: string): Set<Unfinished> {
    let own = this.#byAddress.get(address);
    if (own === undefined) {
      if (this.#byAddress.size >= LIMITS.limitedNames) this.#forgetEmpty();
      own = new Set();
      this.#byAddress.set(address, own);
    }
    return own;
  }

  #forgetEmpty(): void {
    for (const [address, { size }] of this.#byAddress) {
      if (size === 0) this.#byAddress.delete(address);
    }
  }

  #refuseFirst([first]: Iterable<Unfinished>): void {
    if (first === undefined) return;
    this.delete(first);
    first.refuse();
  }
}
