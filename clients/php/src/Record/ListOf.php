<?php

declare(strict_types=1);

namespace Malipo\Record;

/**
 * What an array of a record holds.
 *
 * @internal
 */
#[\Attribute(\Attribute::TARGET_PARAMETER | \Attribute::TARGET_PROPERTY)]
final class ListOf
{
    /** @param class-string $class */
    public function __construct(public readonly string $class)
    {
    }
}
