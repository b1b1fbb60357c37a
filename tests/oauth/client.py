"""Authlib signs in: PKCE, the code, the API, a refresh by itself, revocation."""

import http.cookiejar
import json
import os
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from requests import Session
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # loopback
URL = sys.argv[1]
NAME, PASSWORD = f"aud{os.getpid()}", "three masts and a storm"
BACK = "http://127.0.0.1:51235/back"


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A browser that stops where it is sent."""

    def redirect_request(self, *_):
        return None


browser = urllib.request.build_opener(
    urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()), NoRedirects
)


# Repeats a request after the server's `Retry-After`.
patient = HTTPAdapter(max_retries=Retry(connect=0, read=0, status=10, allowed_methods=None))


def submit(path, fields):
    """Sends a form of the service's pages: where the browser is sent. A server with too much to do is asked again."""
    data = urllib.parse.urlencode(fields).encode()
    request = urllib.request.Request(URL + path, data, {"Origin": URL})
    for _ in range(10):
        try:
            browser.open(request)
        except urllib.error.HTTPError as answer:
            if answer.code == 503:
                time.sleep(int(answer.headers["Retry-After"]))
                continue
            assert answer.code == 303, (answer.code, answer.read())
            return answer.headers["Location"]
        break
    raise AssertionError(f"{path} leads nowhere")


def register():
    session = Session()
    session.mount(URL, patient)
    session.post(URL + "/v1/accounts", json={"username": NAME, "password": PASSWORD}).raise_for_status()


def main():
    register()
    found = json.load(urllib.request.urlopen(URL + "/.well-known/oauth-authorization-server"))
    client = OAuth2Session(
        "another-client-of-others",
        scope="matches:read account:read",
        redirect_uri=BACK,
        token_endpoint_auth_method="none",
        code_challenge_method="S256",
        token_endpoint=found["token_endpoint"],
    )
    client.mount(URL, patient)
    verifier = "a-verifier-of-43-characters-or-more-is-long-enough"
    address, _ = client.create_authorization_url(found["authorization_endpoint"], code_verifier=verifier)
    submit("/oauth/sign-in", {"username": NAME, "password": PASSWORD})
    page = browser.open(address).read().decode()
    asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))
    form_token = re.search(r'name="form_token" value="([^"]+)"', page).group(1)
    back = submit("/oauth/authorize", {**asked, "form_token": form_token, "decision": "allow"})
    assert back.startswith(BACK), back
    token = client.fetch_token(found["token_endpoint"], authorization_response=back, code_verifier=verifier)
    assert token["token_type"] == "Bearer" and token["scope"] == "account:read matches:read", token
    assert client.get(URL + "/v1/account").json()["username"] == NAME
    assert client.get(URL + "/v1/sessions").status_code == 403
    first = token["refresh_token"]
    token = client.refresh_token(found["token_endpoint"], refresh_token=first)
    assert token["refresh_token"] != first
    assert client.get(URL + "/v1/turns").status_code == 200
    revoked = client.revoke_token(found["revocation_endpoint"], token["refresh_token"], "refresh_token")
    assert revoked.status_code == 200, revoked.text
    try:
        client.refresh_token(found["token_endpoint"], refresh_token=token["refresh_token"])
    except OAuthError as error:
        assert error.error == "invalid_grant", error
    else:
        raise AssertionError("a revoked token was refreshed")
    print("Authlib signs in, acts, refreshes and revokes")


main()
