<?php

declare(strict_types=1);

namespace Malipo;

/** An event of the service. Process each `id` once: the same event may be sent again. */
final class WebhookEvent
{
    /**
     * @param string $type such as `transaction.succeeded`; ignore types that you do not know
     * @param array<mixed> $data
     * @param ?Payment $payment the payment, if the event is about one
     */
    public function __construct(
        public readonly string $id,
        public readonly string $type,
        public readonly \DateTimeImmutable $timestamp,
        public readonly array $data,
        public readonly ?Payment $payment,
    ) {
    }
}
