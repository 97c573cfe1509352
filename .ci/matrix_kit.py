"""A homeserver, its people and a server of rota, for the scenarios of `.ci/matrix`. People and the observer use the client-server
API by plain HTTP."""

import hashlib, hmac, http.server, json, os, re, signal, socket, subprocess, sys, threading, time, traceback
import urllib.error, urllib.parse, urllib.request

binary, scratch = sys.argv[1:3]
chosen = sys.argv[3:]
DOMAIN = "example.test"
SECRET = "registration"
PASSWORD = "a password"
ask_plain = urllib.request.build_opener(urllib.request.ProxyHandler({})).open


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def eventually(what, find, within=40):
    """Waits until something is found, and returns it."""
    until = time.monotonic() + within
    while True:
        found = find()
        if found:
            return found
        assert time.monotonic() < until, f"not within {within} s: {what}"
        time.sleep(0.1)


class Refused(Exception):
    def __init__(self, status, body):
        super().__init__(f"{status} {body}")
        self.status, self.body = status, body


def request(method, url, body=None, headers=()):
    data = None if body is None else json.dumps(body).encode()
    wanted = urllib.request.Request(url, data, {"Content-Type": "application/json", **dict(headers)}, method=method)
    try:
        text = ask_plain(wanted, timeout=60).read()
    except urllib.error.HTTPError as error:
        text = error.read().decode()
        raise Refused(error.code, json.loads(text) if text.startswith("{") else text) from None
    return json.loads(text) if text else None


class Synapse:
    """A homeserver in a folder of its own."""

    def __init__(self, name="synapse", more=""):
        self.folder = f"{scratch}/{name}"
        os.makedirs(self.folder)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        config = f"""
server_name: {DOMAIN}
pid_file: {self.folder}/pid
listeners:
  - {{ port: {self.port}, type: http, tls: false, bind_addresses: ["127.0.0.1"], resources: [{{ names: [client] }}] }}
database: {{ name: sqlite3, args: {{ database: {self.folder}/homeserver.db }} }}
media_store_path: {self.folder}/media
signing_key_path: {self.folder}/signing.key
log_config: {self.folder}/log.yaml
registration_shared_secret: {SECRET}
macaroon_secret_key: macaroon
form_secret: form
report_stats: false
trusted_key_servers: []
suppress_key_server_warning: true
{more}
"""
        with open(f"{self.folder}/homeserver.yaml", "w") as file:
            file.write(config)
        with open(f"{self.folder}/log.yaml", "w") as file:
            file.write("version: 1\nhandlers: { console: { class: logging.StreamHandler } }\nroot: { level: WARNING, handlers: [console] }\n")
        self.run("--generate-keys")
        self.start()
        self.admin = self.register("root", admin=True)

    def run(self, *flags):
        command = [sys.executable, "-m", "synapse.app.homeserver", "--config-path", f"{self.folder}/homeserver.yaml", *flags]
        subprocess.run(command, check=True, capture_output=True)

    def start(self):
        command = [sys.executable, "-m", "synapse.app.homeserver", "--config-path", f"{self.folder}/homeserver.yaml"]
        with open(f"{scratch}/synapse.log", "a") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)

        def is_up():
            try:
                return request("GET", f"{self.url}/_matrix/client/versions")
            except (Refused, OSError):
                return None

        eventually("Synapse answers", is_up, 60)

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def register(self, name, admin=False):
        url = f"{self.url}/_synapse/admin/v1/register"
        nonce = request("GET", url)["nonce"]
        parts = [nonce, name, PASSWORD, "admin" if admin else "notadmin"]
        mac = hmac.new(SECRET.encode(), b"\0".join(part.encode() for part in parts), hashlib.sha1).hexdigest()
        body = {"nonce": nonce, "username": name, "password": PASSWORD, "displayname": name.capitalize(), "admin": admin, "mac": mac}
        made = request("POST", url, body)
        return Account(self, made["user_id"], made["access_token"])

    def lift_limits(self, account):
        url = f"{self.url}/_synapse/admin/v1/users/{account.id}/override_ratelimit"
        body = {"messages_per_second": 0, "burst_count": 0}
        request("POST", url, body, {"Authorization": f"Bearer {self.admin.token}"})


class Losing:
    """Stands before a homeserver, and loses answers: the homeserver has done what was asked, and the asker does not hear it."""

    def __init__(self, server):
        losing = self
        self.lost, self.wanted = [], []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.0"

            def forward(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length) if length else None
                headers = {name: self.headers[name] for name in ("Authorization", "Content-Type") if name in self.headers}
                wanted = urllib.request.Request(server.url + self.path, body, headers, method=self.command)
                try:
                    with ask_plain(wanted, timeout=60) as answer:
                        status, text = answer.status, answer.read()
                except urllib.error.HTTPError as error:
                    status, text = error.code, error.read()
                for pattern in losing.wanted:
                    if re.search(pattern, self.path) and self.command != "GET":
                        losing.wanted.remove(pattern)
                        losing.lost.append(self.path)
                        self.close_connection = True
                        return
                try:
                    self.send_response(status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text)
                except OSError:
                    pass

            do_GET = do_POST = do_PUT = forward

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def lose(self, pattern):
        self.wanted.append(pattern)


class Account:
    """Somebody at the homeserver."""

    def __init__(self, server, user, token):
        self.server, self.id, self.token = server, user, token

    def call(self, method, path, body=None, **query):
        path = "/".join(urllib.parse.quote(part, safe="") for part in path)
        url = f"{self.server.url}/_matrix/client/{path}"
        if query:
            url += "?" + urllib.parse.urlencode(query)
        return request(method, url, body, {"Authorization": f"Bearer {self.token}"})

    def room(self, room, *rest):
        return ["v3", "rooms", room, *rest]

    def make(self, **body):
        return self.call("POST", ["v3", "createRoom"], body)["room_id"]

    def set(self, room, kind, content, key=""):
        return self.call("PUT", self.room(room, "state", kind, key), content)

    def state(self, room, kind, key=""):
        try:
            return self.call("GET", self.room(room, "state", kind, key))
        except Refused as refused:
            assert refused.status == 404, refused
            return None

    def call_oneself(self, name, room):
        """Takes a display name, and waits until a room has it."""
        self.call("PUT", ["v3", "profile", self.id, "displayname"], {"displayname": name})
        eventually("the name is there", lambda: self.state(room, "m.room.member", self.id)["displayname"] == name)

    def invite(self, room, other):
        self.call("POST", self.room(room, "invite"), {"user_id": other.id})

    def kick(self, room, other):
        self.call("POST", self.room(room, "kick"), {"user_id": other.id})

    def join(self, room):
        self.call("POST", self.room(room, "join"), {})

    def leave(self, room):
        self.call("POST", self.room(room, "leave"), {})

    def say(self, room, text, html=None, reply=None, thread=None, kind="m.text", **more):
        """Writes a message, and returns the id of its event."""
        content = {"msgtype": kind, "body": text, **more}
        if html:
            content |= {"format": "org.matrix.custom.html", "formatted_body": html}
        relation = {"m.in_reply_to": {"event_id": reply}} if reply else {}
        if thread:
            relation |= {"rel_type": "m.thread", "event_id": thread, "is_falling_back": not reply}
            relation.setdefault("m.in_reply_to", {"event_id": thread})
        if relation:
            content["m.relates_to"] = relation
        path = self.room(room, "send", "m.room.message", f"{time.monotonic_ns()}")
        return self.call("PUT", path, content)["event_id"]

    def react(self, room, event, key):
        relation = {"rel_type": "m.annotation", "event_id": event, "key": key}
        path = self.room(room, "send", "m.reaction", f"{time.monotonic_ns()}")
        return self.call("PUT", path, {"m.relates_to": relation})["event_id"]

    def reactions(self, room, event, sender):
        """The reactions of somebody below a message."""
        path = ["v1", "rooms", room, "relations", event, "m.annotation", "m.reaction"]
        chunk = self.call("GET", path)["chunk"]
        return sorted(one["content"]["m.relates_to"]["key"] for one in chunk if one["sender"] == sender.id and one["content"])

    def answers(self, room, event, sender):
        """The messages of somebody in reply to an event."""
        replied = lambda one: one["content"].get("m.relates_to", {}).get("m.in_reply_to", {}).get("event_id")
        return [one for one in self.messages(room, sender) if replied(one) == event]

    def membership(self, room, other):
        state = self.state(room, "m.room.member", other.id)
        return state and state["membership"]

    def messages(self, room, sender=None):
        """The messages of a room, oldest first, without edits."""
        chunk = self.call("GET", self.room(room, "messages"), dir="b", limit=1000)["chunk"]
        found = [one for one in reversed(chunk) if one["type"] == "m.room.message" and "body" in one["content"]]
        found = [one for one in found if one["content"].get("m.relates_to", {}).get("rel_type") != "m.replace"]
        return [one for one in found if sender is None or one["sender"] == sender.id]

    def texts(self, room, sender=None):
        return [one["content"]["body"] for one in self.messages(room, sender)]

    def edits(self, room):
        chunk = self.call("GET", self.room(room, "messages"), dir="b", limit=1000)["chunk"]
        return [one for one in reversed(chunk) if one["content"].get("m.relates_to", {}).get("rel_type") == "m.replace"]

    def invitations(self):
        """The rooms that somebody is invited to, with the invitation."""
        # Synapse answers the same question the same for two minutes.
        answer = self.call("GET", ["v3", "sync"], timeout=time.monotonic_ns() % 1_000_000_000)
        found = {}
        for room, entry in answer["rooms"].get("invite", {}).items() if "rooms" in answer else []:
            events = entry["invite_state"]["events"]
            found[room] = next(one for one in events if one["type"] == "m.room.member" and one["state_key"] == self.id)
        return found

    def direct_of(self, sender, again=False):
        """The direct room to which somebody was invited, joined. An invitation anew does not say that it is one."""
        is_direct = lambda one: again or one["content"].get("is_direct")
        invited = lambda: [room for room, one in self.invitations().items() if one["sender"] == sender.id and is_direct(one)]
        room = eventually(f"{self.id} is invited to a direct room", invited)[0]
        self.join(room)
        return room


class Team:
    """A space with an admin, two more people, a bridge and rota, and a room that it lists."""

    def __init__(self, server, version=None, limits=False):
        self.server = server
        tag = f"{time.monotonic_ns():x}"
        person = lambda name: server.register(f"{name}-{tag}")
        self.ana, self.bo, self.cyd, self.bridge, self.rota = map(person, ["ana", "bo", "cyd", "bridge", "rota"])
        people = [self.ana, self.bo, self.cyd, self.bridge] + ([] if limits else [self.rota])
        for account in people:
            server.lift_limits(account)
        more = {"room_version": version} if version else {}
        self.alias = f"#ops-{tag}:{DOMAIN}"
        self.space = self.ana.make(
            creation_content={"type": "m.space"}, preset="public_chat", name="Ops", room_alias_name=f"ops-{tag}", **more
        )
        for account in [self.bo, self.cyd, self.bridge, self.rota]:
            account.join(self.space)
        self.tag = tag
        self.duty = self.channel("Duty")

    def channel(self, name, has_rota=True, power=50, **more):
        """A room of the space whose topic rota may set."""
        rule = {"join_rule": "restricted", "allow": [{"type": "m.room_membership", "room_id": self.space}]}
        state = [{"type": "m.room.join_rules", "state_key": "", "content": rule}, *more.pop("state", [])]
        levels = {"users": {self.rota.id: power}}
        room = self.ana.make(name=name, initial_state=state, power_level_content_override=levels, **more)
        self.ana.set(self.space, "m.space.child", {"via": [DOMAIN]}, room)
        for account in [self.bo, self.cyd]:
            account.join(room)
        if has_rota:
            self.ana.invite(room, self.rota)
            self.rota.join(room)
        return room

    def settings(self, **more):
        return {
            "ROTA_CHAT_PLATFORM": "matrix",
            "ROTA_MATRIX_HOMESERVER": self.server.url,
            "ROTA_MATRIX_ACCESS_TOKEN": self.rota.token,
            "ROTA_MATRIX_SPACE": self.alias,
            "ROTA_MATRIX_IGNORE": self.bridge.id,
            "ROTA_CHAT_REMINDER_BEFORE": "0s",
            "ROTA_NOTICES_DELAY": "0s",
            **more,
        }

    def start(self, db=None, **more):
        return Rota(self.settings(**more), db)


class Rota:
    """A development server with a clock of its own."""

    def __init__(self, settings, db=None):
        self.env = {**os.environ, **settings}
        self.db = db or f"{scratch}/{time.monotonic_ns():x}.db"
        self.start()

    def start(self):
        lines = f"{scratch}/lines-{time.monotonic_ns():x}"
        flags = ["--db", self.db, "--listen", "127.0.0.1:0", "--empty"]
        if not os.path.exists(self.db):
            flags += ["--clock", "2026-11-23T08:00:00Z"]
        with open(lines, "w") as out, open(f"{scratch}/rota.log", "a") as log:
            env = {**self.env, "ROTA_LOG": self.env.get("ROTA_LOG", "info")}
            self.process = subprocess.Popen([binary, "dev", *flags], stdout=out, stderr=log, env=env)

        def ready():
            assert self.process.poll() is None, "the server has ended"
            text = open(lines).read()
            return text if text.endswith("ready\n") else None

        text = eventually("the server is ready", ready, 60)
        values = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
        self.url, self.key, self.values = values["ROTA_URL"], values["ROTA_API_KEY"], values

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.process.terminate()
        assert self.process.wait() == 0, "the server ends with an error"

    def call(self, method, path, body=None, key=None):
        headers = {"Authorization": f"Bearer {key or self.key}", "If-Match": "*", "Idempotency-Key": f"{time.monotonic_ns()}"}
        return request(method, self.url + path, body, headers)

    def get(self, path):
        return self.call("GET", path)

    def sync(self):
        return self.call("POST", "/dev/sync", {})

    def advance(self, seconds):
        return self.call("POST", "/dev/clock", {"advanceSeconds": seconds})

    def token(self, account):
        return self.values[f"ROTA_TOKEN_{account.id.upper()}"]

    def rotation(self, *people, **more):
        body = {"name": "Rotation", "owners": [people[0].id], "userIds": [one.id for one in people], **more}
        return "/v1/rotations/" + self.call("POST", "/v1/rotations", body)["id"]

    def posts_in(self, rotation, room, messages=True, topic=False):
        if topic:
            self.call("PATCH", rotation, {"enableTopic": True})
        path = f"{rotation}/channels/{urllib.parse.quote(room, safe='')}"
        self.call("PUT", path, {"postsMessages": messages, "syncsTopic": topic})

    def on_call(self, rotation, *people):
        self.call("PUT", f"{rotation}/on-call", {"userIds": [one.id for one in people]})

    def command(self, *arguments, text=None):
        return subprocess.run([binary, *arguments], input=text, text=True, capture_output=True, env=self.env)


def command(settings, *arguments, text=None):
    env = {**os.environ, **settings}
    return subprocess.run([binary, *arguments], input=text, text=True, capture_output=True, env=env)


SCENARIOS = []


def scenario(about):
    SCENARIOS.append(about)
    return about
