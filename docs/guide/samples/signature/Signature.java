// java Signature.java
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Signature {
    static String sign(Map<String, String> params, String key) throws Exception {
        var pairs = new ArrayList<String>();
        new TreeMap<>(params).forEach((name, value) -> {
            if (!name.equals("hash") && value != null) pairs.add(name + "=" + value);
        });
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key.getBytes(UTF_8), "HmacSHA256"));
        return HexFormat.of().formatHex(mac.doFinal(String.join("&", pairs).getBytes(UTF_8)));
    }

    public static void main(String[] args) throws Exception {
        System.out.println(sign(Map.of(
            "vid", "demo",
            "biller_name", "kplc_prepaid",
            "amount", "100",
            "account", "37200009901",
            "merchant_reference", "order-1001"), "demo-security-key"));
    }
}
