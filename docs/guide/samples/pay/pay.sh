# bash pay.sh order-1 37200009901
. ./malipo.sh
order=${1:?give the order a reference of its own}
account=$2

# Moves what was collected for you into the float, from which payments are made.
call POST /payments/v2/billing/fund "vid=$vid&currency=KES&time=$(date +%s)" >/dev/null

# Your own reference makes it safe to repeat: it is paid once.
payment="vid=$vid&biller_name=kplc_prepaid&amount=100.00&account=$account&merchant_reference=$order"
outcome=unavailable
for try in 1 2 3 4 5; do
  call POST /transaction/create "$payment" >/dev/null
  case $status/$(field code) in
    2??/*) outcome=accepted && break ;;
    503/biller_offline) break ;; # nothing was accepted; it may be offline for hours
    429/* | 503/overloaded | 503/unavailable) ;; # nothing was accepted
    409/reference_reused) outcome=refused && break ;;
    4??/*) [ $outcome = unknown ] || outcome=refused && break ;;
    *) outcome=unknown ;; # no answer, or an unclear one: it may have been accepted
  esac
  sleep "${retry_after:-2}"
done
reason="$(field text) ($(field code), request $(field request_id))"
case $outcome in
  refused)
    # Nothing was accepted. Correct the request.
    echo "refused: $reason"
    exit
    ;;
  unavailable)
    echo "nothing was accepted; try again later: $reason"
    exit
    ;;
esac

for try in {1..20}; do
  call POST /transaction/check/status "vid=$vid&merchant_reference=$order" >/dev/null
  case $(field transaction_status) in
    SUCCESS) echo "paid, token $(field token)" && exit ;;
    FAILED) echo "not paid: $(field failure_code), $(field transaction_message)" && exit ;;
  esac
  sleep 1
done
# It may be paid. Never pay again with another reference.
echo 'not known yet: run this again with the same reference'
