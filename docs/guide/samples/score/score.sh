# bash score.sh enquiry1
. ./malipo.sh

call POST /generic-score "vid=$vid&requestReference=$1&reportReason=2&reportSector=2&\
nationalID=900000001&name1=Amani&name2=Baraka&name3=Wanjiru" >/dev/null ||
  { echo "$answer" && exit 1; }
echo "score $(field positiveScore), grade $(field grade)"
