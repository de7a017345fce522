<?php

declare(strict_types=1);

namespace Malipo;

/** The two signatures of a request: the parameter `hash` and the header `X-Signature`. */
final class Signature
{
    /**
     * The parameters that are sent, in ASCII order of their names, without `hash`. Null is left out;
     * an empty text is sent and signed.
     *
     * @param array<string, ?string> $parameters
     * @return array<string, string>
     */
    public static function sent(array $parameters): array
    {
        unset($parameters['hash']);
        $sent = array_filter($parameters, static fn (?string $value): bool => $value !== null);
        ksort($sent, SORT_STRING);
        return $sent;
    }

    /**
     * The text that `hash` signs: `name=value` joined by `&`, not URL-encoded.
     *
     * @param array<string, ?string> $parameters
     */
    public static function text(array $parameters): string
    {
        $pairs = [];
        foreach (self::sent($parameters) as $name => $value) {
            $pairs[] = "$name=$value";
        }
        return implode('&', $pairs);
    }

    /** @param array<string, ?string> $parameters */
    public static function hash(array $parameters, string $key): string
    {
        return hash_hmac('sha256', self::text($parameters), $key);
    }

    /**
     * The value of `X-Signature`. Every attempt needs its own.
     *
     * @param string $target path and query as in the request line
     */
    public static function header(
        string $method,
        string $target,
        string $body,
        int $seconds,
        string $nonce,
        #[\SensitiveParameter] string $key,
    ): string {
        $text = implode("\n", ['v2', $method, $target, hash('sha256', $body), $seconds, $nonce]);
        return "v2,t=$seconds,nonce=$nonce,sig=" . hash_hmac('sha256', $text, $key);
    }
}
