<?php

declare(strict_types=1);

namespace Malipo\Record;

/** A biller with your own fee. */
final class BillerRecord
{
    /**
     * @param string $status `ONLINE` or `OFFLINE`
     * @param array<string, mixed> $parameters JSON Schema of what the wire’s create takes
     */
    public function __construct(
        public readonly string $biller,
        public readonly string $name,
        public readonly string $category,
        public readonly string $status,
        public readonly int $minimumCents,
        public readonly ?int $maximumCents,
        public readonly string $accountLabel,
        public readonly string $accountFormat,
        public readonly bool $phoneRequired,
        public readonly bool $canValidate,
        public readonly ?BillerFee $fee,
        public readonly array $parameters,
    ) {
    }
}
