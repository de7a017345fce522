# python3 pay.py order-1 37200009901
import sys

from malipo import NewPayment, OutcomeUnknown, Refused, Unavailable
from shop import malipo

order, account = sys.argv[1:]

try:
    # Moves what was collected for you into the float, from which payments are made.
    malipo.fund()
    payment = malipo.pay(
        NewPayment(
            biller_name="kplc_prepaid",
            account=account,
            amount_cents=10_000,  # KES 100.00
            merchant_reference=order,  # your own reference: it is paid once
        ),
        wait_for=20,
    )
    if payment.is_paid:
        print(f"paid, token {payment.details['token']}")
    else:
        print(f"not paid: {payment.failure_code}, {payment.message}")
except Refused as refused:
    # Nothing was accepted. Correct the request.
    print(f"refused: {refused}")
except Unavailable as unavailable:
    print(f"nothing was accepted; try again later: {unavailable}")
except OutcomeUnknown as unknown:
    # It may be paid. Never pay again with another reference.
    print(f"not known yet: {unknown}")
