<?php

declare(strict_types=1);

namespace Malipo;

/** Verifies events (Standard Webhooks). */
final class WebhookVerifier
{
    /** @var list<string> */
    private readonly array $keys;

    /**
     * @param string|list<string> $secrets the secret `whsec_…`, or several while you change it
     * @param int $toleranceSeconds how far the event’s time may be from the clock
     * @param ?\Closure(): int $now for tests; seconds since 1970
     */
    public function __construct(
        #[\SensitiveParameter] string|array $secrets,
        private readonly int $toleranceSeconds = 300,
        private readonly ?\Closure $now = null,
    ) {
        $this->keys = array_map(self::keyOf(...), (array) $secrets);
    }

    /**
     * Verifies the request that this script was started for, as a web server starts it.
     *
     * @throws WebhookInvalid
     */
    public function verifyRequest(): WebhookEvent
    {
        $headers = [];
        foreach (['id', 'timestamp', 'signature'] as $name) {
            $value = $_SERVER['HTTP_WEBHOOK_' . strtoupper($name)] ?? '';
            $headers["webhook-$name"] = is_string($value) ? $value : '';
        }
        return $this->verify((string) file_get_contents('php://input'), $headers);
    }

    /**
     * @param string $body exactly as received, before it is parsed
     * @param array<string, string|list<?string>> $headers
     * @throws WebhookInvalid
     */
    public function verify(string $body, array $headers): WebhookEvent
    {
        $found = [];
        foreach ($headers as $name => $value) {
            $found[strtolower($name)] = is_array($value) ? implode(',', $value) : $value;
        }
        $id = $found['webhook-id'] ?? '';
        $time = $found['webhook-timestamp'] ?? '';
        $now = $this->now === null ? time() : ($this->now)();
        $valid = preg_match('/^\d{1,12}\z/', $time) === 1;
        if (!$valid || abs($now - (int) $time) > $this->toleranceSeconds) {
            throw new WebhookInvalid('The event is too old, or its time is in the future');
        }
        if (!$this->isSigned("$id.$time.$body", $found['webhook-signature'] ?? '')) {
            throw new WebhookInvalid('The signature is not valid');
        }
        return self::eventOf($id, $body);
    }

    /**
     * For your own tests: an event with the headers that the service would send.
     *
     * @param array<string, mixed> $data
     * @return array{body: string, headers: array<string, string>}
     */
    public static function signTestEvent(
        #[\SensitiveParameter] string $secret,
        string $type,
        array $data,
        string $id = 'evt_test',
        ?\DateTimeImmutable $timestamp = null,
    ): array {
        $timestamp = ($timestamp ?? new \DateTimeImmutable())->setTimezone(new \DateTimeZone('UTC'));
        $event = ['type' => $type, 'timestamp' => $timestamp->format('Y-m-d\TH:i:s.v\Z'), 'data' => (object) $data];
        $body = json_encode($event, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
        $seconds = $timestamp->getTimestamp();
        return ['body' => $body, 'headers' => [
            'content-type' => 'application/json',
            'webhook-id' => $id,
            'webhook-timestamp' => (string) $seconds,
            'webhook-signature' => self::signatureOf("$id.$seconds.$body", self::keyOf($secret)),
        ]];
    }

    private function isSigned(string $message, string $signatures): bool
    {
        $signed = false;
        foreach (explode(' ', $signatures) as $signature) {
            foreach ($this->keys as $key) {
                $signed = hash_equals(self::signatureOf($message, $key), $signature) || $signed;
            }
        }
        return $signed;
    }

    private static function signatureOf(string $message, string $key): string
    {
        return 'v1,' . base64_encode(hash_hmac('sha256', $message, $key, true));
    }

    private static function keyOf(#[\SensitiveParameter] string $secret): string
    {
        $encoded = str_starts_with($secret, 'whsec_') ? substr($secret, strlen('whsec_')) : '';
        $key = base64_decode($encoded, true);
        if ($key === false || $key === '') {
            throw new \InvalidArgumentException('A webhook secret is whsec_ followed by base64');
        }
        return $key;
    }

    private static function eventOf(string $id, string $body): WebhookEvent
    {
        try {
            $decoded = json_decode($body, true);
            $event = new Wire(is_array($decoded) ? $decoded : []);
            $data = $event->object('data');
            return new WebhookEvent(
                $id,
                $event->text('type'),
                new \DateTimeImmutable($event->text('timestamp')),
                $data->fields,
                isset($data->fields['transaction_status']) ? Payment::of($data) : null,
            );
        } catch (\Exception $exception) {
            throw new WebhookInvalid('The body is not an event', 0, $exception);
        }
    }
}
