import { problemOf } from "./showProblem.js";

/** After so many failures of the stream in a row, the job is polled instead. */
const maxBreaks = 3;

/**
 * Reports the state of a job until it has ended: by server-sent events, or by polling if they do not work.
 *
 * @param onJob is called with the job, or with `null` if it was removed
 */
export async function followJob(url, onJob) {
  if (!(await listen(url, onJob))) await poll(url, onJob);
}

/** Resolves to whether the stream reported the end of the job. */
function listen(url, onJob) {
  return new Promise((resolve, reject) => {
    const events = new EventSource(url);
    let breaks = 0;
    const end = (settle, value) => {
      // Otherwise it would reconnect, even after the end.
      events.close();
      settle(value);
    };
    const take = ({ type, data }) => {
      breaks = 0;
      try {
        onJob(JSON.parse(data));
        if (type === "end") end(resolve, true);
      } catch (error) {
        end(reject, error);
      }
    };
    events.addEventListener("progress", take);
    events.addEventListener("end", take);
    events.addEventListener("error", () => {
      breaks += 1;
      // Unless the stream was refused, the browser itself reconnects after a second.
      if (events.readyState === EventSource.CLOSED || breaks === maxBreaks) end(resolve, false);
    });
  });
}

/** Sends the ETag of the last response, so that an unchanged job is a 304 without a body, and waits as long as `Retry-After` says. */
async function poll(url, onJob) {
  let etag;
  for (;;) {
    const response = await fetch(url, { headers: { accept: "application/json", ...(etag === undefined ? {} : { "if-none-match": etag }) } });
    const text = await response.text();
    if (!response.ok && response.status !== 304) throw problemOf(response.status, text);
    etag = response.headers.get("etag") ?? undefined;
    if (response.ok) {
      const job = JSON.parse(text);
      onJob(job);
      if (job.finishedAt !== null) return;
    }
    const seconds = Number(response.headers.get("retry-after") ?? 1);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  }
}
