# python3 status.py order-1
import sys

from shop import malipo

payment = malipo.status(merchant_reference=sys.argv[1])
print(payment.status, payment.reference, payment.details.get("token", ""))
