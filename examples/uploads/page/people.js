import { fileLink } from "./fileLink.js";
import { wordsOf } from "./words.js";

/** The fields of a person, with members of the file that the person holds in place of its id. */
const fields = ["id", "name", "avatar.filename", "avatar.signedUrl", "avatar.image"];

/**
 * Connects the form of people with their list. A person is created with a picture that was sent just before; the picture is theirs alone until they are removed.
 *
 * @param shop the client
 * @param sendPicture sends a file and resolves to it; its id is the value of `avatar`
 */
export function people(shop, sendPicture) {
  const form = document.getElementById("personForm");
  const list = document.getElementById("people");
  const status = document.getElementById("personStatus");

  function say(state, text) {
    status.dataset.status = state;
    status.textContent = text;
  }

  async function show() {
    const { data } = await shop.users.list({ fields, sort: ["-id"], perPage: 10 });
    list.replaceChildren(...data.map(itemOf));
  }

  function itemOf({ id, name, avatar }) {
    const item = document.createElement("li");
    const title = document.createElement("p");
    Object.assign(title, { className: "name", textContent: name });
    const picture = avatar === undefined || avatar === null ? [] : [fileLink({ ...avatar, address: avatar.signedUrl })];
    const remove = document.createElement("button");
    Object.assign(remove, { type: "button", textContent: "Remove" });
    remove.setAttribute("aria-label", `Remove ${name}`);
    remove.addEventListener("click", () =>
      run(async () => {
        await shop.users.remove(id);
        await show();
        status.focus();
        say("done", `${name} is removed. The picture is free again: it may be deleted, or given to another person.`);
      }),
    );
    const buttons = document.createElement("p");
    buttons.append(remove);
    item.append(title, ...picture, buttons);
    return item;
  }

  async function run(task) {
    try {
      await task();
    } catch (error) {
      say("refused", wordsOf(error));
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    // A button that is disabled would lose the focus.
    if (status.dataset.status === "sending") return;
    const { name, email, picture } = form.elements;
    void run(async () => {
      say("sending", "The picture is being sent.");
      const sent = await sendPicture(picture.files[0]);
      await shop.users.create({ name: name.value, email: email.value, avatar: sent.id });
      await show();
      say("done", `${name.value} has the picture: ${sent.image.width} × ${sent.image.height} pixels.`);
      form.reset();
    });
  });
  void run(show);
}
