import { Credit } from './enquiries.ts';
import { Pages } from './pages.ts';
import { fromWire, toQuery, toWire } from './records.ts';
import type {
  Balance,
  BillerRecord,
  EnquiryFilter,
  EventFilter,
  Key,
  Invoice,
  ListedEnquiry,
  ListedEvent,
  ListedInvoice,
  ListedPayment,
  LoggedRequest,
  NewKey,
  Page,
  Paging,
  PaymentFilter,
  PaymentPage,
  PaymentRecord,
  Period,
  Rotation,
  SetWebhook,
  StatementLine,
  StatementPage,
  Time,
  Webhook,
  WebhookTest,
} from './self-service-types.ts';

/** The operations below `/v1`. They are always signed with the header. */
export abstract class SelfService extends Credit {
  /** Your payments, newest first. */
  listPayments(filter: PaymentFilter = {}): Pages<ListedPayment, PaymentPage> {
    return this.#list('/v1/payments', filter);
  }

  /** A payment with its result and its timeline. */
  async getPayment(reference: string): Promise<PaymentRecord> {
    return await this.#read(`/v1/payments/${encodeURIComponent(reference)}`);
  }

  /** The payments as a CSV file, chunk by chunk. Throws `Unavailable` if it is cut off. */
  exportPayments(filter: PaymentFilter = {}): AsyncGenerator<Uint8Array, void> {
    return this.download({ path: '/v1/payments.csv', parameters: toQuery(filter) });
  }

  /** Your money now or at a past instant. `balance` has the float alone. */
  async getBalance(at?: Time): Promise<Balance> {
    return await this.#read('/v1/balance', { at });
  }

  /** Every movement of a period, oldest first. The first page has the `head`. Default: this month. */
  getStatement(period: Period = {}): Pages<StatementLine, StatementPage> {
    return this.#list('/v1/statement', period);
  }

  /** The statement as a CSV file, chunk by chunk. Throws `Unavailable` if it is cut off. */
  exportStatement(period: Period = {}): AsyncGenerator<Uint8Array, void> {
    return this.download({ path: '/v1/statement.csv', parameters: toQuery(period) });
  }

  /** Invoices for your fees, and credit notes, newest first. */
  listInvoices(): Pages<ListedInvoice> {
    return this.#list('/v1/invoices', {});
  }

  async getInvoice(invoice: string): Promise<Invoice> {
    return await this.#read(`/v1/invoices/${encodeURIComponent(invoice)}`);
  }

  /** The invoice as a PDF file, chunk by chunk. Throws `Unavailable` if it is cut off. */
  exportInvoicePdf(invoice: string): AsyncGenerator<Uint8Array, void> {
    return this.download({
      path: `/v1/invoices/${encodeURIComponent(invoice)}/pdf`,
      parameters: {},
    });
  }

  /** The invoice as a CSV file, chunk by chunk. Throws `Unavailable` if it is cut off. */
  exportInvoiceCsv(invoice: string): AsyncGenerator<Uint8Array, void> {
    return this.download({
      path: `/v1/invoices/${encodeURIComponent(invoice)}/csv`,
      parameters: {},
    });
  }

  /** The events of the last 30 days. */
  listEvents(filter: EventFilter = {}): Pages<ListedEvent> {
    return this.#list('/v1/events', filter);
  }

  /** @param eventId also a `webhook-id`. */
  async getEvent(eventId: string): Promise<ListedEvent> {
    return await this.#read(`/v1/events/${encodeURIComponent(eventId)}`);
  }

  /** Sends one event again. Returns how many are sent: 1. */
  async replayEvent(eventId: string): Promise<number> {
    const path = `/v1/events/${encodeURIComponent(eventId)}/replay`;
    return (await this.#write<{ readonly count: number }>('POST', path)).count;
  }

  /** Sends the events of a state, of a period, or both, again. Returns how many. */
  async replayEvents(filter: Period & Pick<EventFilter, 'state'>): Promise<number> {
    const path = '/v1/events/replay';
    return (await this.#write<{ readonly count: number }>('POST', path, filter)).count;
  }

  async getWebhook(): Promise<Webhook> {
    return await this.#read('/v1/webhook');
  }

  /** Sets where events are sent, and enables the webhook. Without `types` they stay as they are. */
  async setWebhook(webhook: {
    readonly url: string;
    readonly types?: readonly string[] | undefined;
  }): Promise<SetWebhook> {
    return await this.#write('PUT', '/v1/webhook', webhook);
  }

  /** Returns how many waiting events were given up. */
  async removeWebhook(): Promise<number> {
    type Removed = { readonly givenUpEvents: number };
    return (await this.#write<Removed>('DELETE', '/v1/webhook')).givenUpEvents;
  }

  async enableWebhook(): Promise<Webhook> {
    return await this.#write('POST', '/v1/webhook/enable');
  }

  /** Events wait until the webhook is enabled. */
  async disableWebhook(): Promise<Webhook> {
    return await this.#write('POST', '/v1/webhook/disable');
  }

  /** Sends a test event now, and returns what your receiver answered. */
  async testWebhook(): Promise<WebhookTest> {
    return await this.#write('POST', '/v1/webhook/test');
  }

  async rotateWebhookSecret(rotation: Rotation): Promise<NewKey> {
    return await this.#write('POST', '/v1/webhook/secrets', rotation);
  }

  /** Ends a former secret before its overlap is over. Returns those that are left. */
  async retireWebhookSecret(keyId: string): Promise<readonly Key[]> {
    const path = `/v1/webhook/secrets/${encodeURIComponent(keyId)}`;
    return (await this.#write<Items<Key>>('DELETE', path)).items;
  }

  async listKeys(): Promise<readonly Key[]> {
    return (await this.#read<Items<Key>>('/v1/keys')).items;
  }

  /** Makes a new security key. This client keeps using the former key. Create a new client with the new key. */
  async rotateKey(rotation: Rotation): Promise<NewKey> {
    return await this.#write('POST', '/v1/keys', rotation);
  }

  /** Ends a former key before its overlap is over. Returns those that are left. */
  async retireKey(keyId: string): Promise<readonly Key[]> {
    const path = `/v1/keys/${encodeURIComponent(keyId)}`;
    return (await this.#write<Items<Key>>('DELETE', path)).items;
  }

  /** The requests of the last seven days, newest first. */
  listRequests(filter: { readonly only?: 'refused' | undefined } = {}): Pages<LoggedRequest> {
    return this.#list('/v1/requests', filter);
  }

  /** Every biller with your own fee and a JSON Schema of what create takes. */
  async describeBillers(): Promise<readonly BillerRecord[]> {
    return (await this.#read<Items<BillerRecord>>('/v1/billers')).items;
  }

  async describeBiller(billerCode: string): Promise<BillerRecord> {
    return await this.#read(`/v1/billers/${encodeURIComponent(billerCode)}`);
  }

  /** Your credit enquiries, newest first, without personal data. */
  listEnquiries(filter: EnquiryFilter = {}): Pages<ListedEnquiry> {
    return this.#list('/v1/enquiries', filter);
  }

  #list<Item, Read extends Page<Item>>(path: string, filter: object): Pages<Item, Read> {
    return new Pages<Item, Read>(
      async (paging: Paging) => await this.#read<Read>(path, { ...filter, ...paging }),
    );
  }

  async #read<Result>(path: string, query: object = {}): Promise<Result> {
    const request = { path, effect: 'read', parameters: toQuery(query), method: 'GET' } as const;
    return await this.call(request, (body) => fromWire(body) as Result);
  }

  async #write<Result>(
    method: 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<Result> {
    const json = body && toWire(body);
    const request = { path, effect: 'write', parameters: {}, method, json } as const;
    return await this.call(request, (answer) => fromWire(answer) as Result);
  }
}

interface Items<Item> {
  readonly items: readonly Item[];
}
