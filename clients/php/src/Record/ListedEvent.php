<?php

declare(strict_types=1);

namespace Malipo\Record;

/** An event with the state of its delivery. */
final class ListedEvent
{
    /**
     * @param string $webhookId the `webhook-id` that it is sent with, every time
     * @param ?string $reference the payment that it is about
     * @param array<string, mixed> $payload the body that is sent
     */
    public function __construct(
        public readonly string $eventId,
        public readonly string $webhookId,
        public readonly string $type,
        public readonly \DateTimeImmutable $at,
        public readonly ?string $reference,
        public readonly array $payload,
        public readonly EventDelivery $delivery,
    ) {
    }
}
