<?php

declare(strict_types=1);

namespace Malipo;

use Malipo\Http\CurlSender;
use Malipo\Http\PsrSender;
use Malipo\Http\Sender;

/** How requests are signed, sent and repeated. */
final class Options
{
    public readonly Sender $sender;

    /**
     * @param 'header'|'hash' $signature `header` signs the whole request and prevents replay; `hash`
     *   signs the parameters only, for servers behind proxies that rewrite paths; operations below
     *   `/v1` are always signed with the header
     * @param float $timeoutSeconds how long one attempt may take; of a file, how long nothing may come
     * @param float $retryForSeconds for how long a request is repeated if the service is unavailable
     *   or silent; 0: never
     * @param ?Sender $sender default: an installed PSR-18 client, if php-http/discovery finds one,
     *   otherwise cURL
     */
    public function __construct(
        public readonly string $signature = 'header',
        public readonly float $timeoutSeconds = 15.0,
        public readonly float $retryForSeconds = 45.0,
        ?Sender $sender = null,
    ) {
        $this->sender = $sender ?? PsrSender::discover() ?? new CurlSender();
    }
}
