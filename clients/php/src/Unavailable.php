<?php

declare(strict_types=1);

namespace Malipo;

/** The request could not be processed. Nothing was accepted. Repeat it later, with the same reference. */
final class Unavailable extends MalipoException
{
}
