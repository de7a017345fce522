<?php

declare(strict_types=1);

namespace Malipo;

/** Amounts are integer cents in the program and decimal text or numbers in shillings on the wire. */
final class Money
{
    /** The largest amount that the service accepts: twelve digits before the point. */
    private const MAX_CENTS = 99_999_999_999_999;

    /**
     * `'353.60'` and `353.6` are `35360`.
     *
     * @throws \UnexpectedValueException for anything that is not an amount
     */
    public static function centsOf(mixed $amount): int
    {
        if (is_int($amount) && abs($amount) <= intdiv(self::MAX_CENTS, 100)) {
            return $amount * 100;
        }
        if (is_float($amount) && abs($amount * 100) <= self::MAX_CENTS) {
            // Exact: an amount has at most 14 digits, and a double holds 15.
            return (int) round($amount * 100);
        }
        if (is_string($amount) && preg_match('/^(-?)(\d{1,12})(?:\.(\d{1,2}))?\z/', $amount, $parts) === 1) {
            $cents = (int) $parts[2] * 100 + (int) str_pad($parts[3] ?? '', 2, '0');
            return $parts[1] === '-' ? -$cents : $cents;
        }
        throw new \UnexpectedValueException('Not an amount of money: ' . json_encode($amount));
    }

    /**
     * `35360` is `353.60`.
     *
     * @throws \InvalidArgumentException
     */
    public static function decimalOf(int $cents): string
    {
        if ($cents < 0 || $cents > self::MAX_CENTS) {
            throw new \InvalidArgumentException("Not an amount in cents: $cents");
        }
        return sprintf('%d.%02d', intdiv($cents, 100), $cents % 100);
    }
}
