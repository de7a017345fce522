<?php

declare(strict_types=1);

namespace Malipo\Laravel;

use Illuminate\Contracts\Config\Repository;
use Illuminate\Support\ServiceProvider;
use Malipo\Malipo;
use Malipo\WebhookVerifier;

/** Provides the client and the verifier from `config/malipo.php`. */
final class MalipoServiceProvider extends ServiceProvider
{
    private const CONFIG = __DIR__ . '/../config/malipo.php';

    public function register(): void
    {
        $this->mergeConfigFrom(self::CONFIG, 'malipo');
        $this->app->singleton(Malipo::class, fn (): Malipo => new Malipo(
            $this->required('url'),
            $this->required('vid'),
            $this->required('key'),
            $this->value('fund_url'),
            $this->value('scoring_url'),
        ));
        $this->app->singleton(
            WebhookVerifier::class,
            fn (): WebhookVerifier => new WebhookVerifier(explode(',', $this->required('webhook_secret'))),
        );
    }

    public function boot(): void
    {
        $this->publishes([self::CONFIG => $this->app->configPath('malipo.php')], 'malipo');
    }

    private function value(string $name): ?string
    {
        $value = $this->app->make(Repository::class)->get("malipo.$name");
        return is_string($value) && $value !== '' ? $value : null;
    }

    private function required(string $name): string
    {
        return $this->value($name)
            ?? throw new \LogicException('Set MALIPO_' . strtoupper($name) . ' in the environment');
    }
}
