// java -cp . Balance.java
class Balance {
    public static void main(String[] args) throws Exception {
        var balance = Malipo.call("GET", "/v1/balance?vid=" + Malipo.VID, "").orThrow();
        System.out.println(balance.field("float_cents") + " cents in the float, "
            + balance.field("reserved_cents") + " reserved");
    }
}
