// Only helps: every action works without it, and it asks the server for nothing.
(() => {
  "use strict";
  const all = (selector, within = document) => within.querySelectorAll(selector);

  // The summary of what is wrong is read first.
  const errors = document.getElementById("errors");
  if (errors) errors.focus();

  // A board is loaded anew.
  const seconds = Number(document.body.dataset.reload);
  if (seconds) setTimeout(() => location.reload(), seconds * 1000);

  // A form that is on its way is not sent again by a second click. (Sent twice it would be done once.)
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post") return;
    if (form.dataset.sent) return event.preventDefault();
    form.dataset.sent = "1";
  });
  // Back from the next page, it may be sent again.
  window.addEventListener("pageshow", () => {
    for (const form of all("form[data-sent]")) delete form.dataset.sent;
  });

  // A choice that only filters applies at once.
  for (const field of all("[data-apply]")) {
    field.addEventListener("change", () => field.form.requestSubmit());
  }

  // Lists of people can be searched while typing.
  for (const box of all("input[data-filter]")) {
    const items = all(box.dataset.filter);
    box.addEventListener("input", () => {
      const text = box.value.toLowerCase();
      for (const item of items) item.hidden = !item.textContent.toLowerCase().includes(text);
    });
  }

  // A secret that is shown once can be copied.
  for (const secret of all("code.secret")) {
    if (!navigator.clipboard) break;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "btn s";
    button.textContent = "Copy";
    button.addEventListener("click", () =>
      navigator.clipboard.writeText(secret.textContent).then(() => (button.textContent = "Copied")));
    secret.after(button);
  }

  // The button of a turn's form says the hours that were typed.
  for (const hours of all("span.hours")) {
    const fields = all("[type=datetime-local]", hours.closest("form"));
    const said = (value) => {
      const at = new Date(value);
      if (isNaN(at)) return "…";
      const day = at.toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "short" });
      return day.replace(",", "") + " " + value.slice(11, 16);
    };
    for (const field of fields) {
      field.addEventListener("input", () => {
        hours.textContent = said(fields[0].value) + " to " + said(fields[1].value);
      });
    }
  }

  // The turn menu: a click on a bar says who and when, and offers what the page of the turn offers.
  const pop = document.getElementById("turn-menu");
  if (!pop || !pop.showPopover) return;
  const [who, when, why] = ["b", "small", "[data-why]"].map((part) => pop.querySelector(part));
  const steps = [...all("[data-step]", pop)];
  let opener = null;
  document.addEventListener("click", (event) => {
    const bar = event.target.closest(".bar:not(.many,.away,.ghost) > a[data-cell]");
    if (!bar || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const label = bar.querySelector(".sr").textContent;
    const cut = label.indexOf(", ");
    who.textContent = label.slice(0, cut);
    when.textContent = label.slice(cut + 2);
    const path = bar.getAttribute("href");
    const avatar = pop.querySelector(".av");
    const colour = [...bar.parentNode.classList].find((name) => /^p\d+$/.test(name)) || "no";
    const is = (name) => bar.parentNode.classList.contains(name);
    const [mine, gap, may] = [is("me"), is("gap"), bar.closest("[data-may]")?.dataset.may || ""];
    const [member, editor] = [may.includes("m"), may.includes("e")];
    avatar.className = "av l " + colour + (mine ? " me" : "");
    avatar.textContent = gap ? "?" : bar.querySelector(".sh")?.textContent || "";
    const now = new Date(pop.dataset.now);
    const over = bar.dataset.end && new Date(bar.dataset.end) <= now;
    const offered = {
      cover: member && mine,
      swap: member && !["cover", "swap", "ovr", "gap"].some(is) && new Date(bar.dataset.start) > now,
      take: member && !mine && (gap || editor),
      assign: editor,
    };
    why.href = path;
    for (const step of steps) {
      const name = step.dataset.step, whole = name === "all";
      step.hidden = !whole && (over || !offered[name]);
      step.href = whole ? path : path + "?do=" + name;
    }
    opener = bar;
    pop.showPopover();
    const box = bar.getBoundingClientRect();
    if (innerWidth >= 768) {
      const left = Math.max(12, Math.min(box.left, innerWidth - pop.offsetWidth - 12));
      const top = box.bottom + pop.offsetHeight + 12 < innerHeight ? box.bottom + 6 : Math.max(12, box.top - pop.offsetHeight - 6);
      pop.style.left = left + "px";
      pop.style.top = top + "px";
    }
    (steps.find((step) => !step.hidden) || why).focus();
  });
  pop.addEventListener("toggle", (event) => {
    if (event.newState === "closed" && opener) opener.focus();
  });
})();
