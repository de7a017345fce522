<?php

declare(strict_types=1);

// Registers the bridge with Debian's packages of Laravel, and handles a genuine and an altered event.
// Prints what came of it; test/clients/laravel.test.ts reads it.

use Illuminate\Config\Repository;
use Illuminate\Container\Container;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Malipo\Laravel\MalipoServiceProvider;
use Malipo\Laravel\VerifyWebhook;
use Malipo\WebhookEvent;
use Malipo\WebhookVerifier;

// Debian's Laravel is older than its PHP.
error_reporting(E_ALL & ~E_DEPRECATED);
// Laravel's env() needs php-phpoption and php-vlucas-phpdotenv, which its packages do not install. Laravel
// keeps a function of this name that exists.
function env(string $key): ?string
{
    $value = getenv($key);
    return $value === false ? null : $value;
}
foreach (['Config', 'Container', 'Http', 'Support'] as $part) {
    require_once "/usr/share/php/Illuminate/$part/autoload.php";
}
require __DIR__ . '/../../php/test/autoload.php';
require __DIR__ . '/../src/MalipoServiceProvider.php';
require __DIR__ . '/../src/VerifyWebhook.php';

$app = new Container();
$app->instance('config', new Repository());
$app->alias('config', Illuminate\Contracts\Config\Repository::class);
(new MalipoServiceProvider($app))->register();

$test = WebhookVerifier::signTestEvent((string) getenv('MALIPO_WEBHOOK_SECRET'), 'webhook.test', ['vid' => 'demo']);
$handle = static function (string $body) use ($app, $test): Response {
    $request = Request::create('/malipo/events', 'POST', content: $body);
    $request->headers->add($test['headers']);
    return $app->make(VerifyWebhook::class)->handle(
        $request,
        static fn (Request $next): Response => new Response($next->attributes->get(WebhookEvent::class)->type),
    );
};
$results = [];
foreach ([$test['body'], $test['body'] . ' '] as $body) {
    $response = $handle($body);
    $results[] = [$response->getStatusCode(), $response->getContent()];
}
echo json_encode(['client' => $app->make(Malipo\Malipo::class)::class, 'events' => $results]), "\n";
