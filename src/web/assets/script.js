// Only helps: every action works without it.
(() => {
  "use strict";
  const all = (selector) => document.querySelectorAll(selector);

  // The summary of what is wrong is read first.
  const errors = document.getElementById("errors");
  if (errors) errors.focus();

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
  for (const select of all("select[data-apply]")) {
    select.addEventListener("change", () => select.form.requestSubmit());
  }

  // Lists of people can be searched while typing.
  for (const box of all("input[data-filter]")) {
    const items = all(box.dataset.filter);
    box.addEventListener("input", () => {
      const text = box.value.toLowerCase();
      for (const item of items) item.hidden = !item.textContent.toLowerCase().includes(text);
    });
  }

  // A board loads itself anew. While the server does not answer it says how old it is, instead of showing an error forever.
  const board = document.querySelector("body[data-refresh]");
  if (board) setInterval(async () => {
    try {
      const answer = await fetch(location.href, { cache: "no-store" });
      if (answer.status === 404) return location.reload();
      if (!answer.ok) throw answer.status;
      const next = new DOMParser().parseFromString(await answer.text(), "text/html").body;
      board.replaceChildren(...next.childNodes);
      board.classList.remove("stale");
    } catch {
      board.classList.add("stale");
      board.querySelector("footer p").textContent = "The server does not answer. This is as it was at the time above.";
    }
  }, board.dataset.refresh * 1000);

  // A secret that is shown once can be copied.
  for (const secret of all("code.secret")) {
    if (!navigator.clipboard) break;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", () =>
      navigator.clipboard.writeText(secret.textContent).then(() => (button.textContent = "Copied")));
    secret.after(button);
  }
})();
