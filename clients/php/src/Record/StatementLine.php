<?php

declare(strict_types=1);

namespace Malipo\Record;

final class StatementLine
{
    /**
     * @param int $changeCents by how much it changed your money with the service
     */
    public function __construct(
        public readonly \DateTimeImmutable $at,
        public readonly string $movement,
        public readonly ?string $reference,
        public readonly ?string $merchantReference,
        public readonly ?string $collector,
        public readonly ?string $collectorReference,
        public readonly ?string $operator,
        public readonly ?string $operatorReference,
        public readonly ?string $caseId,
        public readonly string $debitAccount,
        public readonly string $creditAccount,
        public readonly int $amountCents,
        public readonly int $changeCents,
        public readonly int $balanceCents,
        public readonly int $floatCents,
    ) {
    }
}
