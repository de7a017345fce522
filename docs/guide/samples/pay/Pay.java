// java -cp . Pay.java order-1 37200009901
import java.time.Instant;
import java.util.Set;

class Pay {
    enum Outcome { ACCEPTED, REFUSED, UNAVAILABLE, UNKNOWN }

    static final Set<String> NOTHING_ACCEPTED = Set.of("overloaded", "unavailable", "biller_offline");

    public static void main(String[] args) throws Exception {
        var order = args[0];
        if (order.isBlank()) throw new IllegalArgumentException("give the order a reference of its own");
        // Moves what was collected for you into the float, from which payments are made.
        Malipo.call("POST", "/payments/v2/billing/fund",
            "vid=" + Malipo.VID + "&currency=KES&time=" + Instant.now().getEpochSecond());

        // Your own reference makes it safe to repeat: it is paid once.
        var payment = "vid=" + Malipo.VID + "&biller_name=kplc_prepaid&amount=100.00"
            + "&account=" + args[1] + "&merchant_reference=" + order;
        var outcome = Outcome.UNAVAILABLE;
        Malipo.Answer answer = null;
        for (int attempt = 1; attempt <= 5; attempt++) {
            answer = Malipo.call("POST", "/transaction/create", payment);
            outcome = judge(answer, outcome);
            if (outcome == Outcome.ACCEPTED || isFinal(answer)) break;
            Thread.sleep(answer.retryAfter() * 1000);
        }
        var reason = answer.field("text")
            + " (" + answer.field("code") + ", request " + answer.field("request_id") + ")";
        switch (outcome) {
            // Nothing was accepted. Correct the request.
            case REFUSED -> System.out.println("refused: " + reason);
            case UNAVAILABLE -> System.out.println("nothing was accepted; try again later: " + reason);
            default -> System.out.println(await(order));
        }
    }

    /** Whether it is of no use to repeat the request now. */
    static boolean isFinal(Malipo.Answer answer) {
        if (answer.field("code").equals("biller_offline")) return true;
        return answer.status() / 100 == 4 && answer.status() != 429;
    }

    static Outcome judge(Malipo.Answer answer, Outcome before) {
        var code = answer.field("code");
        if (answer.status() == 200) return Outcome.ACCEPTED;
        // Nothing was accepted this time.
        if (answer.status() == 429 || NOTHING_ACCEPTED.contains(code)) return before;
        if (code.equals("reference_reused")) return Outcome.REFUSED;
        if (answer.status() / 100 == 4 && before != Outcome.UNKNOWN) return Outcome.REFUSED;
        // No answer, or an unclear one: it may have been accepted.
        return Outcome.UNKNOWN;
    }

    static String await(String order) throws Exception {
        for (int attempt = 1; attempt <= 20; attempt++) {
            var status = Malipo.call("POST", "/transaction/check/status",
                "vid=" + Malipo.VID + "&merchant_reference=" + order);
            switch (status.field("transaction_status")) {
                case "SUCCESS": return "paid, token " + status.field("token");
                case "FAILED":
                    return "not paid: " + status.field("failure_code") + ", " + status.field("transaction_message");
                default: Thread.sleep(1000);
            }
        }
        // It may be paid. Never pay again with another reference.
        return "not known yet: run this again with the same reference";
    }
}
