// The clients of providers that the tests call, as far as they call them. They have no types of their own.

declare module '@dtone/dvs' {
  interface Answer<Data> {
    readonly metaData: {
      readonly date: string;
      readonly page: number;
      readonly perPage: number;
      readonly total: number;
      readonly totalPages: number;
    };
    readonly data: Data;
  }
  type Content = Readonly<Record<string, unknown>>;
  type Pages = AsyncIterable<Answer<readonly Content[]>>;
  interface Ways {
    create(by: { readonly data: Content }): Promise<Answer<Content>>;
    confirm(by: { readonly transactionId: number }): Promise<Answer<Content>>;
  }
  export class DVS {
    constructor(options: {
      readonly apiKey: string;
      readonly apiSecret: string;
      readonly baseUrl: string;
    });
    readonly account: { readonly balances: { get(by: { readonly params?: Content }): Pages } };
    readonly discovery: { readonly products: { get(by: { readonly params?: Content }): Pages } };
    readonly lookup: {
      readonly mobileNumber: {
        getByMobileNumber(by: { readonly mobileNumber: string; readonly params?: Content }): Pages;
      };
    };
    readonly transactions: {
      readonly async: Ways;
      readonly sync: Ways;
      get(by: { readonly params?: Content }): Pages;
      getByTransactionId(by: { readonly transactionId: number }): Promise<Answer<Content>>;
      cancel(by: { readonly transactionId: number }): Promise<Answer<Content>>;
    };
  }
}

declare module 'k2-connect-node' {
  type Options = Readonly<Record<string, unknown>>;
  interface Client {
    readonly TokenService: {
      getToken(): Promise<{
        readonly access_token: string;
        readonly token_type: string;
        readonly expires_in: number;
      }>;
    };
    readonly PayService: {
      addPayRecipient(by: Options): Promise<string>;
      sendPay(by: Options): Promise<string>;
      getStatus(by: { readonly location: string; readonly accessToken: string }): Promise<unknown>;
    };
    readonly Webhooks: {
      webhookHandler(
        request: { readonly body: unknown; get(name: string): string },
        response: { status(code: number): { json(): void } },
      ): Promise<unknown>;
    };
  }
  function connect(options: Readonly<Record<string, string>>): Client;
  export = connect;
}

declare module 'africastalking' {
  interface Client {
    readonly AIRTIME: {
      send(by: {
        readonly recipients: readonly {
          readonly phoneNumber: string;
          readonly currencyCode: string;
          readonly amount: number;
        }[];
        readonly idempotencyKey?: string;
        readonly maxNumRetry?: number;
      }): Promise<Readonly<Record<string, unknown>>>;
      findTransactionStatus(id: string): Promise<Readonly<Record<string, unknown>>>;
    };
    readonly APPLICATION: {
      fetchApplicationData(): Promise<Readonly<Record<string, unknown>>>;
    };
  }
  function connect(options: { readonly username: string; readonly apiKey: string }): Client;
  export = connect;
}
