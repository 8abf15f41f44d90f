import { bytesText } from "./amounts.js";
import { createClient, NetworkError, ServerError } from "./client.js";
import { dropZone } from "./dropZone.js";
import { errorTable } from "./errorTable.js";
import { fetchWithProgress } from "./fetchWithProgress.js";
import { jobView, showFile, showWarnings, uploadView } from "./jobView.js";
import { showProblem } from "./problemView.js";

const byId = (id) => document.getElementById(id);
const errors = errorTable();

let isBusy = false;
/** The current actions of Cancel and Resume. */
let cancel = () => {};
let resume = () => {};

byId("cancel").addEventListener("click", () => cancel());
byId("resume").addEventListener("click", () => resume());

dropZone(byId("drop"), choose, (text) => showProblem(new Error(text)));

/** Shows the chosen file, and puts one that was dropped into the form. */
function choose([file]) {
  const files = new DataTransfer();
  files.items.add(file);
  byId("file").files = files.files;
  byId("chosen").textContent = `${file.name}, ${bytesText(file.size)}`;
  byId("chosen").hidden = false;
}

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (isBusy) return;
  const mode = byId("mode").value;
  const options = { mode, onError: byId("onError").value, dryRun: byId("dryRun").checked, key: mode === "upsert" ? "email" : undefined };
  importFile(byId("file").files[0], options).catch(giveUp);
});

async function importFile(file, options) {
  errors.hide();
  showFile(file);
  begin();
  const showUpload = uploadView();
  const upload = new AbortController();
  cancel = () => upload.abort(new Error("The upload was canceled; nothing was imported."));
  const shop = createClient({
    baseUrl: new URL("api", location.href).href,
    fetch: fetchWithProgress(file, showUpload),
    // A request without a key is compared with the files of the last day: the answer to one that was imported has a warning.
    idempotencyKeys: false,
  });
  const job = await shop.users.import(file, { ...options, format: formatOf(file), signal: upload.signal });
  showUpload(file.size, file.size);
  showWarnings(job.warnings);
  await follow(job, { isDry: options.dryRun, keeps: options.onError === "continue" && !options.dryRun });
}

const reachAgainMs = 2_000;

/** Shows a job until it has ended. If the server cannot be reached, as while it restarts, it is asked again, because the import goes on without the page. */
async function follow(job, kept) {
  const show = jobView(kept);
  cancel = () => job.cancel().catch(showProblem);
  resume = () => {
    begin();
    job
      .resume()
      .then(() => follow(job, kept))
      .catch(giveUp);
  };
  for (let isLost = false; ; ) {
    try {
      for await (const state of job) {
        if (isLost) showProblem(undefined);
        isLost = false;
        show(state);
        if (state.links.errors !== undefined) errors.show(job, state).catch(showProblem);
      }
      return setBusy(false);
    } catch (error) {
      if (!(error instanceof NetworkError || error instanceof ServerError)) throw error;
      isLost = true;
      showProblem(error);
      await new Promise((resolve) => setTimeout(resolve, reachAgainMs));
    }
  }
}

/** By the name: browsers have no type for NDJSON, and report CSV as a spreadsheet if a spreadsheet program is installed. */
function formatOf({ name }) {
  return /\.(?:ndjson|jsonl)$/i.test(name) ? "ndjson" : "csv";
}

function begin() {
  setBusy(true);
  showProblem(undefined);
}

function giveUp(error) {
  showProblem(error);
  setBusy(false);
  // Without a job there is nothing to show.
  if (byId("import").dataset.status === undefined) {
    if (byId("import").contains(document.activeElement)) byId("submit").focus();
    byId("import").hidden = true;
  }
}

/** The button keeps the focus, which it would lose if it were disabled. */
function setBusy(busy) {
  isBusy = busy;
  byId("options").disabled = busy;
  byId("submit").setAttribute("aria-disabled", String(busy));
}
