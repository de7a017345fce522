import type { FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import type { AuditResult } from '../parties/people/audit-entry.ts';
import type { Role } from '../parties/people/roles.ts';
import { vendorReaderName } from '../platform/base/long-reads.ts';
import type { LongReader } from '../platform/base/long-reads.ts';
import type { Permission } from '../parties/people/permissions.ts';

/** The person who is signed in. */
export interface Viewer {
  readonly personId: string;
  /** The e-mail address that the person signs in with. */
  readonly login: string;
  readonly name: string;
  readonly role: Role;
  /** False: another administrator has not confirmed the person yet, who sees and changes nothing until then. */
  readonly isConfirmed: boolean;
  /** The vendor whose people the person belongs to; undefined for staff. */
  readonly vendor: { readonly vendorId: number; readonly vid: string } | undefined;
}

/** Everything that a handler gets in addition to the request's parameters. */
export interface RouteContext {
  readonly viewer: Viewer;
  /** The client's address. */
  readonly address: string;
  readonly requestId: string;
  /** True once the response was sent or the connection has ended. */
  readonly isClosed: () => boolean;
}

/** All people of a vendor take turns as one. With the prefix, no `vid` equals a person's id. */
export function longReaderOf({ viewer, isClosed }: RouteContext): LongReader {
  const { vendor, personId } = viewer;
  return { name: vendor === undefined ? personId : vendorReaderName(vendor.vid), isClosed };
}

/** The answer of an action, with what the audit log keeps of it. */
export class Audited {
  readonly answer: unknown;
  readonly change: Pick<AuditResult, 'target' | 'before' | 'after'>;
  constructor(answer: unknown, change: Pick<AuditResult, 'target' | 'before' | 'after'>) {
    this.answer = answer;
    this.change = change;
  }
}

/** The answer of a streaming route: a server-sent event for each change, while the session lasts. */
export class Live {
  /** Sends the current state, then every change. Returns a function that ends this. */
  readonly subscribe: (send: (data: unknown) => void) => () => void;
  constructor(subscribe: Live['subscribe']) {
    this.subscribe = subscribe;
  }
}

/**
 * One route of the console's API, below `/console/api`. Session, permission, protection against
 * forged requests, validation and the audit log are the same for all routes (`mount.ts`).
 */
export interface Route<Params extends TObject, Query extends TObject, Body extends TSchema> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Such as `/payments/:reference`. */
  readonly path: string;
  readonly permission: Permission;
  readonly params?: Params;
  /** Every value is text. */
  readonly query?: Query;
  /** JSON. */
  readonly body?: Body;
  /** Largest body. Default: that of every request. */
  readonly bodyBytes?: number;
  /**
   * A POST that changes nothing: what it asks is personal data, which must not be in a URL, because
   * proxies log it.
   */
  readonly isReading?: true;
  /** It answers with a stream of events, which does not count in the limits of requests. */
  readonly isLive?: true;
  /**
   * What the audit log calls it, such as `biller.offline`. Required for everything that changes
   * something. The handler returns what it changed as an
   * `Audited`. `reason` of the body and the path's parameters are noted as well.
   */
  readonly action?: string;
  /** It is made of a definition of `src/staff`, whose `perform` validates the input and notes the action. */
  readonly isDefined?: true;
  /** It leaves something in the audit log, such as a file does: it counts in the limits as an action does. */
  readonly countsAsChange?: true;
  /** No vendor’s people may, whatever their role may. */
  readonly isForStaff?: true;
  handle(
    input: {
      readonly params: Static<Params>;
      readonly query: Static<Query>;
      readonly body: Static<Body>;
    },
    context: RouteContext,
    request: FastifyRequest,
  ): Promise<unknown>;
}

export type AnyRoute = Route<TObject, TObject, TSchema>;

/** Keeps the types of one route's schemas, and forgets them in lists. */
export function route<
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
>(declared: Route<Params, Query, Body>): AnyRoute {
  return declared;
}
