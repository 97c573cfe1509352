"""What goes out to Matrix, and what happens to rooms: scenarios on Synapse, which `.ci/matrix` starts."""

from matrix_kit import *
import matrix_talk


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
        team.cyd.call_oneself("Cyd\nof <ops>", team.space)
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
        assert people[team.bo.id]["timeZone"] == "Europe/Oslo" and people[team.cyd.id].get("timeZone") is None, people
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
    team.bo.call_oneself("Bo <b>@room", team.space)
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
    assert team.bo.direct_of(team.rota, again=True) == room
    eventually("Bo is told again", lambda: len(team.bo.messages(room, team.rota)) >= 2)
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
    cadence = {"type": "dayOfWeek", "timeZone": "UTC", "startsAt": "2026-11-16T08:00:00+00:00", "period": 1}
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
    for name, power, word in [("weak", 0, "power"), ("secret", 50, "encrypted")]:
        levels = {"users": {team.rota.id: power}, "invite": 50}
        other = team.ana.make(
            preset="private_chat", name=name, room_alias_name=f"{name}-{team.tag}",
            power_level_content_override=levels, invite=[team.rota.id],
        )
        team.rota.join(other)
        if name == "secret":
            team.ana.set(other, "m.room.encryption", {"algorithm": "m.megolm.v1.aes-sha2"})
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
    said = eventually("the reason is said", error)
    assert "not in the room" in said, said
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
    made = team.rota.call("POST", team.rota.room(room, "upgrade"), {"new_version": "12"})["replacement_room"]
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
