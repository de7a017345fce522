<?php

declare(strict_types=1);

namespace Malipo;

use Malipo\Record\{
    Balance,
    BillerRecord,
    Invoice,
    Key,
    ListedEnquiry,
    ListedEvent,
    ListedInvoice,
    ListedPayment,
    LoggedRequest,
    NewKey,
    PaymentRecord,
    Reader,
    StatementHead,
    StatementLine,
    Webhook,
    WebhookTest
};

/**
 * The operations below `/v1`. They are always signed with the header. Times are instants, or days such
 * as `2026-11-21` of the service’s time zone. `from` is included and `to` is not; a day as `to` means
 * the end of that day.
 */
abstract class SelfService extends Credit
{
    /**
     * Your payments, newest first. One of `account`, `reference` and `merchantReference` at a time.
     *
     * @return Pages<ListedPayment>
     */
    public function listPayments(
        \DateTimeInterface|string|null $from = null,
        \DateTimeInterface|string|null $to = null,
        ?string $status = null,
        ?string $biller = null,
        ?string $account = null,
        ?string $reference = null,
        ?string $merchantReference = null,
    ): Pages {
        $filter = compact('from', 'to', 'status', 'biller', 'account', 'reference', 'merchantReference');
        return $this->pages(ListedPayment::class, '/v1/payments', $filter);
    }

    /**
     * A payment with its result and its timeline.
     *
     * @throws MalipoException
     */
    public function getPayment(string $reference): PaymentRecord
    {
        return $this->get(PaymentRecord::class, '/v1/payments/' . rawurlencode($reference));
    }

    /**
     * The payments as a CSV file.
     *
     * @param callable(string): mixed $write gets each chunk as it arrives
     * @throws MalipoException `Unavailable` as well if the file is cut off
     */
    public function exportPayments(
        callable $write,
        \DateTimeInterface|string|null $from = null,
        \DateTimeInterface|string|null $to = null,
        ?string $status = null,
        ?string $biller = null,
        ?string $account = null,
        ?string $reference = null,
        ?string $merchantReference = null,
    ): void {
        $filter = compact('from', 'to', 'status', 'biller', 'account', 'reference', 'merchantReference');
        $this->download('/v1/payments.csv', self::texts($filter), $write);
    }

    /**
     * Your money now or at a past instant. `balance` has the float alone.
     *
     * @throws MalipoException
     */
    public function getBalance(\DateTimeInterface|string|null $at = null): Balance
    {
        return $this->get(Balance::class, '/v1/balance', ['at' => $at]);
    }

    /**
     * Every movement of a period, oldest first. The first page has the `head`. Default: this month.
     *
     * @return Pages<StatementLine>
     */
    public function getStatement(\DateTimeInterface|string|null $from = null, \DateTimeInterface|string|null $to = null): Pages
    {
        return $this->pages(StatementLine::class, '/v1/statement', compact('from', 'to'));
    }

    /**
     * The statement as a CSV file.
     *
     * @param callable(string): mixed $write gets each chunk as it arrives
     * @throws MalipoException `Unavailable` as well if the file is cut off
     */
    public function exportStatement(
        callable $write,
        \DateTimeInterface|string|null $from = null,
        \DateTimeInterface|string|null $to = null,
    ): void {
        $this->download('/v1/statement.csv', self::texts(compact('from', 'to')), $write);
    }

    /**
     * Invoices for your fees, and credit notes, newest first.
     *
     * @return Pages<ListedInvoice>
     */
    public function listInvoices(): Pages
    {
        return $this->pages(ListedInvoice::class, '/v1/invoices', []);
    }

    /** @throws MalipoException */
    public function getInvoice(string $invoice): Invoice
    {
        return $this->get(Invoice::class, '/v1/invoices/' . rawurlencode($invoice));
    }

    /**
     * The invoice as a PDF file.
     *
     * @param callable(string): mixed $write gets each chunk as it arrives
     * @throws MalipoException `Unavailable` as well if the file is cut off
     */
    public function exportInvoicePdf(callable $write, string $invoice): void
    {
        $this->download('/v1/invoices/' . rawurlencode($invoice) . '/pdf', [], $write);
    }

    /**
     * The invoice as a CSV file.
     *
     * @param callable(string): mixed $write gets each chunk as it arrives
     * @throws MalipoException `Unavailable` as well if the file is cut off
     */
    public function exportInvoiceCsv(callable $write, string $invoice): void
    {
        $this->download('/v1/invoices/' . rawurlencode($invoice) . '/csv', [], $write);
    }

    /**
     * The events of the last 30 days.
     *
     * @param ?string $state `waiting`, `delivered`, `given_up` or `off`
     * @param \DateTimeInterface|string|null $since events since then, oldest first; the list then has no
     *     end: it goes on with what happens later
     * @param ?int $wait with $since: how many seconds a page may wait for an event, less than the time-out
     *     of a call
     * @return Pages<ListedEvent>
     */
    public function listEvents(
        ?string $type = null,
        ?string $state = null,
        \DateTimeInterface|string|null $since = null,
        ?int $wait = null,
    ): Pages {
        $seconds = $wait === null ? null : (string) $wait;
        $filter = compact('type', 'state', 'since') + ['wait' => $seconds];
        return $this->pages(ListedEvent::class, '/v1/events', $filter);
    }

    /**
     * @param string $eventId also a `webhook-id`
     * @throws MalipoException
     */
    public function getEvent(string $eventId): ListedEvent
    {
        return $this->get(ListedEvent::class, '/v1/events/' . rawurlencode($eventId));
    }

    /**
     * Sends one event again. Returns how many are sent: 1.
     *
     * @throws MalipoException
     */
    public function replayEvent(string $eventId): int
    {
        $path = '/v1/events/' . rawurlencode($eventId) . '/replay';
        return $this->send('POST', $path, null, static fn (Wire $body): int => $body->number('count'));
    }

    /**
     * Sends the events of a state, of a period, or both, again. Returns how many.
     *
     * @throws MalipoException
     */
    public function replayEvents(
        ?string $state = null,
        \DateTimeInterface|string|null $from = null,
        \DateTimeInterface|string|null $to = null,
    ): int {
        $filter = self::texts(compact('state', 'from', 'to'));
        $read = static fn (Wire $body): int => $body->number('count');
        return $this->send('POST', '/v1/events/replay', $filter, $read);
    }

    /** @throws MalipoException */
    public function getWebhook(): Webhook
    {
        return $this->get(Webhook::class, '/v1/webhook');
    }

    /**
     * Sets where events are sent, and enables the webhook.
     *
     * @param ?list<string> $types the types of events that are sent; null: they stay as they are
     * @throws MalipoException
     */
    public function setWebhook(string $url, ?array $types = null): Webhook
    {
        $webhook = ['url' => $url] + ($types === null ? [] : ['types' => $types]);
        return $this->send('PUT', '/v1/webhook', $webhook, self::reading(Webhook::class));
    }

    /**
     * Returns how many waiting events were given up.
     *
     * @throws MalipoException
     */
    public function removeWebhook(): int
    {
        $read = static fn (Wire $body): int => $body->number('given_up_events');
        return $this->send('DELETE', '/v1/webhook', null, $read);
    }

    /** @throws MalipoException */
    public function enableWebhook(): Webhook
    {
        return $this->send('POST', '/v1/webhook/enable', null, self::reading(Webhook::class));
    }

    /**
     * Events wait until the webhook is enabled.
     *
     * @throws MalipoException
     */
    public function disableWebhook(): Webhook
    {
        return $this->send('POST', '/v1/webhook/disable', null, self::reading(Webhook::class));
    }

    /**
     * Sends a test event now, and returns what your receiver answered.
     *
     * @throws MalipoException
     */
    public function testWebhook(): WebhookTest
    {
        return $this->send('POST', '/v1/webhook/test', null, self::reading(WebhookTest::class));
    }

    /**
     * @param int $overlapSeconds how long the former secret stays valid
     * @param string $idempotencyKey 32 to 64 random hexadecimal digits for this rotation, such as
     *   bin2hex(random_bytes(16)); a repeat with it gets the same secret, for ten minutes
     * @throws MalipoException
     */
    public function rotateWebhookSecret(int $overlapSeconds, string $idempotencyKey): NewKey
    {
        return $this->rotate('/v1/webhook/secrets', $overlapSeconds, $idempotencyKey);
    }

    /**
     * Ends a former secret before its overlap is over. Returns those that are left.
     *
     * @return list<Key>
     * @throws MalipoException
     */
    public function retireWebhookSecret(string $keyId): array
    {
        return $this->retire('/v1/webhook/secrets', $keyId);
    }

    /**
     * @return list<Key>
     * @throws MalipoException
     */
    public function listKeys(): array
    {
        return $this->fetch('/v1/keys', [], self::readingItems(Key::class));
    }

    /**
     * Makes a new security key. This client keeps using the former key. Create a new client with the new key.
     *
     * @param int $overlapSeconds how long the former key stays valid
     * @param string $idempotencyKey 32 to 64 random hexadecimal digits for this rotation, such as
     *   bin2hex(random_bytes(16)); a repeat with it gets the same secret, for ten minutes
     * @throws MalipoException
     */
    public function rotateKey(int $overlapSeconds, string $idempotencyKey): NewKey
    {
        return $this->rotate('/v1/keys', $overlapSeconds, $idempotencyKey);
    }

    /**
     * Ends a former key before its overlap is over. Returns those that are left.
     *
     * @return list<Key>
     * @throws MalipoException
     */
    public function retireKey(string $keyId): array
    {
        return $this->retire('/v1/keys', $keyId);
    }

    /**
     * The requests of the last seven days, newest first.
     *
     * @param ?'refused' $only
     * @return Pages<LoggedRequest>
     */
    public function listRequests(?string $only = null): Pages
    {
        return $this->pages(LoggedRequest::class, '/v1/requests', ['only' => $only]);
    }

    /**
     * Every biller with your own fee and a JSON Schema of what create takes.
     *
     * @return list<BillerRecord>
     * @throws MalipoException
     */
    public function describeBillers(): array
    {
        return $this->fetch('/v1/billers', [], self::readingItems(BillerRecord::class));
    }

    /** @throws MalipoException */
    public function describeBiller(string $billerCode): BillerRecord
    {
        return $this->get(BillerRecord::class, '/v1/billers/' . rawurlencode($billerCode));
    }

    /**
     * Your credit enquiries, newest first, without personal data.
     *
     * @return Pages<ListedEnquiry>
     */
    public function listEnquiries(
        \DateTimeInterface|string|null $from = null,
        \DateTimeInterface|string|null $to = null,
        ?string $outcome = null,
        ?string $requestReference = null,
    ): Pages {
        $filter = compact('from', 'to', 'outcome', 'requestReference');
        return $this->pages(ListedEnquiry::class, '/v1/enquiries', $filter);
    }

    /**
     * @template Item of object
     * @param class-string<Item> $class
     * @param array<string, \DateTimeInterface|string|null> $filter
     * @return Pages<Item>
     */
    private function pages(string $class, string $path, array $filter): Pages
    {
        $read = static fn (Wire $body): Page => new Page(
            Reader::readList($class, $body, 'items'),
            $body->textOrNull('next_cursor'),
            isset($body->fields['searched_to']) ? $body->instant('searched_to') : null,
            isset($body->fields['head']) ? Reader::read(StatementHead::class, $body->object('head')) : null,
        );
        return new Pages(function (?string $cursor, ?int $limit) use ($path, $filter, $read): Page {
            $paging = ['cursor' => $cursor, 'limit' => $limit === null ? null : (string) $limit];
            return $this->fetch($path, self::texts($filter + $paging), $read);
        });
    }

    /** @throws MalipoException */
    private function rotate(string $path, int $overlapSeconds, string $idempotencyKey): NewKey
    {
        $rotation = ['overlap_seconds' => $overlapSeconds, 'idempotency_key' => $idempotencyKey];
        return $this->send('POST', $path, $rotation, self::reading(NewKey::class));
    }

    /**
     * @return list<Key> those that are left
     * @throws MalipoException
     */
    private function retire(string $path, string $keyId): array
    {
        return $this->send('DELETE', $path . '/' . rawurlencode($keyId), null, self::readingItems(Key::class));
    }

    /**
     * @template T of object
     * @param class-string<T> $class
     * @param array<string, \DateTimeInterface|string|null> $query
     * @return T
     * @throws MalipoException
     */
    private function get(string $class, string $path, array $query = []): object
    {
        return $this->fetch($path, self::texts($query), self::reading($class));
    }

    /**
     * @template T of object
     * @param class-string<T> $class
     * @return \Closure(Wire): T
     */
    private static function reading(string $class): \Closure
    {
        return static fn (Wire $body): object => Reader::read($class, $body);
    }

    /**
     * @template T of object
     * @param class-string<T> $class
     * @return \Closure(Wire): list<T>
     */
    private static function readingItems(string $class): \Closure
    {
        return static fn (Wire $body): array => Reader::readList($class, $body, 'items');
    }

    /**
     * Names and values as they are sent; null is left out.
     *
     * @param array<string, \DateTimeInterface|string|null> $values
     * @return array<string, string>
     */
    private static function texts(array $values): array
    {
        $texts = [];
        foreach ($values as $name => $value) {
            if ($value !== null) {
                $name = strtolower((string) preg_replace('/[A-Z]/', '_$0', $name));
                $texts[$name] = $value instanceof \DateTimeInterface ? $value->format('Y-m-d\TH:i:s.vP') : $value;
            }
        }
        return $texts;
    }
}
