// java -cp . Score.java enquiry1
class Score {
    public static void main(String[] args) throws Exception {
        // Your own reference: the same one gets the same answer.
        var answer = Malipo.call("POST", "/generic-score", "vid=" + Malipo.VID
            + "&requestReference=" + args[0] + "&reportReason=2&reportSector=2"
            + "&nationalID=900000001&name1=Amani&name2=Baraka&name3=Wanjiru").orThrow();
        System.out.println("score " + answer.field("positiveScore") + ", grade " + answer.field("grade"));
    }
}
