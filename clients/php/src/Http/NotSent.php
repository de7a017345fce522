<?php

declare(strict_types=1);

namespace Malipo\Http;

final class NotSent extends \RuntimeException
{
}
