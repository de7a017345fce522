// java -cp . ListPayments.java 2026-11-01
import java.util.regex.Pattern;

class ListPayments {
    static final Pattern PAYMENT = Pattern.compile("\\{\"reference\":\"([^\"]*)\"[^}]*\"amount_cents\":\"(\\d+)\"");

    public static void main(String[] args) throws Exception {
        var first = "/v1/payments?vid=" + Malipo.VID + "&status=SUCCESS&from=" + args[0] + "&limit=100";
        var target = first;
        while (target != null) {
            var page = Malipo.call("GET", target, "").orThrow();
            PAYMENT.matcher(page.body()).results()
                .forEach(payment -> System.out.println(payment.group(1) + " " + payment.group(2)));
            var cursor = page.field("next_cursor");
            target = cursor.isEmpty() ? null : first + "&cursor=" + cursor;
        }
    }
}
