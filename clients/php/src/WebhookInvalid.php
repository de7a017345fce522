<?php

declare(strict_types=1);

namespace Malipo;

/** The request is not a genuine event of the service. Respond with 401. */
final class WebhookInvalid extends \RuntimeException
{
}
