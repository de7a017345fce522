<?php

declare(strict_types=1);

namespace Malipo\Http;

/** Sends with PHP’s own cURL, over a connection that is kept open. */
final class CurlSender implements Sender
{
    private ?\CurlHandle $handle = null;

    public function send(Request $request): Response
    {
        $handle = $this->handle ??= curl_init();
        curl_reset($handle);
        $headers = [];
        curl_setopt_array($handle, [
            CURLOPT_URL => $request->url,
            CURLOPT_POST => true,
            CURLOPT_POSTFIELDS => $request->body,
            CURLOPT_HTTPHEADER => self::lines($request->headers),
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_TIMEOUT_MS => max(1, (int) ($request->timeoutSeconds * 1000)),
            CURLOPT_HEADERFUNCTION => static function (\CurlHandle $_, string $line) use (&$headers): int {
                $parts = explode(':', $line, 2);
                if (count($parts) === 2) {
                    $headers[strtolower(trim($parts[0]))] = trim($parts[1]);
                }
                return strlen($line);
            },
        ]);
        $body = curl_exec($handle);
        if (!is_string($body)) {
            throw self::failure($handle);
        }
        return new Response((int) curl_getinfo($handle, CURLINFO_RESPONSE_CODE), $headers, $body);
    }

    /**
     * @param array<string, string> $headers
     * @return list<string>
     */
    private static function lines(array $headers): array
    {
        // Without this cURL asks for permission to send large bodies, and waits for it.
        $lines = ['Expect:'];
        foreach ($headers as $name => $value) {
            $lines[] = "$name: $value";
        }
        return $lines;
    }

    private static function failure(\CurlHandle $handle): NotSent|NoAnswer
    {
        $reason = 'No response: ' . curl_error($handle);
        // Zero until the connection, with TLS, is ready to send.
        $sent = (float) curl_getinfo($handle, CURLINFO_PRETRANSFER_TIME) > 0.0;
        return $sent ? new NoAnswer($reason) : new NotSent($reason);
    }
}
