// What every page has: who is here, the colours, what is said aloud, and votes that have not been sent yet.

import { session, signIn, signOut } from "./api.js";
import { element, show, text } from "./dom.js";
import { count } from "./numbers.js";
import { flush, openOutbox } from "./outbox.js";
import { themeButton } from "./theme.js";

/** Starts a page: `draw(main, session)` fills it; what goes wrong is said in its place. */
export async function startPage(draw) {
  const main = document.querySelector("main");
  try {
    const here = await session();
    if (here.login && !here.voter && location.pathname !== "/login") return toLogin();
    drawHeader(here);
    openOutbox(drawOutbox);
    await draw(main, here);
  } catch (error) {
    if (error.status === 401) return toLogin();
    show(main, element("h1", {}, "This page could not be shown"), element("p", { class: "warn", role: "alert" }, error.message), element("p", {}, element("button", { type: "button", on: { click: () => location.reload() } }, "Try again")));
  }
  document.documentElement.dataset.ready = "yes";
  return undefined;
}

function toLogin() {
  location.replace(`/login?next=${encodeURIComponent(location.pathname + location.search)}`);
}

function drawHeader(here) {
  document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  show(document.querySelector("#who"), whoButton(here), themeButton((chosen) => localStorage.setItem("assay-colours", chosen)));
}

function whoButton(here) {
  if (!here.voter) return here.login ? null : element("button", { type: "button", on: { click: () => askName() } }, "Who are you?");
  const leave = async () => {
    if (here.login) {
      await signOut();
      location.assign("/login");
    } else if (await askName()) location.reload();
  };
  const title = here.login ? "Sign out" : "Judge under another name";
  return element("button", { type: "button", class: "who", title, on: { click: () => leave().catch((error) => complain(error.message)) } }, element("span", { class: "hidden" }, `${title}. You are `), text(here.voter));
}

/** Who is voting; asks for a name if that is not known. Null if none was given. */
export async function whoVotes() {
  const here = await session();
  if (here.voter) return here.voter;
  return askName();
}

/** Asks for a name, once: where the studio runs on one's own machine there is no password. */
async function askName() {
  const here = await session();
  return new Promise((resolve) => {
    const field = element("input", { name: "voter", required: true, maxlength: 200, autocomplete: "username", autofocus: true, "aria-describedby": "name-error" });
    const trouble = element("p", { id: "name-error", class: "bad", role: "alert" });
    const secret = element("label", { class: "field", hidden: true }, "Password", element("input", { type: "password", autocomplete: "current-password" }));
    const finish = async (name) => {
      field.value = name;
      try {
        const next = await signIn(name, secret.hidden ? null : secret.querySelector("input").value);
        drawHeader(next);
        await openOutbox(() => {});
        dialog.close(next.voter);
      } catch (error) {
        // A name that was given a password keeps it, here too.
        if (error.status === 401) secret.hidden = false;
        trouble.textContent = error.message;
      }
    };
    const known = (here.voters ?? []).map((name) => element("button", { type: "button", on: { click: () => finish(name) } }, text(name)));
    const form = element(
      "form",
      { on: { submit: (event) => (event.preventDefault(), finish(field.value.trim())) } },
      element("h2", { id: "name-title" }, "Who is judging?"),
      element("p", { class: "quiet" }, "Votes carry a name, so that people can be told apart and agree or disagree."),
      known.length ? element("div", { class: "tools known", role: "group", "aria-label": "Known names" }, known) : null,
      element("label", { class: "field" }, known.length ? "Another name" : "Name", field),
      secret,
      trouble,
      element("div", { class: "tools" }, element("button", { class: "primary" }, "Start"), element("button", { type: "button", on: { click: () => dialog.close("") } }, "Not now")),
    );
    const dialog = element("dialog", { "aria-labelledby": "name-title", on: { close: () => (dialog.remove(), resolve(dialog.returnValue || null)) } }, form);
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Says something to those who do not see the page. */
export function announce(sentence) {
  const region = document.querySelector("#said");
  region.textContent = "";
  // A new text is read even if it is the same one again.
  setTimeout(() => {
    region.textContent = sentence;
  }, 50);
}

/** Shows a sentence for some seconds, and says it. */
export function tell(sentence, { seconds = 6, kind = "" } = {}) {
  const note = element("p", { class: `notice ${kind}` }, element("span", {}, sentence), element("button", { type: "button", "aria-label": "Close", on: { click: () => note.remove() } }, "×"));
  document.querySelector("#notices").append(note);
  if (seconds) setTimeout(() => note.remove(), seconds * 1000);
}

/** Shows what went wrong until it is closed. */
export const complain = (sentence) => tell(sentence, { seconds: 0, kind: "trouble" });

/** A vote that was refused is never lost without a word. */
export function refused(error, { query, document: id, vote }) {
  complain(`Your vote ${vote} on ${id} for query ${query} was not recorded: ${error.message}`);
}

function drawOutbox({ waiting, error, pause }) {
  const place = document.querySelector("#outbox");
  if (error && !error.isPassing && error.status !== 401) complain(`A vote that was kept here was not recorded: ${error.message}`);
  place.hidden = !waiting.length || !error;
  if (place.hidden) return;
  const again = error.status === 401 ? element("a", { href: `/login?next=${encodeURIComponent(location.pathname + location.search)}` }, "Sign in again") : element("button", { type: "button", on: { click: () => flush() } }, "Try now");
  const are = waiting.length === 1 ? "is" : "are";
  show(place, element("span", {}, element("b", {}, `${count(waiting.length, "vote")} ${are} not sent yet`), ` and kept in this browser. ${error.message} Trying again in ${Math.round(pause)} s.`), again);
}
