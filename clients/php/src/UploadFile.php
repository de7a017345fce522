<?php

declare(strict_types=1);

namespace Malipo;

/** A file as you have it, instead of rows. */
final class UploadFile
{
    /** @param 'text/csv'|'application/x-ndjson' $contentType */
    public function __construct(
        public readonly string $bytes,
        public readonly string $contentType,
    ) {
    }

    /**
     * Rows as a JSON Lines file.
     *
     * @param iterable<array<string, ?string>> $rows
     */
    public static function ofRows(iterable $rows): self
    {
        $lines = '';
        foreach ($rows as $row) {
            $row = array_filter($row, static fn (?string $value): bool => $value !== null);
            $lines .= json_encode($row, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES) . "\n";
        }
        return new self($lines, 'application/x-ndjson');
    }
}
