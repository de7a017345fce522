<?php

declare(strict_types=1);

namespace Malipo;

/** The service refused the request. Nothing was accepted, and the same request will be refused again. */
final class Refused extends MalipoException
{
}
