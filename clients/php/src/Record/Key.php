<?php

declare(strict_types=1);

namespace Malipo\Record;

/** A security key, or a secret of the webhook, without its value. */
final class Key
{
    /**
     * @param ?\DateTimeImmutable $validUntil null: until it is replaced
     */
    public function __construct(
        public readonly string $keyId,
        public readonly \DateTimeImmutable $createdAt,
        public readonly ?\DateTimeImmutable $validUntil,
        public readonly bool $isCurrent,
    ) {
    }
}
