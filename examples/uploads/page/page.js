import { createClient } from "./client.js";
import { dropZone } from "./dropZone.js";
import { fileLink } from "./fileLink.js";
import { people } from "./people.js";
import { sendAvatar } from "./sendAvatar.js";
import { uploadRow } from "./uploadRow.js";
import { startUpload } from "./uploads.js";
import { wordsOf } from "./words.js";

const byId = (id) => document.getElementById(id);

const shop = createClient({ baseUrl: new URL("api", location.href).href });

/** Small pieces, since progress is told by pieces. They cost more requests than the default of 8 MiB. */
const pieceBytes = 1_048_576;

/** More at a time would be slower for each, and none would be done early. */
const maxRunning = 3;
let running = 0;
const waiting = [];

/** The files that are being sent. Two uploads of one file would share its address, and to cancel one would end both. */
const sending = new Set();
const keyOf = ({ name, type, size, lastModified }) => [name, type, size, lastModified].join("|");

/** Starts the files whose turn it is. */
function startNext() {
  while (running < maxRunning && waiting.length > 0) waiting.shift()();
}

/** Tells screen readers what has happened to a file. Progress is not told: it can be read at the bar. */
function announce(text) {
  byId("announcement").textContent = text;
}

/** Shows a file in the list, and sends it when its turn comes. */
function begin(file) {
  let upload;
  let status = "waiting";
  let isRunning = false;
  const row = uploadRow(file, {
    toggle: () => (status === "paused" ? resume() : pause()),
    retry: () => (status === "failed" ? start() : resume()),
    end: () => (["done", "refused", "failed", "canceled"].includes(status) ? remove() : cancel()),
  });
  row.waiting();
  waiting.push(start);
  addEventListener("online", isBack);

  /** A file that is paused or over leaves its place to the next one. */
  function setRunning(runs) {
    if (runs !== isRunning) running += runs ? 1 : -1;
    isRunning = runs;
    startNext();
  }

  function start() {
    status = "sending";
    setRunning(true);
    row.resumed();
    const isOnly = !sending.has(keyOf(file));
    sending.add(keyOf(file));
    upload = startUpload(shop, file, {
      pieceBytes,
      storage: isOnly ? undefined : false,
      onProgress(progress) {
        if (status !== "canceled") row.sending(progress);
        if (status === "retrying") status = "sending";
      },
      onRetry({ error, delayMs }) {
        if (status !== "retrying") announce(`${file.name}: ${wordsOf(error)} It is tried again.`);
        status = "retrying";
        row.retrying(error, delayMs);
      },
    });
    upload.done.then(done, failed).finally(() => {
      if (isOnly) sending.delete(keyOf(file));
      setRunning(false);
    });
  }

  /** The connection is back: no need to wait for the next try, and one that was given up is made again. */
  function isBack() {
    if (status === "retrying") return resume();
    if (status !== "failed") return;
    status = "waiting";
    upload = undefined;
    row.waiting();
    waiting.push(start);
    startNext();
  }

  function remove() {
    removeEventListener("online", isBack);
    row.remove();
  }

  function pause() {
    status = "paused";
    upload.pause();
    row.paused();
    setRunning(false);
  }

  function resume() {
    status = "sending";
    setRunning(true);
    row.resumed();
    upload.resume();
  }

  async function cancel() {
    status = "canceled";
    row.canceled("Canceled");
    if (upload === undefined) waiting.splice(waiting.indexOf(start), 1);
    await upload?.cancel().catch((error) => row.canceled(`Canceled. ${wordsOf(error)} What has arrived is kept there for a day.`));
    announce(`${file.name}: canceled.`);
  }

  function done(sent) {
    status = "done";
    row.done(sent);
    announce(`${file.name}: sent.`);
  }

  function failed(error) {
    if (status === "canceled") return;
    // Without an answer, or with one of a server that is not well, another try may succeed.
    status = (error.status ?? (error.name === "NetworkError" || error.name === "TimeoutError" ? 500 : 400)) < 500 ? "refused" : "failed";
    row[status](error);
    announce(`${file.name}: ${wordsOf(error)}`);
  }
}

dropZone(
  byId("drop"),
  (files) => {
    byId("refused").hidden = true;
    for (const file of files) begin(file);
    startNext();
    // The same file may be chosen again.
    byId("files").value = "";
  },
  (text) => {
    byId("refused").textContent = text;
    byId("refused").hidden = false;
  },
);

byId("avatarForm").addEventListener("submit", async (event) => {
  event.preventDefault();
  // A button that is disabled would lose the focus.
  if (byId("avatarStatus").dataset.status === "sending") return;
  const show = (status, text) => {
    byId("avatarStatus").dataset.status = status;
    byId("avatarStatus").textContent = text;
  };
  byId("avatarResult").replaceChildren();
  show("sending", "The picture is being sent.");
  try {
    const { url, filename, image } = await sendAvatar(event.target);
    show("done", `Everybody may see it: ${image.width} × ${image.height} pixels.`);
    byId("avatarResult").replaceChildren(fileLink({ address: url, filename, image }));
  } catch (error) {
    show("refused", error.message);
  }
});

people(shop, (file) => startUpload(shop, file).done);
