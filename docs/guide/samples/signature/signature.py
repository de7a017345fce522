# python3 signature.py
import hashlib
import hmac


def sign(params, key):
    names = sorted(name for name in params if name != "hash" and params[name] is not None)
    text = "&".join(f"{name}={params[name]}" for name in names)
    return hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()


print(sign({
    "vid": "demo",
    "biller_name": "kplc_prepaid",
    "amount": "100",
    "account": "37200009901",
    "merchant_reference": "order-1001",
}, "demo-security-key"))
