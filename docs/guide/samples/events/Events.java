// MALIPO_WEBHOOK_SECRET=whsec_… java Events.java
import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Events {
    static final byte[] KEY = Base64.getDecoder()
        .decode(System.getenv("MALIPO_WEBHOOK_SECRET").substring("whsec_".length()));

    static boolean isGenuine(Headers headers, byte[] body) throws GeneralSecurityException {
        var id = headers.getFirst("webhook-id");
        var time = headers.getFirst("webhook-timestamp");
        var signatures = headers.getFirst("webhook-signature");
        if (id == null || time == null || signatures == null || !time.matches("\\d{1,12}")) return false;
        // Reject old requests: they may be replayed.
        if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(time)) > 300) return false;
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
        mac.update((id + "." + time + ".").getBytes(UTF_8));
        var expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(UTF_8);
        for (var given : signatures.split(" ")) {
            if (MessageDigest.isEqual(expected, given.getBytes(UTF_8))) return true;
        }
        return false;
    }

    public static void main(String[] args) throws Exception {
        var server = HttpServer.create(new InetSocketAddress("127.0.0.1", 3000), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                var body = exchange.getRequestBody().readAllBytes();
                var isGenuine = isGenuine(exchange.getRequestHeaders(), body);
                // Here: store the event under its webhook-id. The same id again is the same event.
                if (isGenuine) System.out.println(new String(body, UTF_8));
                exchange.sendResponseHeaders(isGenuine ? 204 : 401, -1);
            } catch (GeneralSecurityException error) {
                throw new IllegalStateException(error);
            }
        });
        server.start();
    }
}
