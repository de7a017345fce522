# python3 list.py 2026-11-01
import sys

from shop import malipo

for payment in malipo.list_payments(from_=sys.argv[1], status="SUCCESS"):
    print(payment.reference, payment.amount_cents)
