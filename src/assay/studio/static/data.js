// Data: judgments and votes out and in, guidelines, people, and tokens for programs.

import { get, post, put, session, upload, withParameters } from "./api.js";
import { element, section, show, text } from "./dom.js";
import { count, whole } from "./numbers.js";
import { complain, startPage, tell } from "./shell.js";
import { SortedTable } from "./sorting.js";

const QRELS = { trec: "TREC", csv: "CSV", jsonl: "JSON Lines", parquet: "Parquet", quepid: "Quepid ratings" };
const VOTES = { csv: "CSV", jsonl: "JSON Lines", parquet: "Parquet", "quepid-book": "Quepid book" };
const KINDS = { person: "a person", model: "a language model" };

/** Calls something and says what went wrong. */
async function trying(work) {
  try {
    return await work();
  } catch (error) {
    return complain(error.message);
  }
}

function exportSection() {
  const links = (what, formats) => element("ul", { class: "downloads" }, Object.entries(formats).map(([format, label]) => element("li", {}, element("a", { class: "button", href: withParameters("/api/export", { what, format }), download: true }, label))));
  return section(
    "export", "Export",
    element("h3", {}, "Judgments"), element("p", { class: "quiet" }, "The grade of each pair that is in force: what evaluate, compare and other tools read."), links("qrels", QRELS),
    element("h3", {}, "Votes"), element("p", { class: "quiet" }, "Every vote with who gave it and when, corrections included."), links("votes", VOTES),
  );
}

function importSection() {
  const file = element("input", { type: "file", required: true });
  const what = choice("What it has", { votes: "votes", judgments: "judgments, as one voter's votes" });
  const format = choice("Format", { "": "from its name", ...QRELS, ...VOTES });
  const voter = element("input", { maxlength: 200, placeholder: "from the file" });
  const kind = choice("Given by", KINDS);
  const said = element("div", { role: "status" });
  const submit = (event) => {
    event.preventDefault();
    const [chosen] = file.files;
    const parameters = { what: what.value(), format: format.value() || formatOf(chosen.name), voter: voter.value.trim(), kind: kind.value() };
    trying(async () => {
      show(said, element("p", {}, "Importing …"));
      try {
        const { votes, known, notes } = await upload(withParameters("/api/import", parameters), chosen);
        show(said, element("p", { class: "ok" }, `${count(votes, "vote")} imported from ${chosen.name}${known ? `; ${whole(known)} were here already` : ""}.`), notes?.length ? element("ul", { class: "notes" }, notes.map((note) => element("li", {}, text(note)))) : null);
      } catch (error) {
        show(said, element("p", { class: "warn", role: "alert" }, error.message));
      }
    });
  };
  const form = element("form", { class: "fields", on: { submit } }, element("label", { class: "field" }, "File", file), what.node, format.node, element("label", { class: "field" }, "Voter", voter), kind.node, element("button", { class: "primary" }, "Import"));
  return section("import", "Import", element("p", { class: "quiet" }, "Votes of people or of a language model become votes of their own here, beside yours. Judgments need the name of a voter."), form, said);
}

/** A choice in a form. */
function choice(label, options) {
  const select = element("select", {}, Object.entries(options).map(([value, name]) => element("option", { value }, name)));
  return { node: element("label", { class: "field" }, label, select), value: () => select.value };
}

/** The format that a file's name says; nothing if it says none. */
function formatOf(name) {
  const ending = name.toLowerCase().replace(/\.(gz|zst|bz2|xz)$/, "").split(".").at(-1);
  return { csv: "csv", jsonl: "jsonl", ndjson: "jsonl", parquet: "parquet", txt: "trec", qrels: "trec" }[ending] ?? "";
}

function guidelinesSection(here) {
  const field = element("textarea", { rows: 8, maxlength: 50_000, "aria-label": "Guidelines", value: here.collection.guidelines, readonly: !here.admin });
  const save = () => trying(async () => {
    await put("/api/guidelines", { text: field.value });
    await session(true);
    tell("The guidelines were saved; whoever judges next sees them.");
  });
  return section("guidelines", "Guidelines", element("p", { class: "quiet" }, "Shown beside every pair. Say what each grade means, with an example."), field, here.admin ? element("p", {}, element("button", { type: "button", class: "primary", on: { click: save } }, "Save guidelines")) : null);
}

async function peopleSection(here) {
  const table = new SortedTable({
    caption: "Everybody who may vote or has voted",
    pageRows: 100,
    columns: [
      { title: "name", isText: true, cell: (row) => text(row.name), value: (row) => row.name },
      { title: "kind", isText: true, cell: (row) => row.kind, value: (row) => row.kind },
      { title: "votes", cell: (row) => whole(row.votes), value: (row) => row.votes },
      { title: "password", isText: true, cell: (row) => (row.password ? "yes" : "no"), value: (row) => Number(row.password) },
      { title: "manages", isText: true, cell: (row) => (row.admin ? "yes" : ""), value: (row) => Number(row.admin) },
    ],
  });
  const tokens = element("div");
  const load = async () => {
    const { voters, applications } = await get("/api/voters");
    table.replace(voters);
    show(tokens, applications.length ? element("p", {}, "Programs with a token: ", applications.map((name, place) => [place ? ", " : "", text(name)])) : element("p", { class: "quiet" }, "No program has a token."));
  };
  await load();
  return [
    section("people", "People", table.node, here.admin ? personForm(load) : null),
    section("tokens", "Programs", element("p", { class: "quiet" }, "A product's own thumbs send votes to ", element("code", {}, "POST /api/votes"), " with a token of their own."), tokens, here.admin ? tokenForm(load) : null, element("p", {}, element("a", { href: "/api/openapi.json" }, "The API as OpenAPI"))),
  ];
}

function personForm(load) {
  const name = element("input", { required: true, maxlength: 200, autocomplete: "off" });
  const password = element("input", { type: "password", minlength: 8, autocomplete: "new-password" });
  const admin = element("input", { type: "checkbox" });
  const submit = (event) => {
    event.preventDefault();
    trying(async () => {
      await post("/api/voters", { name: name.value.trim(), password: password.value || null, admin: admin.checked || null });
      tell(`${name.value.trim()} may vote.`);
      event.target.reset();
      await load();
    });
  };
  return element("form", { class: "fields", on: { submit } }, element("label", { class: "field" }, "Name", name), element("label", { class: "field" }, "Password, if they sign in from elsewhere", password), element("label", { class: "chooser" }, admin, "may manage the studio"), element("button", {}, "Add or set password"));
}

function tokenForm(load) {
  const name = element("input", { required: true, maxlength: 200, autocomplete: "off", placeholder: "such as shop" });
  const made = element("div", { role: "status" });
  const submit = (event) => {
    event.preventDefault();
    trying(async () => {
      const { application, token } = await post("/api/tokens", { application: name.value.trim() });
      const field = element("input", { readonly: true, class: "token", value: token, "aria-label": `Token of ${application}`, on: { focus: (focused) => focused.target.select() } });
      const copy = () => navigator.clipboard.writeText(token).then(() => tell("Copied."), () => field.focus());
      show(made, element("p", {}, "The token of ", text(application), ". It is shown only now:"), element("div", { class: "tools" }, field, element("button", { type: "button", on: { click: copy } }, "Copy")));
      event.target.reset();
      await load();
    });
  };
  return [element("form", { class: "fields", on: { submit } }, element("label", { class: "field" }, "Program", name), element("button", {}, "Make a token")), made];
}

function backupSection() {
  return section("backup", "Backup", element("p", {}, "A consistent copy of all votes, also while people vote:"), element("pre", { tabindex: "0", "aria-label": "Command" }, "assay studio admin --store votes.sqlite backup copy.sqlite"));
}

startPage(async (main, here) => {
  const people = await peopleSection(here);
  show(main, element("h1", {}, "Data"), here.admin ? element("div", { class: "two" }, exportSection(), importSection()) : null, guidelinesSection(here), people, backupSection());
  const target = document.getElementById(location.hash.slice(1));
  target?.scrollIntoView();
});
