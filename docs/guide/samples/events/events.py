# MALIPO_WEBHOOK_SECRET=whsec_… python3 events.py
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from malipo import WebhookInvalid, WebhookVerifier

webhooks = WebhookVerifier(os.environ["MALIPO_WEBHOOK_SECRET"])


class Events(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = webhooks.verify(body, self.headers)
        except WebhookInvalid:
            self.answer(401)
            return
        # Here: store the event under event.id. The same id again is the same event.
        if event.payment is not None:
            print(event.type, event.payment.merchant_reference, event.payment.status, flush=True)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()


ThreadingHTTPServer(("127.0.0.1", 3000), Events).serve_forever()
