# python3 balance.py
from shop import malipo

balance = malipo.get_balance()
print(f"{balance.float_cents} cents in the float, {balance.reserved_cents} reserved")
