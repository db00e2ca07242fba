// Votes on their way: each has a key, is kept in this browser until the studio has it, and is sent again if it did not arrive.

import { post, session } from "./api.js";

const PAUSES = [1, 2, 5, 10, 20, 30];
const listeners = [];
let waiting = [];
let name = null;
let tries = 0;
let timer = null;
let sending = null;

/** Opens what was kept for this person and collection; `listener` is told the votes that wait, and why. */
export async function openOutbox(listener) {
  listeners.push(listener);
  const { voter, collection } = await session();
  if (!voter || !collection) return;
  const next = `assay-unsent ${collection.id} ${voter}`;
  if (next !== name) {
    name = next;
    waiting = read();
  }
  tell(null);
  if (waiting.length) flush();
}

/**
 * Sends a vote. Resolves with the studio's answer once it has it, which may be later; rejects if the studio refuses it.
 * Whatever happens on the way, the vote is kept.
 */
export function sendVote(vote) {
  const kept = { ...vote, key: newKey() };
  const entry = { vote: kept };
  const done = new Promise((resolve, reject) => Object.assign(entry, { resolve, reject }));
  waiting.push(entry);
  keep();
  flush();
  return done;
}

/** Tries again now. */
export function flush() {
  clearTimeout(timer);
  sending ??= sendAll().finally(() => {
    sending = null;
  });
  return sending;
}

async function sendAll() {
  while (waiting.length) {
    const entry = waiting[0];
    try {
      const answer = await post("/api/votes", entry.vote);
      settle(entry);
      entry.resolve?.(answer);
    } catch (error) {
      if (error.isPassing || error.status === 401) return later(error);
      settle(entry);
      if (entry.reject) entry.reject(error);
      else tell(error);
    }
  }
  return undefined;
}

function settle(entry) {
  waiting = waiting.filter((each) => each !== entry);
  tries = 0;
  keep();
  tell(null);
}

function later(error) {
  const pause = Math.max(error.wait, PAUSES[Math.min(tries, PAUSES.length - 1)]);
  tries += 1;
  timer = setTimeout(flush, pause * 1000);
  tell(error, pause);
}

function tell(error, pause = 0) {
  for (const listener of listeners) listener({ waiting: waiting.map(({ vote }) => vote), error, pause });
}

function keep() {
  if (!name) return;
  try {
    if (waiting.length) localStorage.setItem(name, JSON.stringify(waiting.map(({ vote }) => vote)));
    else localStorage.removeItem(name);
  } catch {
    // Without storage votes are kept as long as the page is open.
  }
}

function read() {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "[]").map((vote) => ({ vote }));
  } catch {
    return [];
  }
}

/** A key that no other vote has. `crypto.randomUUID` is missing where pages come over plain HTTP. */
const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

addEventListener("online", flush);
addEventListener("beforeunload", (event) => {
  // What is kept is sent by the next page; only a browser without storage would lose it.
  if (waiting.length && !name) event.preventDefault();
});
