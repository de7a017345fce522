# python3 header.py
import hashlib
import hmac
import json
import os
import secrets
import time
from urllib.request import Request, urlopen

BASE = os.environ.get("MALIPO_URL", "http://127.0.0.1:8080")
KEY = b"demo-security-key"


def send(method, path, body=b""):
    """Signs and sends one request. Every retry must be signed again."""
    now = int(time.time())
    nonce = secrets.token_hex(16)
    digest = hashlib.sha256(body).hexdigest()
    text = "\n".join(["v2", method, path, digest, str(now), nonce])
    sig = hmac.new(KEY, text.encode(), hashlib.sha256).hexdigest()
    headers = {"X-Signature": f"v2,t={now},nonce={nonce},sig={sig}"}
    if body:
        headers["Content-Type"] = "application/json"
    request = Request(BASE + path, data=body or None, headers=headers, method=method)
    with urlopen(request, timeout=15) as answer:
        return answer.read().decode()


payment = {
    "vid": "demo",
    "biller_name": "safaricom",
    "amount": "10.00",
    "account": "254722000000",
    "merchant_reference": "INV-2031-8",
}
print(send("POST", "/transaction/create", json.dumps(payment).encode()))
