// Malipo.java: shared by the programs below. Compile it once: javac Malipo.java
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.UUID;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Malipo {
    private static final String URL = setting("MALIPO_URL", "http://127.0.0.1:8080");
    public static final String VID = setting("MALIPO_VID", "demo");
    private static final String KEY = setting("MALIPO_KEY", "demo-security-key");
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    /** Status 0: no answer. */
    public record Answer(int status, String body, long retryAfter) {
        /** A field that is a string, or "". A larger program uses a JSON library. */
        public String field(String name) {
            var match = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(body);
            return match.find() ? match.group(1) : "";
        }

        public Answer orThrow() throws IOException {
            if (status == 200) return this;
            throw new IOException("HTTP " + status + " " + body);
        }
    }

    /** Signs a request and sends it. */
    public static Answer call(String method, String target, String body) throws Exception {
        var time = Instant.now().getEpochSecond();
        var nonce = UUID.randomUUID().toString();
        var digest = MessageDigest.getInstance("SHA-256").digest(body.getBytes(UTF_8));
        var hex = HexFormat.of();
        var text = String.join("\n", "v2", method, target, hex.formatHex(digest), "" + time, nonce);
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(KEY.getBytes(UTF_8), "HmacSHA256"));
        var sig = hex.formatHex(mac.doFinal(text.getBytes(UTF_8)));
        var request = HttpRequest.newBuilder(URI.create(URL + target))
            .timeout(Duration.ofSeconds(15))
            .header("X-Signature", "v2,t=" + time + ",nonce=" + nonce + ",sig=" + sig)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .method(method, BodyPublishers.ofString(body))
            .build();
        try {
            var response = HTTP.send(request, BodyHandlers.ofString());
            var wait = response.headers().firstValueAsLong("Retry-After").orElse(2);
            return new Answer(response.statusCode(), response.body(), wait);
        } catch (IOException lost) {
            return new Answer(0, "", 2);
        }
    }

    private static String setting(String name, String otherwise) {
        return System.getenv().getOrDefault(name, otherwise);
    }
}
