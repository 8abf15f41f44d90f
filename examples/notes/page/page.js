const byId = (id) => document.getElementById(id);

/** Of this tab only, so that two tabs may be two persons. */
let session = { name: "", token: undefined };
let teams = [];

/** The server decides what is allowed. The page offers every action, so that its refusals can be seen. */
async function send(method, path, body) {
  const headers = {};
  if (session.token !== undefined) headers.authorization = `Bearer ${session.token}`;
  if (body !== undefined) headers["content-type"] = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const text = await response.text();
  const answer = text === "" ? undefined : JSON.parse(text);
  if (!response.ok) throw new Error(`${response.status} ${answer.code ?? ""}: ${answer.errors?.[0]?.detail ?? answer.detail}`);
  return answer;
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
  part(".share").addEventListener("change", ({ target }) => act(() => send("PATCH", `api/notes/${note.id}`, JSON.parse(target.value))));
  part(".delete").addEventListener("click", () => act(() => send("DELETE", `api/notes/${note.id}`)));
  return view;
}

function reminderView({ id, noteId, text }) {
  const view = byId("reminder").content.cloneNode(true).firstElementChild;
  const part = (selector) => view.querySelector(selector);
  part(".text").textContent = text;
  part(".show").addEventListener("click", () => act(() => openNote(noteId)));
  part(".done").addEventListener("click", () => act(() => send("DELETE", `api/reminders/${id}`)));
  return view;
}

let shown = "";

async function show() {
  const asked = session;
  const listOf = async (path) => (await send("GET", path)).data;
  const [notes, reminders] = await Promise.all([
    listOf("api/notes?sort=-createdAt"),
    session.name === "" ? [] : listOf("api/reminders?sort=-createdAt"),
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
    byId("problem").textContent = error.message;
    byId("problem").hidden = false;
    shown = "";
  }
  await refresh();
}

async function logIn(name) {
  session = name === "" ? { name, token: undefined } : { name, ...(await send("POST", "login", { name })) };
  teams = name === "" ? [] : (await send("GET", "api/teams")).data;
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
  await send("POST", "api/notes", { text: byId("text").value });
  byId("text").value = "";
});
onSubmit("open", () => openNote(byId("id").value.trim()));

async function openNote(id) {
  byId("opened").textContent = "";
  const { text, ownerId } = await send("GET", `api/notes/${encodeURIComponent(id)}`);
  byId("opened").textContent = `${ownerId} wrote: ${text}`;
}

// What the other person shares appears by itself.
setInterval(refresh, 2_000);
void refresh();
