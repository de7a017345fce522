<?php

declare(strict_types=1);

namespace Malipo;

/** Times on the wire are local times of Nairobi, which has no daylight-saving time. */
final class Time
{
    private const FORMAT = '!Y-m-d H:i:s';

    /** @throws \UnexpectedValueException if the text is not `YYYY-MM-DD HH:MM:SS` */
    public static function of(string $text): \DateTimeImmutable
    {
        $zone = new \DateTimeZone('+03:00');
        $time = \DateTimeImmutable::createFromFormat(self::FORMAT, $text, $zone);
        // PHP moves a day that does not exist to the next month.
        if ($time === false || $time->format('Y-m-d H:i:s') !== $text) {
            throw new \UnexpectedValueException("Not a time: $text");
        }
        return $time;
    }
}
