"""Signs in at a provider as a browser does, with its forms. Usage: oidc.py NAME ROTA_URL PROVIDER_URL"""

import http.client
import re
import sys
import urllib.parse

name, rota, provider = sys.argv[1:]


class Browser:
    """Cookies are kept for each host and port, Secure or not: browsers send those to loopback over http."""

    def __init__(self):
        self.cookies = {}

    def ask(self, url, form=None):
        """The status, where it redirects to, and the body."""
        parts = urllib.parse.urlsplit(url)
        known = self.cookies.setdefault(parts.netloc, {})
        headers = {"Accept": "text/html", "Cookie": "; ".join(f"{key}={value}" for key, value in known.items())}
        body = None
        if form is not None:
            body = urllib.parse.urlencode(form)
            headers |= {"Content-Type": "application/x-www-form-urlencoded", "Origin": f"http://{parts.netloc}"}
        client = http.client.HTTPConnection(parts.netloc, timeout=20)
        path = parts.path + ("?" + parts.query if parts.query else "")
        client.request("GET" if form is None else "POST", path, body, headers)
        answer = client.getresponse()
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            key, value = cookie.split(";")[0].split("=", 1)
            known[key] = value
            if not value:
                del known[key]
        location = answer.headers["Location"]
        return answer.status, location and urllib.parse.urljoin(url, location), answer.read().decode()

    def authorize(self, url):
        """Goes through the provider's pages until it sends the browser back."""
        status, location, page = self.ask(url)
        for _ in range(20):
            if location and location.startswith(rota):
                return location
            if location:
                url = location
                status, location, page = self.ask(url)
                continue
            expect("a page of the provider", status, 200)
            action = re.search(r'<form[^>]*action="([^"]+)"', page)
            if action:
                url = urllib.parse.urljoin(url, action.group(1))
            prompt = re.search(r'name="prompt" value="(\w+)"', page)
            form = {"prompt": prompt.group(1), "login": "ada", "password": "x"} if prompt else {"sub": "ada"}
            status, location, page = self.ask(url, form)
        sys.exit(f"{name}: the provider does not send the browser back")


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{name}: {what}: {found!r} is not {wanted!r}")


browser = Browser()
_, _, page = browser.ask(rota + "/login?next=/me")
start = re.search(r'href="(/auth/oidc/start[^"]*)">Sign in with Example</a>', page).group(1)
status, location, _ = browser.ask(rota + start)
expect("the start", (status, location.startswith(provider)), (303, True))
challenge = re.search(r"code_challenge=([^&]+)", location)
expect("a code challenge", bool(challenge), True)
callback = browser.authorize(location)
status, location, page = browser.ask(callback)
expect("the callback", (status, location), (303, rota + "/me"))
status, _, page = browser.ask(location)
expect("who it is", (status, "Ada" in page), (200, True))
expect("the callback again", browser.ask(callback)[0], 400)

# Linked by now: another browser signs in as the same person.
second = Browser()
_, location, _ = second.ask(rota + "/auth/oidc/start")
status, location, _ = second.ask(second.authorize(location))
expect("the second sign-in", (status, location), (303, rota + "/"))

# A verifier that does not belong to the challenge.
if name == "oidc-provider":
    third = Browser()
    _, location, _ = third.ask(rota + "/auth/oidc/start")
    other = re.sub(r"code_challenge=[^&]+", "code_challenge=" + "A" * 43, location)
    status, _, page = third.ask(third.authorize(other))
    expect("a wrong verifier", (status, "could not confirm who you are" in page), (403, True))
print(f"{name}: signed in")
