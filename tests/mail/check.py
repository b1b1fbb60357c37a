"""Starts an SMTP server and the service, and follows one player's mail from the confirmation to the end. Called by `run`."""

import email
import email.policy
import json
import os
import queue
import re
import signal
import socket
import ssl
import subprocess
import sys
import urllib.error
import urllib.request

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

USER, PASSWORD = "club@example", "p/w%: with signs"
binary, scratch = sys.argv[1:3]
mails = queue.Queue()


class Keep:
    async def handle_DATA(self, server, session, envelope):
        secure = session.ssl is not None and session.authenticated
        mails.put((secure, envelope.rcpt_tos, email.message_from_bytes(envelope.content, policy=email.policy.default)))
        return "250 taken"


def authenticate(server, session, envelope, mechanism, data):
    return AuthResult(success=(data.login, data.password) == (USER.encode(), PASSWORD.encode()))


tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
tls.load_cert_chain(f"{scratch}/server.pem", f"{scratch}/server.key")
# The controller needs its port in advance.
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
post = Controller(
    Keep(), hostname="127.0.0.1", port=port, tls_context=tls, require_starttls=True, auth_required=True, authenticator=authenticate
)
post.start()

encoded = urllib.request.quote(USER, safe="") + ":" + urllib.request.quote(PASSWORD, safe="")
settings = {
    "BROADSIDE_SMTP_URL": f"smtp://{encoded}@localhost:{port}?tls=required",
    "BROADSIDE_MAIL_FROM": "Broadside <mail@club.example>",
    "BROADSIDE_RATE_LIMITS": "off",
    "BROADSIDE_LOG": "info",
}
log = open(f"{scratch}/log", "w")
service = subprocess.Popen(
    [binary, "serve", "--bots", "off", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--data", f"{scratch}/data"],
    env={**os.environ, **settings}, stdout=subprocess.PIPE, stderr=log, text=True,
)


def ask(method, path, body=None, token=None, form=False):
    headers = {"content-type": "application/x-www-form-urlencoded" if form else "application/json"}
    if token:
        headers["authorization"] = f"Bearer {token}"
    data = body.encode() if form else None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url + path, method=method, data=data, headers=headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        text = answer.read().decode()
        return json.loads(text) if answer.headers["content-type"] == "application/json" else text


def next_mail(to, within_s):
    secure, addresses, mail = mails.get(timeout=within_s)
    assert secure, "it came without TLS, or without the password"
    assert addresses == [to], addresses
    assert mail.get_content_type() == "text/plain", mail.get_content_type()
    return mail


try:
    line = service.stdout.readline()
    assert line.startswith("listening on "), line
    url = line.split()[-1]
    people = {}
    for name in ("anna", "ben"):
        account = {"username": name, "password": "three masts and a storm", "email": f"{name}@example.org"}
        people[name] = ask("POST", "/v1/accounts", account)["access_token"]
    anna, ben = people["anna"], people["ben"]
    wishes = {"events": ["your-turn", "match-finished"], "language": "fr", "time_zone": "Europe/Paris"}
    assert ask("PUT", "/v1/account/mail", wishes, anna)["available"]
    ask("POST", "/v1/account/mail/confirmation", {}, anna)
    link = re.search(rf"{url}(/v1/mail/confirm/\S+)", next_mail("anna@example.org", 20).get_content())[1]
    assert "<button>" in ask("GET", link)
    ask("POST", link, "", form=True)
    assert ask("GET", "/v1/account/mail", token=anna)["confirmed"]
    print("an address was confirmed, over STARTTLS and with a password")

    terms = {"variant": "classic", "clock": {"kind": "per-move", "move_s": 86400}, "opponent": "anna"}
    challenge = ask("POST", "/v1/challenges", terms, ben)
    ask("POST", f"/v1/challenges/{challenge['id']}/accept", {}, anna)
    mail = next_mail("anna@example.org", 90)
    assert mail["subject"].startswith("À vous de jouer"), mail["subject"]
    assert mail["auto-submitted"] == "auto-generated" and mail["message-id"].endswith("@club.example>")
    print(f"a turn was written about: {mail['subject']}")
    stop = re.search(rf"<{url}(/v1/mail/unsubscribe/\S+)>", mail["list-unsubscribe"])[1]
    ask("POST", stop, "List-Unsubscribe=One-Click", form=True)
    assert ask("GET", "/v1/account/mail", token=anna)["events"] == []
    print("one click ended all mail")

    service.send_signal(signal.SIGTERM)
    assert service.wait(30) == 0, "it did not stop well"
    said = open(f"{scratch}/log").read()
    for secret in ("anna@example.org", PASSWORD, encoded, link.rsplit("/", 1)[1], stop.rsplit("/", 1)[1]):
        assert secret not in said, f"{secret} is in the log"
    print("no address, password or link is in the log")
except Exception:
    print(open(f"{scratch}/log").read()[-3000:], file=sys.stderr)
    raise
finally:
    if service.poll() is None:
        service.kill()
        service.wait()
    post.stop()
