"""What comes in from Matrix: commands, reactions, mentions, and what is not acted upon."""

from matrix_kit import *
import sqlite3

YES, NO = "✅", "❌"


def weekly(rota, rotation, zone="UTC"):
    """Deals every Monday at 08:00 UTC, next on the 30th."""
    cadence = {"type": "dayOfWeek", "timeZone": zone, "startsAt": "2026-11-16T08:00:00+00:00", "period": 1}
    grid = {
        "lanes": [{"id": "l"}],
        "windows": [{"id": "w", "timeZone": zone, "coverage": [], "cadence": cadence}],
        "cells": [{"laneId": "l", "windowId": "w", "rosterId": None}],
    }
    rota.call("PUT", f"{rotation}/coverage", grid)


def direct(person, rota_account):
    """A direct room with rota that the person makes."""
    room = person.make(preset="trusted_private_chat", is_direct=True, invite=[rota_account.id])
    eventually("rota joins the direct room", lambda: person.membership(room, rota_account) == "join")
    return room


def answer(person, room, event, rota_account):
    """The answer to something that was said."""
    return eventually(f"an answer to {event}", lambda: person.answers(room, event, rota_account), 15)[0]


def asked(person, room, text, rota_account, **more):
    """Says something, and returns the text of the answer."""
    return answer(person, room, person.say(room, text, **more), rota_account)["content"]["body"]


def request_states(rota):
    """The states of all requests, newest first."""
    return [one["request"]["state"] for one in rota.get("/v1/requests")["data"]]


def link(person, name):
    return f'<a href="https://matrix.to/#/{person.id}">{name}</a>'


@scenario
def commands(synapse):
    """Commands are answered as notices in reply; a room sees only what everybody may see."""
    team = Team(synapse)
    rota = team.start()
    plat = rota.rotation(team.ana, team.bo, code="PLAT", name="Platform")
    rota.rotation(team.ana, code="PRIV", name="Private")
    rota.posts_in(plat, team.duty)
    rota.on_call(plat, team.bo)
    said = team.ana.say(team.duty, "!rota")
    began = time.monotonic()
    found = answer(team.ana, team.duty, said, team.rota)["content"]
    assert time.monotonic() - began < 3, "the answer took too long"
    assert found["msgtype"] == "m.notice" and found["m.mentions"] == {}, found
    assert "PLAT" in found["body"] and "Bo" in found["body"] and "PRIV" not in found["body"], found
    # In its thread.
    root = team.bo.say(team.duty, "a thread")
    said = team.ana.say(team.duty, "!ROTA plat", thread=root)
    found = answer(team.ana, team.duty, said, team.rota)["content"]
    assert found["m.relates_to"]["rel_type"] == "m.thread" and found["m.relates_to"]["event_id"] == root, found
    # What others may not see goes to the direct room, and the room is told.
    said = team.ana.say(team.duty, "!rota PRIV")
    room = team.ana.direct_of(team.rota)
    assert "direct room" in answer(team.ana, team.duty, said, team.rota)["content"]["body"]
    eventually("Ana is shown the rotation", lambda: any("Private (PRIV)" in text for text in team.ana.texts(room, team.rota)))
    said = team.ana.say(team.duty, "!rota link")
    assert "login" not in answer(team.ana, team.duty, said, team.rota)["content"]["body"]
    eventually("the link is there", lambda: any("/login?link=" in text for text in team.ana.texts(room, team.rota)))
    assert not any("/login" in text for text in team.ana.texts(team.duty))
    # The word may be left out in a direct room.
    own = direct(team.bo, team.rota)
    assert asked(team.bo, own, "me", team.rota).startswith("Your turns"), "me"
    assert "no rotation PRIV" in asked(team.bo, own, "PRIV", team.rota)
    assert "!rota CODE" in asked(team.bo, own, "!rota help", team.rota)
    # People, by links, names and ids.
    on_call = lambda: [one["userId"] for one in rota.get(f"{plat}/on-call")["onCall"]]
    for account in [team.bo, team.cyd]:
        account.call_oneself("Bo", team.space)
    rota.call("PATCH", plat, {"userIds": [team.ana.id, team.bo.id, team.cyd.id]})
    rota.sync()
    for text, html, who in [
        ("!rota PLAT set Ana", f"!rota PLAT set {link(team.ana, 'Ana')}", team.ana),
        (f"!rota PLAT set {team.bo.id}", None, team.bo),
        (f"!rota PLAT set @ana-{team.tag}", None, team.ana),
        (f'!rota PLAT set "CYD-{team.tag}"', None, team.cyd),
    ]:
        said = team.ana.say(team.duty, text, html)
        body = answer(team.ana, team.duty, said, team.rota)["content"]["body"]
        assert "Done." in body and on_call() == [who.id], (text, body)
    said = team.ana.say(team.duty, "!rota PLAT set @Bo")
    answer(team.ana, team.duty, said, team.rota)
    refused = lambda: [text for text in team.ana.texts(room, team.rota) if "Several people" in text]
    text = eventually("a name that fits two is refused", refused)[-1]
    assert team.bo.id in text and team.cyd.id in text and on_call() == [team.cyd.id], text
    # Whoever may not do it is told so.
    said = team.bo.say(team.duty, "!rota PLAT rotate")
    answer(team.bo, team.duty, said, team.rota)
    eventually("Bo is refused", lambda: any("owners" in text for text in team.bo.texts(own, team.rota)))
    assert on_call() == [team.cyd.id]
    rota.stop()


@scenario
def unheard(synapse):
    """Edits, notices, what was said before rota joined, bridges and other rooms are not acted upon."""
    team = Team(synapse)
    rota = team.start()
    plat = rota.rotation(team.ana, team.bo, code="PLAT")
    rota.posts_in(plat, team.duty)
    rota.on_call(plat, team.bo)
    on_call = lambda: [one["userId"] for one in rota.get(f"{plat}/on-call")["onCall"]]
    set_ana = f"!rota PLAT set {team.ana.id}"
    early = team.channel("Early", has_rota=False)
    before = team.ana.say(early, set_ana)
    quoted = f"> <@x> {set_ana}\n\nwell"
    first = team.ana.say(team.duty, "hello")
    relation = {"rel_type": "m.replace", "event_id": first}
    team.ana.say(team.duty, f"* {set_ana}", **{"m.new_content": {"msgtype": "m.text", "body": set_ana}, "m.relates_to": relation})
    team.ana.say(team.duty, set_ana, kind="m.notice")
    team.ana.say(team.duty, quoted, reply=first)
    team.ana.say(team.duty, f"well: {set_ana}")
    levels = team.ana.state(team.space, "m.room.power_levels")
    team.ana.set(team.space, "m.room.power_levels", {**levels, "users": {team.bridge.id: 100}})
    team.bridge.join(team.duty)
    team.bridge.say(team.duty, set_ana)
    team.ana.invite(early, team.rota)
    eventually("rota joins", lambda: team.ana.membership(early, team.rota) == "join")
    last = team.ana.say(early, "!rota PLAT")
    answer(team.ana, early, last, team.rota)
    assert team.ana.answers(early, before, team.rota) == [] and on_call() == [team.bo.id]
    # Somebody who is not in the space.
    dee = synapse.register(f"dee-{team.tag}")
    team.ana.invite(team.duty, dee)
    dee.join(team.duty)
    said = dee.say(team.duty, "!rota PLAT")
    assert "do not know you" in answer(team.ana, team.duty, said, team.rota)["content"]["body"]
    rota.stop()


@scenario
def reactions(synapse):
    """Reactions answer for buttons: ours stand there first, and go when it is over. Words in reply do the same."""
    team = Team(synapse)
    rota = team.start()
    plat = rota.rotation(team.ana, team.bo, team.cyd, code="PLAT")
    weekly(rota, plat)
    rota.on_call(plat, team.ana)
    own = direct(team.ana, team.rota)
    rooms = {one: direct(one, team.rota) for one in (team.bo, team.cyd)}
    states = lambda: request_states(rota)

    def ask(day, *whom):
        names = " ".join(one.id for one in whom)
        text = f"PLAT cover {names} 2026-11-{day} 10:00 to 2026-11-{day} 12:00 the <dentist>"
        said = answer(team.ana, own, team.ana.say(own, text), team.rota)
        assert f"2026, 10:00 (UTC) to" in said["content"]["body"] and "the <dentist>" in said["content"]["body"], said
        assert states() == before, "it is sent before it is confirmed"
        eventually("both reactions stand there", lambda: team.ana.reactions(own, said["event_id"], team.rota) == [YES, NO])
        return said["event_id"]

    def question(person):
        found = [one for one in person.messages(rooms[person], team.rota) if "asks you to cover" in one["content"]["body"]]
        return found and found[-1]["event_id"]

    # Dropped, and sent.
    before = states()
    event = ask(24, team.bo)
    team.ana.react(own, event, NO)
    eventually("it is dropped", lambda: team.ana.answers(own, event, team.rota))
    eventually("the reactions go", lambda: team.ana.reactions(own, event, team.rota) == [])
    assert states() == before
    event = ask(24, team.bo, team.cyd)
    team.ana.react(own, event, YES + "\ufe0f")
    eventually("it is sent", lambda: states() == ["pending"])
    mine = eventually("Bo is asked", lambda: question(team.bo))
    eventually("and has both reactions", lambda: team.bo.reactions(rooms[team.bo], mine, team.rota) == [YES, NO])
    theirs = eventually("Cyd is asked", lambda: question(team.cyd))
    team.bo.react(rooms[team.bo], mine, YES)
    eventually("Bo has accepted", lambda: states() == ["accepted"])
    for person, one in [(team.bo, mine), (team.cyd, theirs)]:
        eventually("the reactions go", lambda: person.reactions(rooms[person], one, team.rota) == [])
    # In words, in reply; without one, the only one that waits.
    before = states()
    event = ask(25, team.bo)
    team.ana.react(own, event, YES)
    eventually("it is sent", lambda: "pending" in states())
    newer = eventually("Bo is asked again", lambda: question(team.bo) != mine and question(team.bo))
    assert "declined" in asked(team.bo, rooms[team.bo], "decline", team.rota, reply=newer)
    eventually("Bo has declined", lambda: sorted(states()) == ["accepted", "declined"])
    before = states()
    event = ask(26, team.cyd)
    team.ana.say(own, "accept", reply=event)
    eventually("it is sent", lambda: "pending" in states())
    eventually("Cyd is asked again", lambda: question(team.cyd) != theirs)
    assert "accepted" in asked(team.cyd, rooms[team.cyd], "!rota accept", team.rota)
    eventually("Cyd has accepted", lambda: sorted(states()) == ["accepted", "accepted", "declined"])
    assert "Nothing." in asked(team.cyd, rooms[team.cyd], "accept", team.rota)
    # Too late: the reactions go, and nothing is sent.
    before = states()
    event = ask(27, team.bo)
    time.sleep(1)
    rota.advance(16 * 60)
    eventually("the reactions go", lambda: team.ana.reactions(own, event, team.rota) == [])
    team.ana.react(own, event, YES)
    # A wrong line is answered with the right one.
    assert "!rota PLAT cover @bo 2026-12-09 08:00 to" in asked(team.ana, own, "PLAT cover @bo tomorrow", team.rota)
    assert states() == before
    rota.stop()


@scenario
def absences(synapse):
    """Absences of whole days, conflicts that a request is accepted in spite of, and swaps."""
    team = Team(synapse)
    team.bo.call("PUT", ["v3", "profile", team.bo.id, "m.tz"], {"m.tz": "Europe/Oslo"})
    rota = team.start()
    plat = rota.rotation(team.ana, team.bo, code="PLAT")
    weekly(rota, plat)
    rota.on_call(plat, team.ana)
    # Asked first: what is known to be in the way when somebody is asked counts as seen.
    anas, own = direct(team.ana, team.rota), direct(team.bo, team.rota)
    said = answer(team.ana, anas, team.ana.say(anas, "PLAT cover 2026-11-24 10:00 to 2026-11-24 12:00"), team.rota)
    assert "You ask Bo" in said["content"]["body"] and "In the way" not in said["content"]["body"], said
    team.ana.react(anas, said["event_id"], YES)
    question = lambda: [one for one in team.bo.messages(own, team.rota) if "asks you to cover" in one["content"]["body"]]
    event = eventually("Bo is asked", question)[0]["event_id"]
    said = answer(team.bo, own, team.bo.say(own, "away 2026-11-24 to 2026-11-25 at sea"), team.rota)
    assert "Tue 24 Nov 2026, 00:00 (Europe/Oslo) to Thu 26 Nov 2026, 00:00" in said["content"]["body"], said
    team.bo.react(own, said["event_id"], YES)
    away = lambda: rota.get(f"{plat}/availability")["data"]
    found = eventually("the absence is stored", away)[0]
    assert (found["from"], found["until"]) == ("2026-11-23T23:00:00Z", "2026-11-25T23:00:00Z"), found
    # In the way of a cover, and accepted all the same.
    said = answer(team.ana, anas, team.ana.say(anas, "PLAT cover 2026-11-24 14:00 to 2026-11-24 15:00"), team.rota)
    assert "In the way" in said["content"]["body"] and "Bo" in said["content"]["body"], said
    team.ana.react(anas, said["event_id"], NO)
    team.bo.react(own, event, YES)
    state = lambda: request_states(rota)[0]
    named = lambda: [one for one in team.bo.answers(own, event, team.rota) if "is away" in one["content"]["body"]]
    asked_again = eventually("the conflict is named in reply", named)[0]["event_id"]
    assert state() == "pending"
    team.bo.react(own, asked_again, YES)
    eventually("Bo has accepted", lambda: state() == "accepted")
    # A swap of whole turns.
    turns = rota.get(f"{plat}/schedule?from=2026-11-30T08:00:00Z&to=2026-12-20T00:00:00Z")["data"]
    mine = next(one for one in turns if one["userId"] == team.ana.id)["start"][:10]
    theirs = next(one for one in turns if one["userId"] == team.bo.id)["start"][:10]
    said = answer(team.ana, anas, team.ana.say(anas, f"PLAT swap {mine} with {team.bo.id} {theirs}"), team.rota)
    assert "You offer Bo" in said["content"]["body"], said
    team.ana.react(anas, said["event_id"], YES)
    eventually("the swap is offered", lambda: any(one["type"] == "swap" for one in rota.get("/v1/requests")["data"]))
    assert "Welcome" in asked(team.bo, own, "back", team.rota) or "not marked" in asked(team.bo, own, "back", team.rota)
    rota.stop()


@scenario
def mentions(synapse):
    """A message that begins with our name calls whoever is on call; so does the handle of an on-duty group, without a mention."""
    team = Team(synapse)
    rota = team.start()
    plat = rota.rotation(team.ana, team.bo, code="PLAT", name="Platform")
    rota.posts_in(plat, team.duty)
    rota.on_call(plat, team.bo)
    own = direct(team.bo, team.rota)
    listed = lambda: rota.get("/v1/mentions")["data"]
    said = team.cyd.say(team.duty, f"rota-{team.tag}: PLAT the disk is full")
    # Cyd does not see the rotation.
    answer(team.cyd, team.duty, said, team.rota)
    assert listed() == []
    rota.call("PATCH", plat, {"public": True})
    said = team.cyd.say(team.duty, "x", link(team.rota, "Rota") + ": PLAT the disk is &lt;full&gt;")
    found = eventually("a mention is open", listed)
    assert found[0]["message"] == "the disk is <full>" and found[0]["state"] == "open", found
    called = lambda: [one for one in team.bo.messages(own, team.rota) if "the disk is" in one["content"]["body"]]
    event = eventually("Bo is told", called)[0]["event_id"]
    eventually("with reactions", lambda: team.bo.reactions(own, event, team.rota) == [YES, NO])
    team.bo.react(own, event, YES)
    eventually("it is acknowledged", lambda: listed()[0]["state"] == "acknowledged")
    thread = lambda one: one["content"].get("m.relates_to", {}).get("event_id")
    told = lambda: [one for one in team.cyd.messages(team.duty, team.rota) if thread(one) == said]
    eventually("the thread is told", told)
    # The handle rings for whoever is on call, and opens nothing.
    handle = f"oncall-{team.tag}"
    rota.call("PUT", f"{plat}/on-duty-group", {"handle": handle})
    elsewhere = team.channel("Elsewhere")
    team.bo.leave(elsewhere)
    for room, is_in in [(team.duty, True), (elsewhere, False)]:
        said = team.cyd.say(room, f"please look, @{handle}.")
        rung = answer(team.cyd, room, said, team.rota)["content"]
        assert rung["m.mentions"] == {"user_ids": [team.bo.id]} and rung["msgtype"] == "m.text", rung
        assert rung["m.relates_to"]["rel_type"] == "m.thread" and thread({"content": rung}) == said, rung
    told = lambda: [one for one in team.bo.messages(own, team.rota) if handle in one["content"]["body"]]
    eventually("Bo is told directly, once", lambda: len(told()) == 1)
    assert told()[0]["content"]["m.mentions"] == {"user_ids": [team.bo.id]}, told()
    assert len(listed()) == 1
    rota.stop()


@scenario
def killed(synapse):
    """What was said while rota was away or killed is answered once, and done once."""
    team = Team(synapse)
    losing = Losing(synapse)
    rota = team.start(ROTA_MATRIX_HOMESERVER=losing.url)
    plat = rota.rotation(team.ana, team.bo, team.cyd, code="PLAT")
    weekly(rota, plat)
    on_call = lambda: [one["userId"] for one in rota.get(f"{plat}/on-call")["onCall"]]
    rota.posts_in(plat, team.duty)
    before = on_call()
    # The answer is posted, and rota is killed before it hears of it.
    losing.lose(r"/send/m\.room\.message/rota\.answer")
    said = team.ana.say(team.duty, "!rota PLAT rotate")
    eventually("the answer is posted", lambda: losing.lost)
    rota.kill()
    # More is said meanwhile than one sync brings.
    for number in range(60):
        team.bo.say(team.duty, f"chatter {number}")
    late = team.ana.say(team.duty, "!rota PLAT")
    for number in range(60):
        team.bo.say(team.duty, f"more chatter {number}")
    rota.start()
    answer(team.ana, team.duty, late, team.rota)
    once = lambda *events: [len(team.ana.answers(team.duty, one, team.rota)) for one in events]
    assert once(said) == [1], once(said)
    assert on_call() != before, (before, on_call())
    moved = on_call()
    rota.kill()
    rota.start()
    again = team.ana.say(team.duty, "!rota PLAT")
    answer(team.ana, team.duty, again, team.rota)
    assert once(said, late, again) == [1, 1, 1]
    assert on_call() == moved
    # The homeserver does not know where to go on: nothing is lost, and nothing done twice.
    rota.stop()
    with sqlite3.connect(rota.db) as database:
        changed = database.execute("UPDATE meta SET value = ? WHERE name = 'matrix_since'", [f"{team.rota.id} forgotten"])
        assert changed.rowcount == 1
    meanwhile = team.ana.say(team.duty, "!rota PLAT")
    rota.start()
    answer(team.ana, team.duty, meanwhile, team.rota)
    assert once(said, late, again) == [1, 1, 1]
    assert on_call() == moved
    rota.stop()
