"""Scenarios of rota on Synapse, which `.ci/matrix` starts. People and the observer use the client-server API by plain HTTP."""

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

    def invite(self, room, other):
        self.call("POST", self.room(room, "invite"), {"user_id": other.id})

    def kick(self, room, other):
        self.call("POST", self.room(room, "kick"), {"user_id": other.id})

    def join(self, room):
        self.call("POST", self.room(room, "join"), {})

    def leave(self, room):
        self.call("POST", self.room(room, "leave"), {})

    def membership(self, room, other):
        state = self.state(room, "m.room.member", other.id)
        return state and state["membership"]

    def messages(self, room, sender=None):
        """The messages of a room, oldest first, without edits."""
        chunk = self.call("GET", self.room(room, "messages"), dir="b", limit=100)["chunk"]
        found = [one for one in reversed(chunk) if one["type"] == "m.room.message" and "body" in one["content"]]
        found = [one for one in found if one["content"].get("m.relates_to", {}).get("rel_type") != "m.replace"]
        return [one for one in found if sender is None or one["sender"] == sender.id]

    def texts(self, room, sender=None):
        return [one["content"]["body"] for one in self.messages(room, sender)]

    def edits(self, room):
        chunk = self.call("GET", self.room(room, "messages"), dir="b", limit=100)["chunk"]
        return [one for one in reversed(chunk) if one["content"].get("m.relates_to", {}).get("rel_type") == "m.replace"]

    def invitations(self):
        """The rooms that somebody is invited to, with the invitation."""
        answer = self.call("GET", ["v3", "sync"], timeout=0)
        found = {}
        for room, entry in answer["rooms"].get("invite", {}).items() if "rooms" in answer else []:
            events = entry["invite_state"]["events"]
            found[room] = next(one for one in events if one["type"] == "m.room.member" and one["state_key"] == self.id)
        return found

    def direct_of(self, sender):
        """The direct room to which somebody was invited, joined."""
        invited = lambda: [room for room, one in self.invitations().items() if one["sender"] == sender.id and one["content"].get("is_direct")]
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


@scenario
def login(synapse):
    """A token of the device ROTA is printed alone; a wrong password gives none."""
    account = synapse.register("signs-in")
    flags = ["matrix", "login", "--homeserver", synapse.url, "--user", account.id]
    done = command({}, *flags, text=PASSWORD + "\n")
    assert done.returncode == 0, done
    token = done.stdout.removesuffix("\n")
    assert token and "\n" not in token, done.stdout
    who = Account(synapse, account.id, token).call("GET", ["v3", "account", "whoami"])
    assert (who["user_id"], who["device_id"]) == (account.id, "ROTA"), who
    for text, code in [("wrong\n", 1), ("", 2)]:
        done = command({}, *flags, text=text)
        assert (done.returncode, done.stdout) == (code, ""), done
    assert "M_FORBIDDEN" in command({}, *flags, text="wrong").stderr
    done = command({}, "matrix", "login", "--homeserver", "http://matrix.example.org", "--user", "@a:b", text="x")
    assert done.returncode == 2 and "allow_nets" in done.stderr, done


@scenario
def check(synapse):
    """Each thing has its line, and what a rotation needs decides."""
    team = Team(synapse)
    secret = team.channel("Secret", state=[{"type": "m.room.encryption", "state_key": "", "content": {"algorithm": "m.megolm.v1.aes-sha2"}}])
    rota = team.start()
    rotation = rota.rotation(team.ana, team.bo)
    rota.posts_in(rotation, team.duty, topic=True)
    done = rota.command("matrix", "check", "--db", rota.db)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done
    words = ["account", "versions", "space", "admins", "clock"]
    assert [line.split()[1].rstrip(":") for line in lines[:5]] == words, lines
    assert team.rota.id in lines[0] and "Ops" in lines[2] and team.space in lines[2] and team.ana.id in lines[3], lines
    assert team.bo.id not in lines[3], lines
    line = next(line for line in lines if "Secret" in line)
    assert "encrypted" in line and line.startswith("ok"), line
    rota.posts_in(rotation, secret)
    done = rota.command("matrix", "check", "--db", rota.db)
    line = next(line for line in done.stdout.splitlines() if "Secret" in line)
    assert done.returncode == 1 and line.startswith("amiss"), done
    rota.stop()
    done = command(team.settings(ROTA_MATRIX_ACCESS_TOKEN="wrong"), "matrix", "check", "--db", rota.db)
    assert done.returncode == 1 and "M_UNKNOWN_TOKEN" in done.stdout, done
    done = command(team.settings(ROTA_MATRIX_SPACE=team.duty), "matrix", "check", "--db", rota.db)
    assert done.returncode == 1 and "not a space" in done.stdout, done


@scenario
def directory(synapse):
    """People are the members of the space, channels the rooms that it lists, groups the rooms with an alias."""
    for version in ["11", "12"]:
        team = Team(synapse, version=version)
        team.bo.call("PUT", ["v3", "profile", team.bo.id, "m.tz"], {"m.tz": "Europe/Oslo"})
        team.cyd.call("PUT", ["v3", "profile", team.cyd.id, "m.tz"], {"m.tz": "Nowhere/At_All"})
        team.cyd.call("PUT", ["v3", "profile", team.cyd.id, "displayname"], {"displayname": " Cyd\nof <ops> "})
        inner = team.ana.make(creation_content={"type": "m.space"}, preset="public_chat", name="Inner")
        team.ana.set(team.space, "m.space.child", {"via": [DOMAIN]}, inner)
        deep = team.ana.make(preset="public_chat", name="Deep")
        team.ana.set(inner, "m.space.child", {"via": [DOMAIN]}, deep)
        gone = team.ana.make(preset="public_chat", name="Unlisted")
        team.ana.set(team.space, "m.space.child", {"via": [DOMAIN]}, gone)
        team.ana.set(team.space, "m.space.child", {}, gone)
        group = team.ana.make(preset="private_chat", name="Engineers", room_alias_name=f"eng-{team.tag}")
        team.ana.invite(group, team.rota)
        team.ana.invite(group, team.bo)
        team.bo.join(group)
        rota = team.start()
        assert rota.get("/v1/chat")["platform"] == "matrix"
        people = {one["id"]: one for one in rota.get("/v1/users?pageSize=100")["data"]}
        assert set(people) == {team.ana.id, team.bo.id, team.cyd.id}, people
        assert [people[one.id]["isAdmin"] for one in (team.ana, team.bo)] == [True, False], people
        assert people[team.bo.id]["timeZone"] == "Europe/Oslo" and people[team.cyd.id]["timeZone"] is None, people
        assert people[team.cyd.id]["displayName"] == people[team.cyd.id]["realName"] == "Cyd of <ops>", people
        assert {(one["email"], one["avatarUrl"], one["isGuest"], one["isExternal"]) for one in people.values()} == {(None, None, False, False)}
        channels = {one["id"]: one for one in rota.get("/v1/channels?pageSize=100")["data"]}
        assert set(channels) == {team.duty, deep}, channels
        assert channels[team.duty]["name"] == "Duty" and not channels[team.duty]["isPrivate"], channels
        groups = {one["id"]: one for one in rota.get("/v1/groups?pageSize=100")["data"]}
        assert set(groups) == {group} and groups[group]["handle"] == f"eng-{team.tag}", groups
        assert set(rota.get(f"/v1/groups/{urllib.parse.quote(group, safe='')}")["userIds"]) == {team.ana.id, team.bo.id}
        status = rota.get("/v1/chat")
        assert status["state"] == "up" and status["lastError"] is None and status["lastSyncAt"], status
        team.bo.leave(team.space)
        left = lambda: rota.get(f"/v1/users/{urllib.parse.quote(team.bo.id)}")["isDeleted"]
        eventually("who leaves the space is deleted", left)
        team.bo.join(team.space)
        eventually("and is back", lambda: not left())
        rota.stop()
        # A guest of another space does not count, and a room is no space.
        other = command(team.settings(ROTA_MATRIX_SPACE=inner), "directory", "sync", "--db", rota.db)
        assert other.returncode == 1 and "matrix.space" in other.stderr and inner in other.stderr, other


@scenario
def messages(synapse):
    """A hand-over is told in the room and directly, with people as links and mentions."""
    team = Team(synapse)
    team.bo.call("PUT", ["v3", "profile", team.bo.id, "displayname"], {"displayname": "Bo <b>@room"})
    rota = team.start()
    rotation = rota.rotation(team.ana, team.bo)
    rota.posts_in(rotation, team.duty)
    rota.on_call(rotation, team.bo)
    found = eventually("the room is told", lambda: team.ana.messages(team.duty, team.rota))
    content = found[-1]["content"]
    assert content["msgtype"] == "m.text" and content["format"] == "org.matrix.custom.html", content
    assert f'<a href="https://matrix.to/#/{team.bo.id}">Bo &lt;b&gt;@room</a>' in content["formatted_body"], content
    assert content["m.mentions"] == {"user_ids": [team.bo.id]}, content
    assert "Bo <b>@room" in content["body"] and "matrix.to" not in content["body"], content
    room = team.bo.direct_of(team.rota)
    direct = eventually("Bo is told", lambda: team.bo.messages(room, team.rota))
    assert direct[0]["content"]["body"].startswith("You are on duty for Rotation"), direct
    assert direct[0]["content"]["m.mentions"] == {"user_ids": [team.bo.id]}, direct
    data = team.rota.call("GET", ["v3", "user", team.rota.id, "account_data", "m.direct"])
    assert data[team.bo.id] == [room], data
    # Made once; whoever has left is invited anew.
    team.bo.leave(room)
    rota.on_call(rotation, team.ana)
    assert team.bo.direct_of(team.rota) == room
    eventually("Bo is told again", lambda: len(team.bo.messages(room, team.rota)) == 2)
    # Ana has not joined hers.
    eventually("Ana is invited", lambda: team.ana.invitations())
    waits = lambda: rota.get(f"{rotation}/chat")["notJoined"] == [team.ana.id]
    eventually("who has not joined is shown", waits)
    team.ana.direct_of(team.rota)
    eventually("who has joined is not", lambda: rota.get(f"{rotation}/chat")["notJoined"] == [])
    assert rota.get("/v1/chat")["socketConnected"] is True
    rota.stop()


@scenario
def requests(synapse):
    """A question is asked directly, and edited once it is answered elsewhere; the edit rings for nobody."""
    team = Team(synapse)
    rota = team.start()
    rotation = rota.rotation(team.ana, team.bo)
    cadence = {"type": "dayOfWeek", "timeZone": "UTC", "startsAt": "2026-11-23T09:00:00+00:00", "period": 1}
    grid = {
        "lanes": [{"id": "l"}],
        "windows": [{"id": "w", "timeZone": "UTC", "coverage": [], "cadence": cadence}],
        "cells": [{"laneId": "l", "windowId": "w", "rosterId": None}],
    }
    rota.call("PUT", f"{rotation}/coverage", grid)
    rota.on_call(rotation, team.ana)
    cell = rota.get(rotation)["cells"][0]["id"]
    body = {
        "operationId": "cover-1", "cellId": cell, "from": "2026-11-23T10:00:00Z", "to": "2026-11-23T12:00:00Z",
        "recipientUserIds": [team.bo.id], "reason": "<i>x</i>",
    }
    made = rota.call("POST", f"{rotation}/cover-requests", body, rota.token(team.ana))["request"]["request"]
    room = team.bo.direct_of(team.rota)
    asked = lambda: [one for one in team.bo.messages(room, team.rota) if "asks you to cover" in one["content"]["body"]]
    asked = eventually("Bo is asked", asked)[0]
    rota.call("POST", f"{rotation}/cover-requests/{made['id']}/accept", {"operationId": "accept-1", "expectedRevision": 1}, rota.token(team.bo))
    edit = eventually("the question is edited", lambda: team.bo.edits(room))[0]["content"]
    assert edit["m.relates_to"]["event_id"] == asked["event_id"], edit
    assert edit["m.mentions"] == {} and edit["m.new_content"]["body"].endswith("has accepted."), edit
    rota.stop()


@scenario
def topics(synapse):
    """The topic names who is on call, is set only when it differs, and is put back."""
    team = Team(synapse)
    team.ana.set(team.duty, "m.room.topic", {"topic": "before & <after>"})
    weak = team.channel("Weak", power=0)
    rota = team.start()
    rotation = rota.rotation(team.ana, team.bo)
    topic = lambda: team.ana.state(team.duty, "m.room.topic")["topic"]
    rota.on_call(rotation, team.bo)
    rota.posts_in(rotation, team.duty, messages=False, topic=True)
    eventually("the topic names Bo", lambda: "Bo" in topic())
    rota.on_call(rotation, team.ana)
    eventually("the topic names Ana", lambda: "Ana" in topic())
    rota.posts_in(rotation, weak, messages=False, topic=True)
    trouble = lambda: next((one["lastError"] for one in rota.get(f"{rotation}/chat")["topics"] if one["channelId"] == weak), None)
    why = eventually("the lack of power is said", trouble)
    assert "Weak" in why and "power 0" in why and "50 is needed" in why, why
    rota.posts_in(rotation, weak, messages=False)
    rota.posts_in(rotation, team.duty, messages=False)
    eventually("the topic is put back", lambda: topic() == "before & <after>")
    rota.stop()


@scenario
def groups(synapse):
    """Whoever is on call is invited to the group's room, and removed; who declines is left alone until they come on again."""
    team = Team(synapse)
    rota = team.start()
    rotation = rota.rotation(team.ana, team.bo, team.cyd)
    rota.on_call(rotation, team.bo)
    handle = f"oncall-{team.tag}"
    rota.call("PUT", f"{rotation}/on-duty-group", {"handle": handle})
    room = team.ana.call("GET", ["v3", "directory", "room", f"#{handle}:{DOMAIN}"])["room_id"]
    levels = team.rota.state(room, "m.room.power_levels")
    assert levels["invite"] == 50 and levels["notifications"]["room"] == 0, levels
    assert team.rota.state(room, "m.room.join_rules")["join_rule"] == "invite"
    membership = lambda account: team.rota.membership(room, account)
    eventually("Bo is invited", lambda: membership(team.bo) == "invite")
    group = lambda: rota.get(f"{rotation}/chat")["onDutyGroup"]
    eventually("who has not accepted is shown", lambda: group()["invitedUserIds"] == [team.bo.id] and group()["inStep"])
    team.bo.join(room)
    eventually("and then not", lambda: group()["invitedUserIds"] == [])
    rota.on_call(rotation, team.cyd)
    eventually("Bo is removed", lambda: membership(team.bo) == "leave" and membership(team.cyd) == "invite")
    # Cyd declines, and is not called back before Cyd comes on again.
    team.cyd.leave(room)
    eventually("it is shown", lambda: group()["inStep"] is False)
    rota.sync()
    time.sleep(1)
    assert membership(team.cyd) == "leave"
    rota.on_call(rotation, team.bo)
    eventually("Bo is back", lambda: membership(team.bo) == "invite")
    rota.on_call(rotation, team.cyd)
    eventually("Cyd is invited anew", lambda: membership(team.cyd) == "invite")
    # Banned.
    rota.on_call(rotation, team.ana)
    eventually("Ana is invited", lambda: membership(team.ana) == "invite")
    team.rota.call("POST", team.rota.room(room, "ban"), {"user_id": team.bo.id})
    rota.on_call(rotation, team.bo)
    eventually("the ban is shown", lambda: team.bo.id in (group()["lastError"] or ""))
    assert membership(team.bo) == "ban"
    # Nobody: we stay.
    rota.call("DELETE", f"{rotation}/on-call")
    eventually("it is empty", lambda: group()["wantedUserIds"] == [] and group()["inStep"])
    assert membership(team.rota) == "join"
    # A room that others made has to give us power, and must not be encrypted.
    second = rota.rotation(team.ana, team.bo)
    encryption = {"type": "m.room.encryption", "state_key": "", "content": {"algorithm": "m.megolm.v1.aes-sha2"}}
    for name, power, state, word in [("weak", 0, [], "power"), ("secret", 50, [encryption], "encrypted")]:
        levels = {"users": {team.rota.id: power}, "invite": 50}
        other = team.ana.make(
            preset="private_chat", name=name, room_alias_name=f"{name}-{team.tag}", initial_state=state,
            power_level_content_override=levels, invite=[team.rota.id],
        )
        team.rota.join(other)
        rota.sync()
        for body in [{"userGroupId": other}, {"handle": f"{name}-{team.tag}"}]:
            try:
                rota.call("PUT", f"{second}/on-duty-group", body)
                raise AssertionError(f"{name} is taken")
            except Refused as refused:
                assert refused.status == 409 and refused.body["code"] == "user_group_not_manageable", refused
                assert word in refused.body["detail"], refused
    adopted = team.ana.make(
        preset="private_chat", name="adopted", room_alias_name=f"adopted-{team.tag}",
        power_level_content_override={"users": {team.rota.id: 50}}, invite=[team.rota.id],
    )
    team.rota.join(adopted)
    rota.sync()
    rota.on_call(second, team.bo)
    rota.call("PUT", f"{second}/on-duty-group", {"userGroupId": adopted})
    eventually("Bo is invited there", lambda: team.rota.membership(adopted, team.bo) == "invite")
    rota.on_call(second, team.ana)
    eventually("Bo is removed there", lambda: team.rota.membership(adopted, team.bo) == "leave")
    # Ana, who made the room, has more power than we do and stays.
    rota.on_call(second, team.bo)
    shown = lambda: rota.get(f"{second}/chat")["onDutyGroup"]
    eventually("who cannot be removed is shown", lambda: team.ana.id in (shown()["lastError"] or "") or not shown()["inStep"])
    assert team.rota.membership(adopted, team.ana) == "join"
    rota.stop()


@scenario
def encrypted(synapse):
    """Nothing is written to a room that is encrypted, also later; invitations to one are declined, and the inviter is told."""
    team = Team(synapse)
    rota = team.start()
    rotation = rota.rotation(team.ana, team.bo)
    rota.posts_in(rotation, team.duty, topic=True)
    rota.on_call(rotation, team.bo)
    eventually("the room is told", lambda: team.ana.messages(team.duty, team.rota))
    before = len(team.ana.messages(team.duty, team.rota))
    team.ana.set(team.duty, "m.room.encryption", {"algorithm": "m.megolm.v1.aes-sha2"})
    rota.on_call(rotation, team.ana)
    error = lambda: rota.get(f"{rotation}/chat")["messages"]["lastError"]
    assert "encrypted" in eventually("the reason is said", error)
    assert len(team.ana.messages(team.duty, team.rota)) == before
    errors = eventually("the channel says so", lambda: rota.get(f"{rotation}/chat")["channelErrors"])
    assert [one["channelId"] for one in errors] == [team.duty] and "encrypted" in errors[0]["error"], errors
    secret = {"type": "m.room.encryption", "state_key": "", "content": {"algorithm": "m.megolm.v1.aes-sha2"}}
    room = team.ana.make(name="Secret", preset="private_chat", initial_state=[secret], invite=[team.rota.id])
    eventually("the invitation is declined", lambda: team.ana.membership(room, team.rota) == "leave")
    direct = team.ana.direct_of(team.rota)
    told = lambda: any("encrypted" in text for text in team.ana.texts(direct, team.rota))
    eventually("Ana is told", told)
    # Invitations of others than admins to rooms are declined, direct ones accepted.
    room = team.bo.make(preset="private_chat", invite=[team.rota.id])
    eventually("Bo's room is declined", lambda: team.bo.membership(room, team.rota) == "leave")
    room = team.ana.make(preset="private_chat", invite=[team.rota.id])
    eventually("Ana's room is joined", lambda: team.ana.membership(room, team.rota) == "join")
    room = team.cyd.make(preset="trusted_private_chat", is_direct=True, invite=[team.rota.id])
    eventually("Cyd's direct room is joined", lambda: team.cyd.membership(room, team.rota) == "join")
    third = rota.rotation(team.ana, team.cyd)
    rota.on_call(third, team.cyd)
    eventually("it is the one that is used", lambda: team.cyd.messages(room, team.rota))
    rota.stop()


@scenario
def kicked(synapse):
    """A room that rota was removed from ends effects with that reason; invited again, they go on. The same with the space."""
    team = Team(synapse)
    rota = team.start()
    rotation = rota.rotation(team.ana, team.bo)
    rota.posts_in(rotation, team.duty)
    exported = lambda: json.loads(rota.command("directory", "export", "--db", rota.db).stdout)["channels"]
    is_member = lambda: next(one["appIsMember"] for one in exported() if one["id"] == team.duty)
    team.ana.kick(team.duty, team.rota)
    eventually("the app is no member", lambda: not is_member(), 10)
    rota.on_call(rotation, team.bo)
    error = lambda: rota.get(f"{rotation}/chat")["messages"]["lastError"]
    assert "not in the room" in eventually("the reason is said", error)
    team.ana.invite(team.duty, team.rota)
    eventually("the invitation is taken", is_member)
    rota.on_call(rotation, team.ana)
    eventually("messages go on", lambda: team.ana.messages(team.duty, team.rota))
    team.ana.kick(team.space, team.rota)
    down = lambda: rota.get("/v1/chat")["state"] == "down"
    eventually("chat is down", down)
    assert len(rota.get("/v1/users")["data"]) == 3
    assert not any(one["isDeleted"] for one in rota.get("/v1/users")["data"])
    rota.stop()


@scenario
def upgraded(synapse):
    """An upgraded room is followed where rota may join the new one; until then it is said that rota waits for an invitation."""
    team = Team(synapse, version="11")
    private = team.ana.make(name="Private", preset="private_chat", room_version="11", invite=[team.rota.id])
    team.ana.set(team.space, "m.space.child", {"via": [DOMAIN]}, private)
    team.rota.join(private)
    rota = team.start()
    rotation = rota.rotation(team.ana, team.bo)
    for room in [team.duty, private]:
        rota.posts_in(rotation, room)
    handle = f"oncall-{team.tag}"
    rota.call("PUT", f"{rotation}/on-duty-group", {"handle": handle})
    upgrade = lambda room: team.ana.call("POST", team.ana.room(room, "upgrade"), {"new_version": "12"})["replacement_room"]
    channels = lambda: {one["channelId"] for one in rota.get(rotation)["channelSettings"]}
    new = upgrade(team.duty)
    eventually("the new room is taken", lambda: channels() == {new, private}, 20)
    entries = rota.get(f"/v1/audit?rotationId={rotation.rsplit('/', 1)[1]}")["data"]
    assert [one["actor"]["kind"] for one in entries].count("chat") == 1 and entries[0]["actor"]["kind"] == "chat", entries
    rota.on_call(rotation, team.bo)
    eventually("messages go there", lambda: team.ana.messages(new, team.rota))
    newer = upgrade(private)
    errors = lambda: {one["channelId"]: one["error"] for one in rota.get(f"{rotation}/chat")["channelErrors"]}
    eventually("rota waits for an invitation", lambda: "invitation" in errors().get(private, ""))
    team.ana.invite(newer, team.rota)
    eventually("and takes the room", lambda: channels() == {new, newer} and not errors())
    # The group is ours: only we may upgrade it. The handle leads to the new room.
    room = rota.get(f"{rotation}/chat")["onDutyGroup"]["userGroupId"]
    made = team.rota.call("POST", team.rota.room(room, "upgrade"), {"new_version": "11"})["replacement_room"]
    eventually("the group follows", lambda: rota.get(f"{rotation}/chat")["onDutyGroup"]["userGroupId"] == made)
    rota.on_call(rotation, team.ana)
    eventually("it is filled", lambda: team.rota.membership(made, team.ana) == "invite")
    rota.stop()


@scenario
def once(synapse):
    """Nothing is posted twice after a kill, nor lost while the homeserver is away; its restart changes nothing."""
    server = Synapse("restarted")
    team = Team(server)
    rota = team.start()
    rotation = rota.rotation(team.ana, team.bo)
    rota.posts_in(rotation, team.duty)
    rota.on_call(rotation, team.bo)
    eventually("the room is told", lambda: team.ana.messages(team.duty, team.rota))
    server.stop()
    rota.on_call(rotation, team.ana)
    eventually("chat is down", lambda: rota.get("/v1/chat")["state"] == "down")
    rota.kill()
    rota.start()
    server.start()
    for _ in range(14):
        rota.advance(300)
    told = lambda: [text for text in team.ana.texts(team.duty, team.rota) if "Ana" in text.split(" takes over")[0]]
    eventually("the room is told of Ana", told)
    rota.kill()
    rota.start()
    rota.advance(300)
    assert len(told()) == 1, team.ana.texts(team.duty)
    rota.stop()
    server.stop()


@scenario
def lost(synapse):
    """Where an answer is lost, what was done is found again: one message, one direct room, one group."""
    team = Team(synapse)
    losing = Losing(synapse)
    rota = team.start(ROTA_MATRIX_HOMESERVER=losing.url)
    rotation = rota.rotation(team.ana, team.bo)
    rota.posts_in(rotation, team.duty)
    losing.lose(r"/send/m\.room\.message/")
    losing.lose(r"/createRoom")
    rota.on_call(rotation, team.bo)
    eventually("both answers are lost", lambda: not losing.wanted)
    told = lambda: team.ana.messages(team.duty, team.rota)
    direct = lambda: [room for room, one in team.bo.invitations().items() if one["sender"] == team.rota.id]

    def sent():
        rota.advance(60)
        status = rota.get(f"{rotation}/chat")["messages"]
        return status["pending"] == 0 and told() and direct()

    eventually("everything is sent", sent)
    rooms = direct()
    assert len(told()) == 1 and len(rooms) == 1, (team.ana.texts(team.duty), rooms)
    team.bo.join(rooms[0])
    eventually("Bo is told once", lambda: len(team.bo.messages(rooms[0], team.rota)) == 1)
    handle = f"oncall-{team.tag}"
    losing.lose(r"/createRoom")
    try:
        rota.call("PUT", f"{rotation}/on-duty-group", {"handle": handle})
        raise AssertionError("the answer was not lost")
    except Refused as refused:
        assert refused.status == 503, refused
    rota.call("PUT", f"{rotation}/on-duty-group", {"handle": handle})
    assert rota.get(f"{rotation}/chat")["onDutyGroup"]["owned"] is True
    rota.stop()


@scenario
def token(synapse):
    """A token that is not taken pauses the platform; a new one in the file ends the pause."""
    team = Team(synapse)
    file = f"{scratch}/token-{team.tag}"
    with open(file, "w") as out:
        out.write(team.rota.token + "\n")
    os.chmod(file, 0o600)
    settings = team.settings(ROTA_MATRIX_ACCESS_TOKEN_FILE=file)
    del settings["ROTA_MATRIX_ACCESS_TOKEN"]
    rota = Rota(settings)
    rotation = rota.rotation(team.ana, team.bo)
    rota.posts_in(rotation, team.duty)
    fresh = request("POST", f"{synapse.url}/_matrix/client/v3/login", {
        "type": "m.login.password", "identifier": {"type": "m.id.user", "user": team.rota.id}, "password": PASSWORD,
    })["access_token"]
    team.rota.call("POST", ["v3", "logout"], {})
    rota.on_call(rotation, team.bo)
    status = lambda: rota.get("/v1/chat")
    eventually("it is paused", lambda: status()["state"] == "paused" and "M_UNKNOWN_TOKEN" in status()["lastError"])
    with open(file, "w") as out:
        out.write(fresh)
    rota.advance(301)
    eventually("it goes on", lambda: status()["state"] == "up")
    team.rota.token = fresh
    eventually("the message comes", lambda: team.ana.messages(team.duty, team.rota))
    rota.stop()


@scenario
def limits(synapse):
    """With the limits that Synapse has by default everything comes, only later."""
    team = Team(synapse, limits=True)
    rota = team.start()
    rotation = rota.rotation(team.ana, team.bo)
    rota.posts_in(rotation, team.duty)
    for turn in range(6):
        rota.on_call(rotation, [team.ana, team.bo][turn % 2])
    told = lambda: len(team.ana.messages(team.duty, team.rota)) >= 6
    eventually("all messages come", told, 120)
    metrics = ask_plain(rota.url + "/metrics").read().decode()
    assert re.search(r'rota_chat_rate_limited_total\{method="\w+"\} [1-9]', metrics), metrics
    assert "rota_chat_up 1" in metrics and "rota_chat_socket_connected 1" in metrics
    rota.stop()


def main():
    synapse = Synapse()
    failed = []
    for about in SCENARIOS:
        if chosen and about.__name__ not in chosen:
            continue
        began = time.monotonic()
        try:
            about(synapse)
            print(f"{about.__name__}: {about.__doc__} ({time.monotonic() - began:.1f} s)", flush=True)
        except Exception:
            traceback.print_exc()
            failed.append(about.__name__)
    synapse.stop()
    if failed:
        sys.exit("failed: " + ", ".join(failed))


main()
