# bash status.sh order-1
. ./malipo.sh

call POST /transaction/check/status "vid=$vid&merchant_reference=$1" >/dev/null ||
  { echo "$answer" && exit 1; }
echo "$(field transaction_status) $(field ipay_reference) $(field token)"
