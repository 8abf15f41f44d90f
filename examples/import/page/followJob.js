import { problemOf } from "./showProblem.js";

/** So many breaks of the stream in a row, and the job is asked instead. */
const mostBreaks = 3;

/**
 * Tells of a job until it has ended: by server-sent events, or by asking again and again where they do not come through.
 *
 * @param onJob is told of the job, or of `null` where it was removed
 */
export async function followJob(url, onJob) {
  if (!(await listen(url, onJob))) await poll(url, onJob);
}

/** Resolves to whether the end was heard. */
function listen(url, onJob) {
  return new Promise((resolve, reject) => {
    const events = new EventSource(url);
    let breaks = 0;
    const end = (settle, value) => {
      // It would come again otherwise, even after the end.
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
      // Unless it was refused, the browser itself comes again after a second.
      if (events.readyState === EventSource.CLOSED || breaks === mostBreaks) end(resolve, false);
    });
  });
}

/** With the tag of the last answer, so that one that has nothing new is a 304 without a body, and as often as the server hints. */
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
