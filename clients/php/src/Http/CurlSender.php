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
        $body = '';
        curl_setopt_array($handle, [
            CURLOPT_URL => $request->url,
            CURLOPT_CUSTOMREQUEST => $request->method,
            CURLOPT_HTTPHEADER => self::lines($request->headers),
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_HEADERFUNCTION => static function (\CurlHandle $_, string $line) use (&$headers): int {
                $parts = explode(':', $line, 2);
                if (count($parts) === 2) {
                    $headers[strtolower(trim($parts[0]))] = trim($parts[1]);
                }
                return strlen($line);
            },
            CURLOPT_WRITEFUNCTION => static function (\CurlHandle $handle, string $chunk) use ($request, &$headers, &$body): int {
                $status = (int) curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
                if ($request->sink !== null && Response::isFile($status, $headers)) {
                    $request->sink->write($chunk);
                } else {
                    $body .= $chunk;
                }
                return strlen($chunk);
            },
        ] + self::timeLimits($request) + ($request->method === 'GET' ? [] : [CURLOPT_POSTFIELDS => $request->body]));
        if (curl_exec($handle) === false) {
            throw self::failure($handle);
        }
        return new Response((int) curl_getinfo($handle, CURLINFO_RESPONSE_CODE), $headers, $body);
    }

    /**
     * A file may take any time, as long as it keeps coming.
     *
     * @return array<int, int>
     */
    private static function timeLimits(Request $request): array
    {
        $milliseconds = max(1, (int) ($request->timeoutSeconds * 1000));
        return $request->sink === null ? [CURLOPT_TIMEOUT_MS => $milliseconds] : [
            CURLOPT_CONNECTTIMEOUT_MS => $milliseconds,
            CURLOPT_LOW_SPEED_LIMIT => 1,
            CURLOPT_LOW_SPEED_TIME => max(1, (int) ceil($request->timeoutSeconds)),
        ];
    }

    /**
     * @param array<string, string> $headers
     * @return list<string>
     */
    private static function lines(array $headers): array
    {
        // Otherwise cURL asks for permission to send large bodies, and waits for it, and has a type of its own.
        $lines = ['Expect:', ...(isset($headers['Content-Type']) ? [] : ['Content-Type:'])];
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
