import { problemText, unreachable } from "./problem.js";

const { Upload } = globalThis.tus;

/**
 * Sends a file in pieces. One that was begun before, in this browser, goes on where it was.
 *
 * @param on `progress(sent, all)`, `waiting()` while it is tried again, `done(file)`, `failed(text)` where it can go on later, `refused(text)` where it cannot
 */
export async function sendFile(file, on) {
  const upload = new Upload(file, {
    endpoint: new URL("api/uploads", location.href).href,
    metadata: { filename: file.name, filetype: file.type },
    // A second after the first failure, and longer each time; a moment of progress begins that anew.
    retryDelays: [1_000, 2_000, 5_000, 10_000, 20_000],
    removeFingerprintOnSuccess: true,
    onProgress: on.progress,
    onShouldRetry(error) {
      const again = mayWork(statusOf(error));
      if (again) on.waiting();
      return again;
    },
    onError: (error) => (mayWork(statusOf(error)) ? on.failed : on.refused)(textOf(error)),
    onSuccess: () => readFile(upload.url).then(on.done, (error) => on.refused(error.message)),
  });
  const [previous] = await upload.findPreviousUploads();
  if (previous !== undefined) upload.resumeFromPreviousUpload(previous);
  upload.start();
  return {
    wasBegun: previous !== undefined,
    pause: () => upload.abort(),
    resume: () => upload.start(),
    cancel: () => upload.abort(true),
  };
}

/** 0 where there is no answer. */
function statusOf({ originalResponse }) {
  return originalResponse?.getStatus() ?? 0;
}

/** Whether the same request may have another answer later. */
function mayWork(status) {
  return status < 400 || status >= 500 || status === 409 || status === 423;
}

function textOf(error) {
  const status = statusOf(error);
  return status === 0 ? unreachable : problemText(status, error.originalResponse.getBody());
}

/** What became of an upload, once it has been looked into. */
async function readFile(url) {
  for (;;) {
    const response = await fetch(url, { headers: { accept: "application/json" } });
    const text = await response.text();
    if (!response.ok) throw new Error(problemText(response.status, text));
    const file = JSON.parse(text);
    if (file.status === "ready") return file;
    if (file.status !== "processing") throw new Error(file.error?.detail ?? `The file is ${file.status}.`);
    await new Promise((resolve) => setTimeout(resolve, Number(response.headers.get("retry-after") ?? 1) * 1_000));
  }
}
