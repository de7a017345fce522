// java -cp . Status.java order-1
class Status {
    public static void main(String[] args) throws Exception {
        var body = "vid=" + Malipo.VID + "&merchant_reference=" + args[0];
        var payment = Malipo.call("POST", "/transaction/check/status", body).orThrow();
        System.out.println(payment.field("transaction_status") + " "
            + payment.field("ipay_reference") + " " + payment.field("token"));
    }
}
