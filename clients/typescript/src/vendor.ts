import type { Effect } from './decide.ts';
import type { Parameters } from './sign.ts';
import { Transport } from './transport.ts';
import type { Reader, TransportOptions } from './transport.ts';
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
    const { path, effect, parameters, file, retryForMs } = request;
    const call = {
      base: this.#baseOf(path),
      path,
      effect,
      parameters: { vid: this.#options.vid, ...parameters },
      retryForMs,
      ...(UNSIGNED.has(path) && { unsigned: true as const }),
      ...(file && { file }),
    };
    return await this.#transport.call(call, read);
  }

  #baseOf(path: string): string {
    const { url, fundUrl = url, scoringUrl = url } = this.#options;
    if (path.startsWith('/payments/')) return fundUrl;
    return path.startsWith('/billing/') || path.startsWith('/transaction/') ? url : scoringUrl;
  }
}
