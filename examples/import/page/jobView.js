import { percentText, sentText, speedometer, timeText } from "./amounts.js";

const byId = (id) => document.getElementById(id);
const number = new Intl.NumberFormat();

/** Shows a file before there is a job. */
export function showFile({ name, size }) {
  byId("import").hidden = false;
  delete byId("import").dataset.status;
  byId("heading").textContent = name;
  uploadView()(0, size);
  byId("importBar").value = 0;
  byId("importText").textContent = "";
  for (const id of ["created", "updated", "skipped", "failed"]) byId(id).textContent = "0";
  byId("resume").hidden = true;
  byId("cancel").hidden = false;
  showWarnings([]);
  say("The file is being sent.");
}

/** Returns a function that shows how much of a file has been sent. */
export function uploadView() {
  const speedAt = speedometer();
  return (sentBytes, totalBytes) => {
    byId("uploadBar").value = totalBytes === 0 ? 1 : sentBytes / totalBytes;
    byId("uploadText").textContent = sentText(sentBytes, totalBytes, speedAt(sentBytes));
  };
}

/** Shows the warnings of an import. */
export function showWarnings(warnings) {
  byId("warning").hidden = warnings.length === 0;
  byId("warning").textContent = warnings.map(({ code }) => (code === "SAME_FILE" ? "The same file was sent before." : code)).join(" ");
}

/** Returns a function that shows the state of one job; `keeps` tells whether imported rows stay if the import ends early. */
export function jobView({ isDry, keeps }) {
  const speedAt = speedometer();
  return (job) => {
    const { status, progress, result, links } = job;
    byId("import").dataset.status = status;
    say(statusOf(job, isDry, keeps));
    byId("importBar").value = progress;
    byId("importText").textContent = rowsText(job, speedAt(job.processedRows));
    for (const [name, count] of Object.entries(result ?? {})) byId(name).textContent = number.format(count);
    offer({ cancel: links.cancel !== undefined, resume: links.resume !== undefined });
  };
}

/** Sets the status text, only if it is new, because screen readers read every change aloud. */
function say(text) {
  if (byId("status").textContent !== text) byId("status").textContent = text;
}

/** Shows and hides buttons. One that is hidden passes the focus to another one or to the heading; otherwise keyboard users would start at the top of the page. */
function offer(shown) {
  const focused = document.activeElement;
  for (const [name, isThere] of Object.entries(shown)) byId(name).hidden = !isThere;
  if (!focused.hidden) return;
  const next = Object.keys(shown).find((name) => shown[name]);
  byId(next ?? "heading").focus();
}

function statusOf({ status, error, result }, isDry, keeps) {
  if (status === "queued") return "The import waits for its turn.";
  if (status === "processing") return isDry ? "Rows are tried." : "Rows are imported.";
  if (status === "failed") {
    const isCanceled = error.code === "CANCELLED";
    const kept = keeps ? " What was imported until then stays." : isCanceled ? " Nothing was kept." : "";
    return `${isCanceled ? "Canceled." : error.detail}${kept}`;
  }
  const failed = result.failed === 0 ? "" : ` ${number.format(result.failed)} rows failed.`;
  return `${isDry ? "All rows were tried; nothing was kept." : "The import is complete."}${failed}`;
}

/** The rows that are done, how fast, and how long the rest takes: of a finished job the whole time. */
function rowsText({ processedRows, totalRows, startedAt, finishedAt, estimatedCompletion }, perSecond) {
  const parts = [percentText(processedRows, totalRows), `${number.format(processedRows)} of ${number.format(totalRows)} rows`];
  const seconds = (from, to) => Math.max(1, (new Date(to) - new Date(from)) / 1_000);
  if (finishedAt !== null) parts.push(`in ${timeText(seconds(startedAt ?? finishedAt, finishedAt))}`);
  else if (perSecond !== undefined) parts.push(`${number.format(Math.round(perSecond))} rows/s`);
  if (finishedAt === null && estimatedCompletion !== null) parts.push(`${timeText(seconds(Date.now(), estimatedCompletion))} left`);
  return parts.join(" · ");
}
