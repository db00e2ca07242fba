// The studio's JSON: requests with the token that writes need, errors as sentences, news as they happen.

let known = null;

/** A request that failed. `status` is 0 if the studio did not answer; `wait` is how many seconds it asks to wait. */
export class ApiError extends Error {
  constructor(status, sentence, wait = 0) {
    super(sentence);
    Object.assign(this, { status, wait });
  }

  /** Whether the same request may succeed later: no answer, too many requests, a server in trouble. */
  get isPassing() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** An address with parameters; one that is empty is left out, a list is repeated. */
export function withParameters(path, parameters = {}) {
  const said = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of Array.isArray(value) ? value : [value]) if (each !== null && each !== undefined && each !== "") said.append(name, each);
  }
  const query = said.toString();
  return query ? `${path}?${query}` : path;
}

/** Who is here and what is judged; asked for once. */
export function session(again = false) {
  if (!known || again) {
    known = get("/api/session");
    known.catch(() => {
      known = null;
    });
  }
  return known;
}

/** Signs in under a name; with a password where the studio demands one. */
export async function signIn(voter, password = null) {
  const next = await write("POST", "/api/session", password === null ? { voter } : { voter, password });
  known = Promise.resolve(next);
  return next;
}

export async function signOut() {
  await write("DELETE", "/api/session");
  known = null;
}

export function get(path, parameters = {}) {
  return send("GET", withParameters(path, parameters));
}

export const post = (path, body) => write("POST", path, body);
export const put = (path, body) => write("PUT", path, body);
export const remove = (path) => write("DELETE", path);

/** Sends the content of a file as it is. */
export const upload = (path, file) => write("POST", path, file);

/** A write; if the token is no longer valid it is fetched again, once. */
async function write(method, path, body = null) {
  const { csrf } = await session();
  try {
    return await send(method, path, body, csrf);
  } catch (error) {
    if (error.status !== 403) throw error;
    const next = await session(true);
    if (next.csrf === csrf) throw error;
    return send(method, path, body, next.csrf);
  }
}

async function send(method, path, body = null, csrf = null) {
  const headers = { Accept: "application/json" };
  if (csrf) headers["X-CSRF-Token"] = csrf;
  if (body !== null) headers["Content-Type"] = body instanceof Blob ? "application/octet-stream" : "application/json";
  const content = body === null ? undefined : body instanceof Blob ? body : JSON.stringify(body);
  let answer;
  try {
    answer = await fetch(path, { method, headers, body: content, credentials: "same-origin", cache: "no-store" });
  } catch {
    throw new ApiError(0, "The studio does not answer. Is it still running?");
  }
  const said = await answer.json().catch(() => null);
  if (!answer.ok) throw new ApiError(answer.status, said?.error ?? `The studio answered with status ${answer.status}.`, Number(answer.headers.get("Retry-After")) || 0);
  return said;
}

/**
 * Calls a function when votes were recorded anywhere, as long as the page is in view; several at once count as one.
 * `shown` is the revision that the page shows; the function gets the latest, and returns the one that it shows then, which
 * may be older if numbers take their time.
 */
export function onChange(shown, listener, pause = 400) {
  let source = null;
  let revision = shown ?? -1;
  let waiting = null;
  let latest = revision;
  const tell = (next) => {
    latest = next;
    if (next <= revision) return;
    waiting ??= setTimeout(async () => {
      waiting = null;
      revision = (await listener(latest)) ?? revision;
    }, pause);
  };
  const open = () => {
    if (document.hidden || source) return;
    source = new EventSource("/api/changes");
    source.onmessage = (event) => tell(JSON.parse(event.data).revision);
  };
  const close = () => {
    source?.close();
    source = null;
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  open();
}
