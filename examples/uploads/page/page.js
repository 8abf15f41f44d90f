import { fileLink } from "./fileLink.js";
import { unreachable } from "./problem.js";
import { sendAvatar } from "./sendAvatar.js";
import { sendFile } from "./sendFile.js";
import { uploadRow } from "./uploadRow.js";

const byId = (id) => document.getElementById(id);

function begin(file) {
  const row = uploadRow(file);
  row.say("sending", "begins");
  send(file, row).catch((error) => row.say("refused", String(error)));
}

async function send(file, row) {
  const sending = await sendFile(file, {
    progress: row.progress,
    done: row.done,
    waiting: () => row.say("sending", `${unreachable} Trying again.`),
    failed: (text) => row.say("failed", text),
    refused: (text) => row.say("refused", text),
  });
  if (sending.wasBegun) row.say("sending", "goes on where it was");
  row.on({
    pause: () => sending.pause().then(row.paused),
    resume() {
      row.say("sending", "goes on");
      sending.resume();
    },
    async cancel() {
      row.say("canceled", "is canceled");
      try {
        await sending.cancel();
        row.say("canceled", "canceled; nothing of it is kept");
      } catch {
        row.say("failed", `${unreachable} What has arrived of the file is kept for a day.`);
      }
    },
  });
}

byId("files").addEventListener("change", ({ target }) => {
  for (const file of target.files) begin(file);
  // The same file may be chosen again.
  target.value = "";
});

const drop = byId("drop");
drop.addEventListener("dragover", (event) => {
  event.preventDefault();
  drop.classList.add("over");
});
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  for (const file of event.dataTransfer.files) begin(file);
});

byId("avatarForm").addEventListener("submit", async (event) => {
  event.preventDefault();
  byId("sendAvatar").disabled = true;
  byId("avatarResult").replaceChildren();
  byId("avatarStatus").dataset.status = "sending";
  byId("avatarStatus").textContent = "sending";
  try {
    const { url, filename, image } = await sendAvatar(event.target);
    byId("avatarStatus").dataset.status = "done";
    byId("avatarStatus").textContent = `Everybody may see it: ${image.width} × ${image.height} pixels.`;
    byId("avatarResult").replaceChildren(fileLink({ address: url, filename, image }));
  } catch (error) {
    byId("avatarStatus").dataset.status = "refused";
    byId("avatarStatus").textContent = error.message;
  } finally {
    byId("sendAvatar").disabled = false;
  }
});
