import { ApiError, createClient } from "./client.js";

const byId = (id) => document.getElementById(id);

/** Of this tab only, so that two tabs may be two persons. */
let session = { name: "", token: undefined };
let teams = [];

const notesApi = createClient({
  baseUrl: new URL("api", location.href).href,
  auth: () => session.token && { authorization: `Bearer ${session.token}` },
});

/** What the server refused, in its words. The page offers every action, so that refusals can be seen. */
function textOf(error) {
  return error instanceof ApiError ? `${error.status} ${error.code}: ${error.errors[0]?.detail ?? error.message}` : error.message;
}

function audienceOf({ isPublic, teamId }) {
  if (isPublic) return "everybody";
  return teamId === null ? "its owner" : `team ${teams.find(({ id }) => id === teamId)?.name ?? teamId}`;
}

/** The choices of "Who may see it", and what each writes. */
function audiences() {
  return [{ isPublic: false, teamId: null }, ...teams.map(({ id }) => ({ isPublic: false, teamId: id })), { isPublic: true, teamId: null }];
}

function noteView(note) {
  const view = byId("note").content.cloneNode(true).firstElementChild;
  const part = (selector) => view.querySelector(selector);
  view.dataset.id = note.id;
  part(".text").textContent = note.text;
  part(".owner").textContent = `of ${note.ownerId}`;
  part(".audience").textContent = `for ${audienceOf(note)}`;
  part(".id").textContent = note.id;
  part(".share").append(...audiences().map((changes) => new Option(audienceOf(changes), JSON.stringify(changes))));
  part(".share").value = JSON.stringify({ isPublic: note.isPublic, teamId: note.teamId });
  part(".share").addEventListener("change", ({ target }) => act(() => notesApi.notes.update(note.id, JSON.parse(target.value))));
  part(".delete").addEventListener("click", () => act(() => notesApi.notes.remove(note.id)));
  return view;
}

function reminderView({ id, noteId, text }) {
  const view = byId("reminder").content.cloneNode(true).firstElementChild;
  const part = (selector) => view.querySelector(selector);
  part(".text").textContent = text;
  part(".show").addEventListener("click", () => act(() => openNote(noteId)));
  part(".done").addEventListener("click", () => act(() => notesApi.reminders.remove(id)));
  return view;
}

let shown = "";

async function show() {
  const asked = session;
  const newest = { sort: "-createdAt" };
  const [{ data: notes }, { data: reminders }] = await Promise.all([
    notesApi.notes.list(newest),
    session.name === "" ? { data: [] } : notesApi.reminders.list(newest),
  ]);
  if (asked !== session) return;
  const now = JSON.stringify([session.name, notes, reminders, teams]);
  if (now === shown) return;
  shown = now;
  byId("notes").replaceChildren(...notes.map(noteView));
  byId("none").hidden = notes.length > 0;
  byId("reminders").replaceChildren(...reminders.map(reminderView));
  byId("reminding").hidden = reminders.length === 0;
}

/** What is shown stays while the server is away. */
const refresh = () => show().catch(() => {});

/** Does what a person asked for, and shows its result or the refusal of the server. */
async function act(action) {
  byId("problem").hidden = true;
  try {
    await action();
  } catch (error) {
    byId("problem").textContent = textOf(error);
    byId("problem").hidden = false;
    shown = "";
  }
  await refresh();
}

/** The log-in is the page's own, and no part of the API. */
async function tokenOf(name) {
  const response = await fetch("login", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ name }) });
  const { token, detail } = await response.json();
  if (!response.ok) throw new Error(detail);
  return token;
}

async function logIn(name) {
  session = { name, token: name === "" ? undefined : await tokenOf(name) };
  teams = name === "" ? [] : (await notesApi.teams.list()).data;
  const member = teams.length === 0 ? "in no team" : `in ${teams.map((team) => team.name).join(" and ")}`;
  byId("who").textContent = name === "" ? "Nobody is logged in: only public notes are here." : `You are ${name}, ${member}.`;
  byId("create").hidden = name === "";
}

const onSubmit = (id, action) =>
  byId(id).addEventListener("submit", (event) => {
    event.preventDefault();
    void act(action);
  });

onSubmit("login", () => logIn(byId("name").value));
onSubmit("create", async () => {
  await notesApi.notes.create({ text: byId("text").value });
  byId("text").value = "";
});
onSubmit("open", () => openNote(byId("id").value.trim()));

async function openNote(id) {
  byId("opened").textContent = "";
  const { text, ownerId } = await notesApi.notes.get(id);
  byId("opened").textContent = `${ownerId} wrote: ${text}`;
}

// What the other person shares appears by itself.
setInterval(refresh, 2_000);
void refresh();
