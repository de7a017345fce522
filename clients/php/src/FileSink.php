<?php

declare(strict_types=1);

namespace Malipo;

/**
 * Takes the chunks of a file as they arrive.
 *
 * @internal
 */
final class FileSink
{
    private bool $begun = false;

    /** @param \Closure(string): mixed $write */
    public function __construct(private readonly \Closure $write)
    {
    }

    public function write(string $chunk): void
    {
        $this->begun = true;
        ($this->write)($chunk);
    }

    /** From then on the file cannot be sent again. */
    public function hasBegun(): bool
    {
        return $this->begun;
    }
}
