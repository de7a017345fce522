import type { Effect } from './decide.ts';
import type { Parameters } from './sign.ts';
import { Transport } from './transport.ts';
import type { Call, Method, Reader, TransportOptions } from './transport.ts';
import type { UploadFile } from './types.ts';

export interface MalipoOptions extends TransportOptions {
  /** Your vendor ID. */
  readonly vid: string;
  /** The base address, such as `https://bills.example/ipay-billing`, without a slash at the end. */
  readonly url: string;
  /** The base address of the fund operation, if it is another one. */
  readonly fundUrl?: string | undefined;
  /** The base address of the credit operations, if it is another one. */
  readonly scoringUrl?: string | undefined;
}

/** The operations that are not signed. */
const UNSIGNED: ReadonlySet<string> = new Set([
  '/billing/list',
  '/billing/biller/status',
  '/billing/biller/products',
]);

interface VendorRequest {
  readonly path: string;
  readonly effect: Effect;
  /** Without `vid`. */
  readonly parameters: Parameters;
  readonly file?: UploadFile;
  readonly retryForMs?: number | undefined;
  /** Below `/v1`. */
  readonly method?: Method;
  readonly json?: object | undefined;
}

/** Sends the requests of one vendor to the right address. */
export abstract class Vendor {
  readonly #options: MalipoOptions;
  readonly #transport: Transport;

  constructor(options: MalipoOptions) {
    this.#options = options;
    this.#transport = new Transport(options);
  }

  protected async call<Result>(request: VendorRequest, read: Reader<Result>): Promise<Result> {
    return await this.#transport.call(this.#callOf(request), read);
  }

  /** The chunks of a file below `/v1`. */
  protected download(
    request: Pick<VendorRequest, 'path' | 'parameters'>,
  ): AsyncGenerator<Uint8Array, void> {
    return this.#transport.download(this.#callOf({ ...request, effect: 'read', method: 'GET' }));
  }

  #callOf(request: VendorRequest): Call {
    const { path, parameters } = request;
    return {
      ...request,
      base: this.#baseOf(path),
      parameters: { vid: this.#options.vid, ...parameters },
      ...(UNSIGNED.has(path) && { unsigned: true as const }),
    };
  }

  #baseOf(path: string): string {
    const { url, fundUrl = url, scoringUrl = url } = this.#options;
    if (path.startsWith('/payments/')) return fundUrl;
    return /^\/(billing|transaction|v1)\//.test(path) ? url : scoringUrl;
  }
}
