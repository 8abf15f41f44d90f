import { Problem, problemOf } from "./showProblem.js";

/**
 * Sends a file to be imported by a job. Uses XMLHttpRequest, since fetch does not report the bytes sent.
 *
 * @param onProgress is called with the bytes sent and the size
 * @returns the job, and a function that aborts the upload
 */
export function sendFile(file, options, onProgress) {
  const request = new XMLHttpRequest();
  const job = new Promise((resolve, reject) => {
    const fail = (detail) => () => reject(new Problem({ detail }));
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(loaded, total));
    request.addEventListener("load", () => {
      if (request.status === 202) resolve(JSON.parse(request.responseText));
      else reject(problemOf(request.status, request.responseText));
    });
    request.addEventListener("abort", fail("The upload was canceled; nothing was imported."));
    request.addEventListener("error", fail("The file could not be sent: the connection was lost, or the file has changed since it was chosen."));
    request.open("POST", `api/imports?${new URLSearchParams({ collection: "users", ...options })}`);
    request.setRequestHeader("content-type", typeOf(file));
    request.send(file);
  });
  return { job, abort: () => request.abort() };
}

/** By the file name: browsers have no type for NDJSON, and report CSV as a spreadsheet if a spreadsheet program is installed. */
function typeOf({ name }) {
  return /\.(?:ndjson|jsonl)$/i.test(name) ? "application/x-ndjson" : "text/csv";
}
