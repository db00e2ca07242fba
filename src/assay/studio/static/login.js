// Signing in, where a name alone is not enough.

import { session, signIn } from "./api.js";
import { element, show } from "./dom.js";
import { parameters } from "./place.js";
import { startPage } from "./shell.js";

/** Where to go afterwards: a page of this studio, whatever the address says. */
function destination() {
  const next = new URL(parameters().next ?? "/", location.origin);
  return next.origin === location.origin ? next.pathname + next.search : "/";
}

startPage(async (main) => {
  const here = await session();
  if (here.voter || !here.login) return location.replace(destination());
  const name = element("input", { name: "voter", required: true, autocomplete: "username" });
  const password = element("input", { name: "password", type: "password", required: true, autocomplete: "current-password" });
  const trouble = element("p", { class: "bad", role: "alert" });
  const submit = async (event) => {
    event.preventDefault();
    try {
      await signIn(name.value.trim(), password.value);
      location.replace(destination());
    } catch (error) {
      trouble.textContent = error.message;
      password.select();
    }
  };
  const form = element("form", { class: "sheet", on: { submit } }, element("h1", {}, "Sign in"), element("label", { class: "field" }, "Name", name), element("label", { class: "field" }, "Password", password), trouble, element("button", { class: "primary" }, "Sign in"));
  show(main, form);
  name.focus();
  return undefined;
});
