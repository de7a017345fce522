// java Header.java
import static java.nio.charset.StandardCharsets.UTF_8;

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
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Header {
    static final String BASE = System.getenv().getOrDefault("MALIPO_URL", "http://127.0.0.1:8080");
    static final byte[] KEY = "demo-security-key".getBytes(UTF_8);

    /** Signs and sends one request. Every retry must be signed again. */
    static String send(String method, String path, String body) throws Exception {
        var time = Instant.now().getEpochSecond();
        var nonce = UUID.randomUUID().toString();
        var digest = MessageDigest.getInstance("SHA-256").digest(body.getBytes(UTF_8));
        var hex = HexFormat.of();
        var text = String.join("\n", "v2", method, path, hex.formatHex(digest), "" + time, nonce);
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
        var sig = hex.formatHex(mac.doFinal(text.getBytes(UTF_8)));
        var request = HttpRequest.newBuilder(URI.create(BASE + path))
            .timeout(Duration.ofSeconds(15))
            .header("X-Signature", "v2,t=" + time + ",nonce=" + nonce + ",sig=" + sig)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .method(method, BodyPublishers.ofString(body))
            .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    }

    public static void main(String[] args) throws Exception {
        System.out.println(send("POST", "/transaction/create", "vid=demo&biller_name=safaricom"
            + "&amount=10.00&account=254722000000&merchant_reference=INV-2031-8"));
    }
}
