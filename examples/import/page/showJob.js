const byId = (id) => document.getElementById(id);
const number = new Intl.NumberFormat();
const percent = new Intl.NumberFormat(undefined, { style: "percent" });
const megabytes = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** The rate is measured over this time. */
const rateSpanMs = 3_000;

/** Shows a file before there is a job. */
export function showFile({ name, size }) {
  byId("import").hidden = false;
  delete byId("import").dataset.status;
  byId("heading").textContent = name;
  showUpload(0, size);
  byId("importBar").value = 0;
  byId("importText").textContent = "";
  for (const id of ["created", "updated", "skipped", "failed"]) byId(id).textContent = "0";
  for (const id of ["rate", "done"]) byId(id).textContent = "–";
  byId("cancel").hidden = false;
  byId("resume").hidden = true;
  showWarnings([]);
  say("The file is being sent.");
}

/** Shows how much of the file has been sent. */
export function showUpload(sentBytes, allBytes) {
  byId("uploadBar").value = allBytes === 0 ? 1 : sentBytes / allBytes;
  byId("uploadText").textContent = `${megabytes.format(sentBytes / 1e6)} of ${megabytes.format(allBytes / 1e6)} MB`;
}

/** Shows the warnings of an import. */
export function showWarnings(warnings = []) {
  byId("warning").hidden = warnings.length === 0;
  byId("warning").textContent = warnings
    .map(({ code, importId }) => (code === "SAME_FILE" ? `The same file was sent before, for import ${importId}.` : code))
    .join(" ");
}

/** Returns a function that shows the state of one job; `keeps` tells whether imported rows stay if the import ends early. */
export function jobView({ isDry, keeps }) {
  let steps = [];
  return (job) => {
    const { status, progress, processedRows, totalRows, result, finishedAt, links } = job;
    const nowMs = performance.now();
    steps = [...steps, { processedRows, atMs: nowMs }].filter(({ atMs }) => nowMs - atMs < rateSpanMs);
    say(statusOf(job, isDry, keeps));
    byId("importBar").value = progress;
    byId("importText").textContent = `${number.format(processedRows)} of ${number.format(totalRows)} rows (${percent.format(progress)})`;
    for (const [name, count] of Object.entries(result ?? {})) byId(name).textContent = number.format(count);
    byId("rate").textContent = rateOf(job, steps);
    byId("doneName").textContent = finishedAt === null ? "done at about" : "ended at";
    byId("done").textContent = timeOf(finishedAt ?? job.estimatedCompletion);
    for (const name of ["cancel", "resume"]) offer(name, links[name] !== undefined);
    byId("import").dataset.status = status;
  };
}

/** Sets the status text, only if it is new, because screen readers read every change aloud. */
function say(text) {
  if (byId("status").textContent !== text) byId("status").textContent = text;
}

/** Shows or hides a button. A button that is hidden passes the focus to the heading; otherwise keyboard users would start at the top of the page. */
function offer(name, isThere) {
  if (!isThere && document.activeElement === byId(name)) byId("heading").focus();
  byId(name).hidden = !isThere;
}

function statusOf({ status, error, result }, isDry, keeps) {
  if (status === "queued") return "The import waits for its turn.";
  if (status === "processing") return isDry ? "Rows are tried." : "Rows are imported.";
  if (status === "failed") {
    const isCanceled = error.code === "CANCELLED";
    const kept = keeps ? " What was imported until then stays." : isCanceled ? " Nothing was kept." : "";
    return `${isCanceled ? "Canceled." : `${error.detail} (${error.code})`}${kept}`;
  }
  const failed = result.failed === 0 ? "" : ` ${number.format(result.failed)} rows failed.`;
  return `${isDry ? "All rows were tried; nothing was kept." : "The import is complete."}${failed}`;
}

/** The rate of the last seconds; of a finished job, the average by the server's times. */
function rateOf({ status, processedRows, startedAt, finishedAt }, steps) {
  if (status === "completed") return perSecond(processedRows, new Date(finishedAt) - new Date(startedAt));
  const [first, last] = [steps[0], steps.at(-1)];
  return status === "processing" ? perSecond(last.processedRows - first.processedRows, last.atMs - first.atMs) : "–";
}

function perSecond(rows, spanMs) {
  return spanMs <= 0 ? "–" : number.format(Math.round((rows * 1_000) / spanMs));
}

function timeOf(text) {
  return text === null ? "–" : new Date(text).toLocaleTimeString();
}
