<?php

declare(strict_types=1);

namespace Malipo\Record;

final class StatementMovement
{
    public function __construct(
        public readonly string $movement,
        public readonly int $count,
        public readonly int $changeCents,
    ) {
    }
}
