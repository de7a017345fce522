import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { awakeTimers } from '../base/awake-timers.ts';
import { endOfTurn } from '../base/turns.ts';

/** One HTTP request to another server. */
export interface Call {
  /** `https://host[:port]`, for a dispatcher that serves several hosts; absent: the pool's own. */
  readonly origin?: string;
  readonly path: string;
  /** Default: POST. */
  readonly method?: 'GET' | 'POST' | 'PUT';
  /** Null: no body, as with GET. */
  readonly body: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Limit of the whole call: waiting for a connection, connecting, sending, and the last byte of the
   * response. Time in which this process does not run does not count, except that nothing is sent once
   * so much time has passed: by then, others may have found out that nothing was sent.
   */
  readonly deadlineMs: number;
  /** Largest response body. */
  readonly answerBytes: number;
  readonly signal: AbortSignal;
}

/** The end of a call. The difference between the last two keeps a payment from being made twice. */
export type Ending =
  | {
      readonly kind: 'answer';
      readonly httpStatus: number;
      /** Lower-case names; of those that come several times, a list. */
      readonly headers?: IncomingHttpHeaders;
      readonly body: Buffer;
    }
  /** Not one byte of the request was written, and none will be. */
  | { readonly kind: 'nothing_written'; readonly reason: string }
  /**
   * The request, or part of it, may have reached the server, but no complete response came back.
   * With the status of a response that began.
   */
  | { readonly kind: 'no_answer'; readonly reason: string; readonly httpStatus?: number };

/**
 * Sends one request and collects the response. Never rejects; always ends by the deadline. A response is
 * returned at the end of the turn of the event loop in which it arrived, together with others (decision 41).
 *
 * It uses `dispatch` instead of `request`, because only there undici reports when it starts to
 * write on an established connection (TCP and TLS). A call that fails before was certainly not
 * sent; this does not depend on guessing from an error code.
 */
export function exchange(dispatcher: Dispatcher, call: Call): Promise<Ending> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    const chunks: Buffer[] = [];
    let [ended, length] = [false, 0];
    let begun: Begun = { httpStatus: 0, headers: {} };
    const startBeforeMs = performance.now() + call.deadlineMs;

    const end = (ending: Ending): void => {
      if (ended) return;
      ended = true;
      forgetDeadline();
      call.signal.removeEventListener('abort', onAbort);
      resolve(ending.kind === 'answer' ? endOfTurn().then(() => ending) : ending);
    };
    const fail = (reason: string): void => {
      end(controller === undefined ? { kind: 'nothing_written', reason } : cut(reason, begun));
    };
    const giveUp = (reason: string): void => {
      if (ended) return;
      fail(reason);
      controller?.abort(new Error(reason));
    };
    const onAbort = (): void => giveUp('given up by the caller');
    const forgetDeadline = awakeTimers.after(call.deadlineMs, () => giveUp('no answer in time'));
    call.signal.addEventListener('abort', onAbort, { once: true });
    if (call.signal.aborted) return onAbort();

    dispatcher.dispatch(
      {
        ...(call.origin === undefined ? {} : { origin: call.origin }),
        path: call.path,
        method: call.method ?? 'POST',
        headers: { ...call.headers },
        body: call.body,
      },
      {
        onRequestStart(starting) {
          if (performance.now() > startBeforeMs) fail('it was too late to send');
          // It ended while waiting for a connection: the abort here is before the first byte.
          if (ended) starting.abort(new Error('given up before it was sent'));
          else controller = starting;
        },
        onResponseStart: (_controller, httpStatus, headers) => (begun = { httpStatus, headers }),
        onResponseData(_controller, chunk) {
          length += chunk.length;
          if (length > call.answerBytes) giveUp('the answer is too large');
          else chunks.push(chunk);
        },
        onResponseEnd() {
          end({ kind: 'answer', ...begun, body: Buffer.concat(chunks) });
        },
        onResponseError(_controller, error) {
          fail(failureText(error));
        },
      },
    );
  });
}

/** The beginning of a response. */
interface Begun {
  /** 0: none has begun. */
  readonly httpStatus: number;
  readonly headers: IncomingHttpHeaders;
}

function cut(reason: string, { httpStatus }: Begun): Ending {
  return { kind: 'no_answer', reason, ...(httpStatus !== 0 && { httpStatus }) };
}

/** Texts for the usual failures, for people and logs only; no decision depends on them. */
const FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be looked up',
  EPRIVATE: 'the host name resolves to a private network',
  EHOSTUNREACH: 'the host is not reachable',
  ENETUNREACH: 'the network is not reachable',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  ECONNRESET: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
  UND_ERR_CLOSED: 'the connector was closed',
  UND_ERR_DESTROYED: 'the connector was closed',
  EPROTO: 'the TLS handshake failed',
  HTTPParserError: 'the answer is not HTTP',
};

function failureText(error: Error): string {
  const code = (error as NodeJS.ErrnoException).code ?? error.name;
  return FAILURES[code] ?? code;
}
