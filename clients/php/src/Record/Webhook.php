<?php

declare(strict_types=1);

namespace Malipo\Record;

final class Webhook
{
    /**
     * @param bool $enabled false: events wait until it is enabled
     * @param int $failures failed attempts in a row
     * @param list<string> $types the types of events that are sent
     * @param list<string> $offTypes those that are not
     * @param list<Key> $secrets
     * @param ?string $secret of `setWebhook`: what events are signed with, shown once; null: there was one before
     */
    public function __construct(
        public readonly string $url,
        public readonly bool $enabled,
        public readonly ?\DateTimeImmutable $disabledAt,
        public readonly ?string $disabledReason,
        public readonly int $failures,
        public readonly ?\DateTimeImmutable $failingSince,
        public readonly array $types,
        public readonly array $offTypes,
        public readonly int $waitingEvents,
        #[ListOf(Key::class)]
        public readonly array $secrets,
        public readonly ?string $secret = null,
    ) {
    }
}
