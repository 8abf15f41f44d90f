import { followJob } from "./followJob.js";
import { sendFile } from "./sendFile.js";
import { errorsView, hideErrors } from "./showErrors.js";
import { jobView, showFile, showUpload, showWarnings } from "./showJob.js";
import { Problem, problemOf, showProblem } from "./showProblem.js";

const byId = (id) => document.getElementById(id);

/** The current actions of Cancel and Resume. */
let cancel = () => {};
let resume = () => {};

byId("cancel").addEventListener("click", () => cancel());
byId("resume").addEventListener("click", () => resume());
byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const mode = byId("mode").value;
  const options = { mode, onError: byId("onError").value, dryRun: byId("dryRun").checked, ...(mode === "upsert" ? { key: "email" } : {}) };
  importFile(byId("file").files[0], options).catch(giveUp);
});

async function importFile(file, options) {
  hideErrors();
  showFile(file);
  begin();
  const { job, abort } = sendFile(file, options, showUpload);
  cancel = abort;
  const accepted = await job;
  showUpload(file.size, file.size);
  showWarnings(accepted.warnings);
  follow(accepted, { isDry: options.dryRun, keeps: options.onError === "continue" && !options.dryRun });
}

function follow(job, kept) {
  const show = jobView(kept);
  const showErrors = errorsView();
  const onJob = (state) => {
    if (state === null) throw new Problem({ detail: "The import was removed." });
    show(state);
    if (state.links.errors !== undefined) showErrors(state.links.errors, state.result.failed).catch(showProblem);
    if (state.finishedAt !== null) isBusy(false);
    cancel = () => post(state.links.cancel).then(show, showProblem);
    resume = () => resumeJob(state.links.resume, kept).catch(giveUp);
  };
  onJob(job);
  followJob(job.links.self, onJob).catch(giveUp);
}

async function resumeJob(url, kept) {
  begin();
  follow(await post(url), kept);
}

async function post(url) {
  const response = await fetch(url, { method: "POST" });
  const text = await response.text();
  if (!response.ok) throw problemOf(response.status, text);
  return JSON.parse(text);
}

function begin() {
  isBusy(true);
  showProblem(undefined);
  byId("heading").focus();
}

function giveUp(error) {
  showProblem(error);
  isBusy(false);
  // Without a job the section is hidden, so its heading cannot keep the focus.
  if (byId("import").dataset.status !== undefined) return;
  byId("import").hidden = true;
  byId("submit").focus();
}

function isBusy(busy) {
  byId("options").disabled = busy;
  byId("submit").disabled = busy;
}
