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

/** The lists of the person who is logged in, which the server keeps current. */
let lists = [];

function follow() {
  for (const list of lists) list.close();
  const newest = { sort: "-createdAt" };
  const notes = notesApi.notes.live(newest);
  const reminders = session.name === "" ? undefined : notesApi.reminders.live(newest);
  lists = [notes, reminders].filter((list) => list !== undefined);
  for (const list of lists) list.subscribe(show);
  show();
}

/** What is shown stays while the server is away. */
function show() {
  const [notes = [], reminders = []] = lists.map((list) => list.get().rows);
  byId("notes").replaceChildren(...notes.map(noteView));
  byId("none").hidden = notes.length > 0;
  byId("reminders").replaceChildren(...reminders.map(reminderView));
  byId("reminding").hidden = reminders.length === 0;
}

/** Does what a person asked for, and shows its result or the refusal of the server. */
async function act(action) {
  byId("problem").hidden = true;
  try {
    await action();
  } catch (error) {
    byId("problem").textContent = textOf(error);
    byId("problem").hidden = false;
    show();
  }
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
  follow();
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

follow();
