<?php

declare(strict_types=1);

namespace Malipo\Http;

/** Sends one request, once: it must not repeat a request and not follow redirects. */
interface Sender
{
    /**
     * @throws NotSent if there was no connection, so that nothing can have arrived
     * @throws NoAnswer if the request may have arrived, but no complete response came
     */
    public function send(Request $request): Response;
}
